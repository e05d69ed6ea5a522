import { expect, it } from "vitest";
import { createReportGrouping } from "../../memory/recommend.ts";
import type { StoredReport } from "../../store/diagnostic-report.ts";
import { sampleReport } from "../../testing/reports.ts";
import { renderRecord } from "../command.ts";
import { summaryOf } from "./reports.ts";

/** Clears the screen, sets the title, reorders text, breaks the line. */
const HOSTILE = "\u001B[2J\u001B]0;x\u0007\u202Ea\rb\nc";
const STORED: StoredReport = {
  ...{ id: "r1", interactionId: "i1", domain: "d", tenant: "alice", profile: "p", topic: "cards", question: HOSTILE },
  createdAt: "2026-01-02T03:04:05.000Z",
  report: sampleReport({
    gaps: { ...sampleReport().gaps, missing: [{ text: HOSTILE, kind: "word", inDocuments: true }] },
    recommendations: [{ kind: "conflict", subject: HOSTILE, text: HOSTILE, basis: "heuristic" }],
  }),
};

it("text of questions and documents cannot control the terminal or forge a line", () => {
  const grouping = createReportGrouping([{ slug: "cards", name: "Library cards" }]);
  grouping.add(STORED);
  const overview = { total: grouping.total, topics: grouping.groups(), reports: [STORED] };
  for (const text of [renderRecord(STORED), renderRecord(summaryOf(overview))]) {
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
    expect(text).not.toMatch(/^c$/m);
    expect(text).toContain("\\x1b[2J");
  }
});
