import type { ReportMetric } from "../profiles/profile.ts";
import type { CheckResult, GradeReport, Metric } from "../types.ts";

/**
 * A profile's report, read from what the checks found. A metric whose check did not run is `null` and says so; it is never a pass.
 * @param silent checks that ran on every sentence and report only what they object to
 */
export function gradeReport(
  checks: readonly CheckResult[],
  metrics: readonly ReportMetric[],
  silent: ReadonlySet<string> = new Set(),
): GradeReport {
  const graded = metrics.map((metric) => [metric.metric, gradeMetric(metric, checks, silent)] as const);
  const passed = graded.map(([, metric]) => metric.passed);
  return {
    overallPass: passed.includes(false) ? false : passed.includes(null) ? null : true,
    metrics: Object.fromEntries(graded),
  };
}

/** One faulty sentence fails the metric of a check that looks at sentences. */
function gradeMetric({ check, threshold }: ReportMetric, checks: readonly CheckResult[], silent: ReadonlySet<string>): Metric {
  const found = checks.filter(({ name }) => name === check);
  const fault = found.find(({ verdict }) => verdict === "fail" || verdict === "warn");
  const result = fault ?? found.at(-1);
  if (result === undefined && silent.has(check)) return { passed: true, score: null, threshold, reason: "nothing found in any sentence" };
  if (result === undefined) return { passed: null, score: null, threshold, reason: `the check "${check}" did not run` };
  const { score, reason } = result;
  const isUnknown = fault === undefined && threshold !== null && score === null;
  return { passed: isUnknown ? null : fault === undefined, score, threshold, reason };
}
