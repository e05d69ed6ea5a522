import { createHash } from "node:crypto";
import type { AnswerEvent } from "../shared/events.ts";
import type { Answer, AnswerSentence, Citation, ConflictSide, NearMiss, Refusal } from "../shared/types.ts";

/** A passage of a sample document, for citations to quote. */
export interface SamplePassage {
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
  readonly headingPath: readonly string[];
  readonly path: string;
  readonly context: string;
}

/** Returns a passage without URL, date and headings. `parts` can add them. */
export function samplePage(parts: Partial<SamplePassage> & Pick<SamplePassage, "context">): SamplePassage {
  return { title: "Page", url: null, asOf: null, headingPath: [], path: "page.md", ...parts };
}

/** Returns a citation of `quote`. @throws Error if the passage does not contain it */
export function sampleCitation(n: number, passage: SamplePassage, quote: string): Citation {
  const quoteStart = passage.context.indexOf(quote);
  if (quoteStart < 0) throw new Error(`the passage does not hold ${JSON.stringify(quote)}`);
  const sha256 = createHash("sha256").update(passage.context).digest("hex");
  const range = { start: 1000 + quoteStart, end: 1000 + quoteStart + quote.length };
  return {
    n,
    ...range,
    documentId: `doc-${passage.path}`,
    documentVersion: sha256,
    chunkId: `chunk-${passage.path}`,
    url: passage.url,
    title: passage.title,
    asOf: passage.asOf,
    quote,
    context: passage.context,
    quoteStart,
    headingPath: passage.headingPath,
    original: { path: passage.path, unit: "utf16", ...range, sha256, normaliser: "test-1" },
  };
}

/** Returns a complete sample answer; `parts` replaces its fields. */
export function sampleAnswer(parts: Partial<Answer> & { readonly question: string }): Answer {
  const sentences = parts.sentences ?? [];
  return {
    id: "answer-1",
    status: parts.refusal ? "insufficient_context" : "ok",
    domain: "veterans",
    profile: "sourcebound",
    sentences,
    confidence: parts.refusal ? 0.21 : 0.93,
    confidenceCalibrated: false,
    claims: sentences.map(({ text, citations }, sentence) => ({
      sentence,
      text,
      status: "supported",
      citations,
      reason: "is the quote",
    })),
    citations: [],
    evidence: [],
    conflicts: [],
    checks: [{ name: "citations", verdict: "pass", score: 1, reason: "every sentence is an exact quote", spans: [], sentence: null }],
    warnings: [],
    refusal: null,
    cacheMode: "miss",
    tokenUsage: { verification: 0, compression: 0, answer: 0, total: 0 },
    costUsd: 0,
    calls: [],
    timings: { retrieve: 2.1, write: 0.4 },
    latencyMs: 6.2,
    model: "extractive",
    sessionId: "session-1",
    ...parts,
  };
}

/** Returns one side of a sample conflict; `parts` replaces its fields. */
export function sampleSide(title: string, value: string, parts: Partial<ConflictSide> = {}): ConflictSide {
  return {
    sid: "S1",
    value,
    quote: value,
    start: 0,
    end: value.length,
    documentId: title,
    documentVersion: "v1",
    title,
    url: null,
    asOf: null,
    ...parts,
  };
}

/** Returns a sample near miss; `parts` replaces its fields. */
export function sampleNearMiss(title: string, parts: Partial<NearMiss> = {}): NearMiss {
  return {
    title,
    heading: null,
    url: null,
    documentId: `doc-${title}`,
    documentVersion: "v1",
    original: { path: `${title}.md`, unit: "utf16", start: 0, end: 100 },
    quote: null,
    missing: [],
    missingValues: [],
    ...parts,
  };
}

/** Returns a sample refusal; `parts` replaces its fields. */
export function sampleRefusal(parts: Partial<Refusal> = {}): Refusal {
  return {
    reason: "nothing_relevant",
    message: "I did not find enough in the documents to answer this reliably.",
    note: "Not finding an answer here settles nothing.",
    searched: {
      documents: 28,
      chunks: 312,
      revision: 4,
      asOf: { from: "2024-03-01", to: "2026-01-15", undated: 2 },
      unreadable: [],
      unreadableCount: 0,
    },
    nearest: [],
    contacts: [],
    ...parts,
  };
}

/** Yields the events of an answer in the order of an engine: stages, sentences with their citations, the answer. */
export function* eventsOf(answer: Answer): Generator<AnswerEvent, void> {
  for (const stage of ["admit", "lookup", "retrieve", "verify", "decide", "compress", "write"] as const) {
    yield { type: `${stage}-start` };
    yield { type: `${stage}-end`, ms: 0.5, facts: {} };
  }
  yield { type: "check-start" };
  for (const [index, sentence] of answer.sentences.entries()) yield sentenceEvent(answer, index, sentence);
  yield { type: "check-end", ms: 0.2, facts: { sentences: answer.sentences.length } };
  yield { type: "answer", answer };
}

function sentenceEvent(answer: Answer, index: number, sentence: AnswerSentence): AnswerEvent {
  const citations = sentence.citations.flatMap((n) => answer.citations.filter((citation) => citation.n === n));
  return { type: "sentence", index, sentence, citations };
}
