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
  it("puts the largest group first, then the least confident", () => {
    const { total, groups } = group(
      made("cards", { confidence: 0.9 }),
      made(null, { confidence: 0.1 }),
      made("loans", { confidence: null }),
      made("cards", { confidence: 0.1, refusal: null }),
    );
    expect(total).toBe(4);
    expect(groups.map(({ topic, name, reports, refused, meanConfidence }) => [topic, name, reports, refused, meanConfidence])).toEqual([
      ["cards", "Library cards", 2, 1, 0.5],
      [null, null, 1, 1, 0.1],
      ["loans", null, 1, 1, null],
    ]);
  });

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

  it("counts the same advice together, in the words of the newest report", () => {
    const advice = (subject: string, text: string) => ({ kind: "unreadable_file" as const, subject, text, basis: "counted" as const });
    const { groups } = group(
      made("cards", { recommendations: [advice("a", "new a"), advice("a", "again"), advice("b", "b")] }, "2026-02-01T00:00:00.000Z"),
      made("cards", { recommendations: [advice("a", "old a")] }),
    );
    expect(groups[0]?.recommendations.map(({ subject, reports }) => [subject, reports])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect(groups[0]?.recommendations[0]?.text).not.toBe("old a");
    expect(groups[0]?.newest).toBe("2026-02-01T00:00:00.000Z");
  });

  it("is not misled by terms that are names of properties", () => {
    const { groups } = group(made("__proto__", { gaps: missing("constructor", "__proto__") }));
    expect(groups[0]?.missing.map(({ text }) => text)).toEqual(["__proto__", "constructor"]);
    expect(groups[0]?.topic).toBe("__proto__");
  });
});
