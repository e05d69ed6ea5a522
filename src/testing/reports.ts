import type { DiagnosticReport } from "../store/diagnostic-report.ts";

/** Returns a sample report of a refused question; `parts` replaces its fields. */
export function sampleReport(parts: Partial<DiagnosticReport> = {}): DiagnosticReport {
  return {
    causes: ["refused"],
    confidence: 0.25,
    headroom: -0.25,
    reportBelow: null,
    refusal: "evidence_too_weak",
    query: {
      type: "what",
      words: 6,
      terms: ["card", "dragons"],
      codes: [],
      values: [],
      expects: [],
      repaired: [],
      expanded: [],
      topics: ["cards"],
      followUp: false,
      injectionSignals: [],
    },
    passages: [],
    gaps: {
      missing: [{ text: "dragons", kind: "word", inDocuments: false }],
      kinds: [],
      topics: [],
      unreadable: { paths: [], total: 0 },
      conflicts: [],
    },
    checks: [],
    recommendations: [{ kind: "in_no_document", subject: "dragons", text: 'No document mentions "dragons".', basis: "counted" }],
    ...parts,
  };
}
