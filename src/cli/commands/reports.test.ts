import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { createReportGrouping } from "../../remember/recommend.ts";
import type { StoredReport } from "../../store/diagnostic-report.ts";
import { sampleReport } from "../../testing/reports.ts";
import { renderOverview, renderReport } from "./reports.ts";

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

describe("renderReport", () => {
  it("says everything that a report holds", () => {
    const text = renderReport(stored("dragons"), plain);
    for (const part of [
      "answer i1, 2026-01-02 03:04, profile p, cards, tenant alice",
      "refused (evidence too weak)",
      "confidence 0.25, 0.25 below the least that answers",
      "type what, 6 words, read as a follow-up",
      "asks for: money or percent",
      "read as: dragons → dragons",
      "S1 uncertain 0.31  dragons",
      "dense 0.500, fused 1.000; topics cards",
      "lacks: dragons",
      "word dragons: in no passage found, in other documents",
      "topic cards: no passage found is on it, and no document seems to be (heuristic)",
      "3 files could not be parsed: dragons, …",
      'sources disagree about dragons: "dragons" (dragons), "dragons" (dragons)',
      "values: 1 warned, 2 left out",
      "- dragons (heuristic)",
    ])
      expect(text).toContain(part);
  });
});

describe("text from questions and documents", () => {
  it("cannot steer the terminal or forge a line", () => {
    for (const text of [renderReport(stored(HOSTILE), plain), renderOverview(overviewOf(stored(HOSTILE)), terminal)]) {
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      expect(text).not.toMatch(/^c/m);
      expect(text).toContain("\\x1b[2J");
    }
  });
});
