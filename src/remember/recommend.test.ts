import { describe, expect, it } from "vitest";
import type { StoredReport } from "../store/diagnostic-report.ts";
import { sampleReport } from "../testing/reports.ts";
import { createReportGrouping } from "./recommend.ts";

const TOPICS = [{ slug: "cards", name: "Library cards" }];
const made = (topic: string | null, over: Parameters<typeof sampleReport>[0] = {}, createdAt = "2026-01-01T00:00:00.000Z") => ({
  topic,
  createdAt,
  report: sampleReport(over),
});
const group = (...reports: Pick<StoredReport, "topic" | "createdAt" | "report">[]) => {
  const grouping = createReportGrouping(TOPICS);
  for (const report of reports) grouping.add(report);
  return { total: grouping.total, groups: grouping.groups() };
};
const missing = (...texts: string[]) => ({
  ...sampleReport().gaps,
  missing: texts.map((text) => ({ text, kind: "word" as const, inDocuments: false })),
});

describe("createReportGrouping", () => {
  it("counts a missing term once for a report, in any case, most frequent first", () => {
    const { groups } = group(
      made("cards", { gaps: missing("Dragons", "dragons", "unicorns") }),
      made("cards", { gaps: missing("DRAGONS", "") }),
      made("cards", { gaps: missing("aardvarks") }),
    );
    expect(groups[0]?.missing).toEqual([
      { text: "dragons", reports: 2 },
      { text: "aardvarks", reports: 1 },
      { text: "unicorns", reports: 1 },
    ]);
  });

  it("is not misled by terms that are names of properties", () => {
    const { groups } = group(made("__proto__", { gaps: missing("constructor", "__proto__") }));
    expect(groups[0]?.missing.map(({ text }) => text)).toEqual(["__proto__", "constructor"]);
    expect(groups[0]?.topic).toBe("__proto__");
  });
});
