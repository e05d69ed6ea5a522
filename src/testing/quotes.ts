import type { CitedQuote } from "../checks/finding.ts";
import type { Passage, Quote } from "../shared/types.ts";
import { unitsIn } from "../text/units.ts";

/** Returns a sample passage whose text is one sentence; `over` replaces its fields. */
export function samplePassage(text: string, over: Partial<Passage> = {}): Passage {
  const id = over.document?.id ?? `doc-${text.slice(0, 24)}`;
  return {
    sid: "S1",
    chunkId: `${id}-0`,
    document: {
      id,
      path: "page.md",
      title: "Page",
      url: "https://www.va.gov/page/",
      asOf: null,
      authority: null,
      version: "v1",
      originalHash: "hash",
      normaliser: "1",
      blocks: [{ start: 0, end: text.length, type: "paragraph", level: 0, header: -1 }],
      sourceMap: [0, text.length, 0, text.length],
    },
    headingPath: [],
    range: { start: 0, end: text.length },
    window: { start: 0, end: text.length },
    text,
    units: unitsIn({
      text,
      blocks: [{ start: 0, end: text.length, type: "paragraph", level: 0, header: -1 }],
      units: [{ start: 0, end: text.length, type: "paragraph", block: 0 }],
    }),
    scores: { dense: null, bm25: 1, fused: 1, cross: null },
    ...over,
  };
}

/** Returns a quote of a whole passage. */
export function sampleQuote(text: string, over: Partial<Passage> = {}): Quote {
  const passage = samplePassage(text, over);
  return { passage, start: 0, end: text.length, text };
}

/** Returns a citation with an exact quote and without a URL; `over` replaces its fields. */
export function citedQuote(text: string, over: Partial<CitedQuote> = {}): CitedQuote {
  return { text, url: null, exact: true, ...over };
}
