import type { GoldenItem } from "../grading/golden-item.ts";

/** Returns the item of a golden question whose answer was shown but not measured; `over` replaces its fields. */
export function goldenItem(id: string, over: Partial<GoldenItem> = {}): GoldenItem {
  return {
    ...{ domain: "d", id, question: "?", kind: "answerable", needs: "", cluster: id, shown: true },
    ...{ right: null, first: null, page: null, quoted: null, lacks: [], holds: [], confidence: 0.5, words: 3, refusal: null },
    ...{ sentences: [], citations: [], scores: {}, unscored: {}, faults: [], retrieved: [], error: null, cost_usd: 0, report: null },
    ...{ gold: { answer: "", quotes: [], pages: [] } },
    ...over,
  };
}
