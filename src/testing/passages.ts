import type { BlockType, Evidence, Passage, Question, Unit } from "../shared/types.ts";
import { unitsIn } from "../text/units.ts";

/** The fields of a fake passage. Absent ones have defaults. */
export interface FakePassage {
  readonly document?: string;
  readonly title?: string;
  readonly headingPath?: readonly string[];
  /** Units in order; a string is a paragraph of one sentence. */
  readonly segments: readonly (
    | string
    | { readonly type: BlockType; readonly text: string; readonly header?: number; readonly level?: number }
  )[];
  readonly scores?: Partial<Passage["scores"]>;
}

/** Returns a passage with one block per unit, separated by line breaks. */
export function fakePassage({ document = "d", title = "Title", headingPath = [], segments, scores }: FakePassage): Passage {
  const parts = segments.map((segment) => (typeof segment === "string" ? { type: "paragraph" as const, text: segment } : segment));
  const units: Unit[] = [];
  let text = "";
  for (const [block, { type, text: segment }] of parts.entries()) {
    if (text !== "") text += "\n";
    units.push({ type, block, start: text.length, end: text.length + segment.length });
    text += segment;
  }
  const range = { start: 0, end: text.length };
  const blocks = units.map((unit, i) => {
    const part = parts[i];
    const header = part !== undefined && "header" in part ? (part.header ?? -1) : -1;
    const usual = unit.type === "heading" ? headingPath.length + 1 : unit.type === "list-item" ? 1 : 0;
    const level = part !== undefined && "level" in part ? (part.level ?? usual) : usual;
    return { start: unit.start, end: unit.end, type: unit.type, level, header };
  });
  const placed = unitsIn({ text, blocks, units }).map((unit) => ({ ...unit, headingPath: [...headingPath, ...unit.headingPath] }));
  return {
    sid: "S1",
    chunkId: `${document}-0`,
    document: {
      id: document,
      path: `${document}.md`,
      title,
      url: `https://example.org/${document}/`,
      asOf: null,
      authority: null,
      version: "v1",
      originalHash: "hash",
      normaliser: "1",
      blocks,
      sourceMap: [0, text.length, 0, text.length],
    },
    headingPath,
    range,
    window: range,
    text,
    units: placed,
    scores: { dense: null, bm25: null, fused: 1, cross: null, ...scores },
  };
}

export function fakeEvidence(passage: Passage, over: Partial<Evidence> = {}): Evidence {
  return { passage, verdict: "verified", relevance: 1, consistency: null, agreement: null, score: 1, reason: "", ...over };
}

export function fakeQuestion(text: string, over: Partial<Question> = {}): Question {
  const scope = { domain: "d", tenant: null, access: ["public"] };
  return {
    text,
    resolved: text,
    scope,
    profile: "p",
    detail: "normal",
    sessionId: null,
    selection: null,
    history: [],
    injectionSignals: [],
    ...over,
  };
}

/**
 * Creates a tokeniser for tests. It returns lower-case tokens without stop words. Each token has weight 1, unless
 * `weights` sets another one.
 */
export function fakeWords(weights: Readonly<Record<string, number>> = {}) {
  const SMALL = new Set(["a", "an", "the", "is", "of", "what", "how", "much", "does", "do", "to"]);
  const tokens = (text: string) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL.has(word));
  return { tokens, questionTokens: tokens, idf: (token: string) => weights[token] ?? 1 };
}
