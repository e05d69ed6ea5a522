import type { ReportMetric } from "../profiles/profile.ts";
import type { CheckResult, GradeReport, Metric } from "../types.ts";

/** A profile's report, read from what the checks found. A metric whose check did not run is `null` and says so; it is never a pass. */
export function gradeReport(checks: readonly CheckResult[], metrics: readonly ReportMetric[]): GradeReport {
  const graded = metrics.map((metric) => [metric.metric, gradeMetric(metric, checks)] as const);
  const passed = graded.map(([, metric]) => metric.passed);
  return {
    overallPass: passed.includes(false) ? false : passed.includes(null) ? null : true,
    metrics: Object.fromEntries(graded),
  };
}

/** One faulty sentence fails the metric of a check that looks at sentences. */
function gradeMetric({ check, threshold }: ReportMetric, checks: readonly CheckResult[]): Metric {
  const found = checks.filter(({ name }) => name === check);
  const fault = found.find(({ verdict }) => verdict === "fail" || verdict === "warn");
  const result = fault ?? found.at(-1);
  if (result === undefined) return { passed: null, score: null, threshold, reason: `the check "${check}" did not run` };
  const { score, reason } = result;
  const isUnknown = fault === undefined && threshold !== null && score === null;
  return { passed: isUnknown ? null : fault === undefined, score, threshold, reason };
}
