/** For measuring and for tools of our own: no promise that these stay as they are. */
export type { Benchmark } from "./cli/commands/bench.ts";
export { mean, quantile, wilson } from "./evaluate/metrics.ts";
export { countRow, decimal, type Report, type TableRow, versionsOf } from "./evaluate/report.ts";
