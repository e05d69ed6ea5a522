import type { ReportMetric } from "../profiles/profile.ts";
import type { CheckResult, GradeReport, Metric } from "../types.ts";

/** A profile's report, read from what the checks of the whole answer found. A metric whose check did not run is `null` and says so; it is never a pass. */
export function gradeReport(checks: readonly CheckResult[], metrics: readonly ReportMetric[]): GradeReport {
  const graded = metrics.map((metric) => [metric.metric, gradeMetric(metric, checks)] as const);
  const passed = graded.map(([, metric]) => metric.passed);
  return {
    overallPass: passed.includes(false) ? false : passed.includes(null) ? null : true,
    metrics: Object.fromEntries(graded),
  };
}

function gradeMetric({ check, threshold }: ReportMetric, checks: readonly CheckResult[]): Metric {
  const result = checks.find(({ name, sentence }) => name === check && sentence === null);
  if (result === undefined) return { passed: null, score: null, threshold, reason: `the check "${check}" did not run` };
  const { verdict, score, reason } = result;
  const isUnknown = threshold !== null && score === null;
  return { passed: isUnknown ? null : verdict === "pass", score, threshold, reason };
}
