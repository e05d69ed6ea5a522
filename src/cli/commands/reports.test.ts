import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { createReportGrouping } from "../../memory/recommend.ts";
import type { StoredReport } from "../../store/diagnostic-report.ts";
import { sampleReport } from "../../testing/reports.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { renderRecord } from "../command.ts";
import { renderOverview } from "./reports.ts";

const plain = pc.createColors(false);
const terminal = { colors: plain, asTyped: (text: string) => text };
/** Clears the screen, sets the title, reorders text, breaks the line. */
const HOSTILE = "\u001B[2J\u001B]0;x\u0007\u202Ea\rb\nc";

function stored(text: string, over: Partial<StoredReport> = {}): StoredReport {
  const report = sampleReport({
    query: {
      ...sampleReport().query,
      terms: [text],
      codes: [text],
      values: [text],
      expects: [["money", "percent"]],
      repaired: [{ written: text, read: text }],
      expanded: [text],
      injectionSignals: [text],
      followUp: true,
    },
    passages: [
      {
        sid: "S1",
        chunkId: "c",
        documentId: "d",
        documentVersion: "v",
        title: text,
        url: text,
        headingPath: [text],
        range: { start: 0, end: 1 },
        scores: { dense: 0.5, bm25: null, fused: 1, cross: null },
        score: 0.31,
        verdict: "uncertain",
        reason: text,
        topics: ["cards"],
        lacks: [text],
        preview: text,
      },
    ],
    gaps: {
      missing: [{ text, kind: "word", inDocuments: true }],
      kinds: [["money"]],
      topics: [{ topic: "cards", inDocuments: false }],
      unreadable: { paths: [text], total: 3 },
      conflicts: [{ about: text, kind: "value", values: [text, text], titles: [text, text], resolvedBy: null }],
    },
    checks: [{ check: "values", warned: 1, leftOut: 2, reasons: [text] }],
    recommendations: [{ kind: "conflict", subject: text, text, basis: "heuristic" }],
  });
  return {
    id: "r1",
    interactionId: "i1",
    domain: "d",
    tenant: "alice",
    profile: "p",
    topic: "cards",
    createdAt: "2026-01-02T03:04:05.000Z",
    question: text,
    report,
    ...over,
  };
}

function overviewOf(...reports: StoredReport[]) {
  const grouping = createReportGrouping([{ slug: "cards", name: "Library cards" }]);
  for (const report of reports) grouping.add(report);
  return { total: grouping.total, topics: grouping.groups(), reports };
}

describe("renderRecord", () => {
  it("says everything that a report holds", () => {
    const text = renderRecord(toSnakeCase(stored("dragons")));
    for (const part of ["interaction_id: i1", "refusal: evidence_too_weak", "fused: 1", "in_documents: false", "left_out: 2"])
      expect(text).toContain(part);
  });
});

describe("text from questions and documents", () => {
  it("cannot steer the terminal or forge a line", () => {
    for (const text of [renderRecord(stored(HOSTILE)), renderOverview(overviewOf(stored(HOSTILE)), terminal)]) {
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      expect(text).not.toMatch(/^c$/m);
      expect(text).toContain("\\x1b[2J");
    }
  });
});
