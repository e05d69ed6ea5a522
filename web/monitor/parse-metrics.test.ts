import { describe, expect, it } from "vitest";
import { parseMetrics, sumBy } from "./process-figures.tsx";

const TEXT = `# HELP sourcebound_errors_total Questions that failed
# TYPE sourcebound_errors_total counter
sourcebound_errors_total{stage="write",code="model_failed"} 3
sourcebound_errors_total{stage="write",code="a \\"quoted\\" one, with } and \\\\ and \\n"} 2

sourcebound_questions_running 1
sourcebound_stage_seconds{quantile="0.5",stage="admit"} NaN
process_resident_memory_bytes 2.27e+08
broken{line 4
`;

describe("figures of a process", () => {
  it("are read with their labels, whatever these hold; what is no number is left out", () => {
    expect(parseMetrics(TEXT)).toEqual([
      { name: "sourcebound_errors_total", labels: { stage: "write", code: "model_failed" }, value: 3 },
      { name: "sourcebound_errors_total", labels: { stage: "write", code: 'a "quoted" one, with } and \\ and \n' }, value: 2 },
      { name: "sourcebound_questions_running", labels: {}, value: 1 },
      { name: "process_resident_memory_bytes", labels: {}, value: 227_000_000 },
    ]);
    expect(parseMetrics("")).toEqual([]);
  });

  it("are summed by what is asked for", () => {
    const samples = parseMetrics(TEXT);
    expect([...sumBy(samples, "sourcebound_errors_total", ({ stage = "" }) => stage)]).toEqual([["write", 5]]);
    expect(sumBy(samples, "nothing", () => "").size).toBe(0);
  });
});
