import { openSharedReader } from "../../src/cross-encoder/create-reader.ts";
import type { ReadTexts } from "../../src/cross-encoder/reader.ts";
import { createRandom, mean, quantile } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type Report, type TableRow } from "../../src/grading/report.ts";
import { holdsToken } from "../../src/grading/score-answer.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../../src/models/embedded-encoder.ts";
import type { Encoder } from "../../src/models/encoder.ts";
import type { Profile } from "../../src/profiles/profile.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { type RankingWeights, readRankingWeights } from "../../src/ranking/features.ts";
import { rankCandidates, withFollowing } from "../../src/ranking/rank.ts";
import { DomainIndex } from "../../src/retrieval/domain-index.ts";
import { EmbeddedEngine } from "../../src/retrieval/embedded-engine.ts";
import { type RetrieveParts, retrievePassages } from "../../src/retrieval/retrieve.ts";
import { questionWords } from "../../src/retrieval/understand.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { DraftSentence, Evidence, Passage, Question } from "../../src/shared/types.ts";
import type { DocumentStore } from "../../src/store/documents.ts";
import type { EmbeddingStore } from "../../src/store/embeddings.ts";
import { nameCells, readCells } from "../../src/text/units.ts";
import { ANSWER_WORDS, chooseQuotes, type QuoteWords, writeExtractive } from "../../src/writing/quotes.ts";
import {
  EXTRACT_EXPOSURES,
  type ExtractPart,
  type ExtractQuestion,
  type ExtractSet,
  type ExtractSetName,
  type Gold,
  readExtractSet,
} from "../sets/extract-sets.ts";
import { pairedBootstrap } from "./ranking-metrics.ts";

export interface ExtractOptions {
  readonly data: string;
  readonly sets: readonly ExtractSetName[];
  readonly part: ExtractPart;
  /** Maximum number of questions per set, sampled with the seed. */
  readonly limit: number;
  readonly profile: Profile;
  readonly encoder: EmbeddedEncoder;
  readonly weights: RankingWeights;
  /** Cross-encoder; `null`: not used. */
  readonly read: ReadTexts | null;
  readonly command: string;
  readonly signal: AbortSignal;
}

export type ExtractEvent =
  | { readonly type: "progress"; readonly what: string }
  | { readonly type: "report"; readonly report: Report; readonly table: readonly TableRow[] };

/** A question with its retrieved evidence. */
export interface AskedQuestion {
  readonly question: ExtractQuestion;
  readonly evidence: readonly Evidence[];
  readonly words: QuoteWords;
}

const SEED = 1;

/** Creates the evaluation with the shipped encoder, weights and profile. */
export function createExtractEvaluation(
  options: Omit<ExtractOptions, "profile" | "encoder" | "weights" | "read">,
): AsyncGenerator<ExtractEvent, void> {
  const encoder = sharedEncoder();
  const reader = openSharedReader();
  return evaluateExtract({
    ...options,
    profile: sourcebound,
    encoder,
    weights: readRankingWeights(),
    read: (texts, signal) => reader.read(texts, signal),
  });
}

/**
 * Evaluates the extractive writer on questions with annotated answers. Of the questions for which a retrieved passage contains the answer,
 * counts the answers that contain it, and their words. There is no answerability decision: only quote selection is measured.
 */
export async function* evaluateExtract(options: ExtractOptions): AsyncGenerator<ExtractEvent, void> {
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const timings: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const items: Record<string, unknown>[] = [];
  let any = false;
  for (const name of options.sets) {
    options.signal.throwIfAborted();
    const set = readExtractSet(name, options.data, options.part);
    if (set === null) {
      table.push({ name, figure: "absent", note: "no such folder" });
      continue;
    }
    any = true;
    yield { type: "progress", what: `${name}: ${set.documents.length} documents` };
    const judged: Judged[] = [];
    for await (const asked of askAll(set, options)) judged.push(await judge(asked, options));
    report(name, set, judged, { metrics, n, timings, table, items });
  }
  if (!any)
    throw new RequestError(
      "data_missing",
      `${options.data} holds none of ${options.sets.join(", ")}: give the folder that holds a folder of each with --data DIR.`,
    );
  const { command } = options;
  yield { type: "report", report: makeReport({ name: "extract", command, seed: SEED, n, metrics, timings, items }), table };
}

/** Yields every question of a set with its passages, retrieved as the profile does. */
export async function* askAll(
  set: ExtractSet,
  { profile, encoder, limit, signal }: Pick<ExtractOptions, "profile" | "encoder" | "limit" | "signal">,
): AsyncGenerator<AskedQuestion, void> {
  const parts = await createParts(set, encoder);
  for (const question of draw(set.questions, limit)) {
    signal.throwIfAborted();
    const asked = toQuestion(question);
    const { passages } = await retrievePassages(asked, profile.retrieve, parts, signal);
    const understood = await parts.corpus.understand(asked, profile.retrieve.query);
    const words = await parts.corpus.wordsIn(asked.scope, [asked.resolved, understood.text]);
    yield { question, evidence: passages.map(toEvidence), words: questionWords(understood, understood, words) };
  }
}

interface Judged {
  readonly question: ExtractQuestion;
  /** Whether a retrieved passage contains the answer. */
  readonly found: boolean;
  readonly held: boolean;
  readonly words: number;
  readonly exact: boolean;
  readonly ms: number;
}

async function judge({ question, evidence, words }: AskedQuestion, options: ExtractOptions): Promise<Judged> {
  const { profile, encoder, weights, read, signal } = options;
  const begun = performance.now();
  const embed = (texts: readonly string[]) => encoder.embedSync(texts);
  const choice = await rankCandidates(question.text, evidence, words, { maxCharacters: 1200, embed, read, weights, signal });
  const followed = read === null ? choice : await withFollowing(question.text, choice, read, signal);
  const candidates = chooseQuotes(followed, words, 12);
  const drafts = writeExtractive(candidates, { quotes: profile.write.sentences.normal, words: ANSWER_WORDS.normal });
  const ms = performance.now() - begun;
  return { question, ...judgeDrafts(question.gold, drafts, evidence), ms };
}

/** Scores an answer against the annotations. */
export function judgeDrafts(gold: Gold, drafts: readonly DraftSentence[], evidence: readonly Evidence[]): Omit<Judged, "question" | "ms"> {
  const quotes = drafts.flatMap((draft) => draft.quotes);
  const text = drafts.map(readDraft).join("\n");
  return {
    found: evidence.some(({ passage }) => standsIn(gold, passage)),
    held:
      gold.type === "values"
        ? gold.values.every((value) => holdsToken(text, value))
        : quotes.some(({ passage, start, end }) => passage.document.id === gold.document && overlaps(gold, start, end)),
    words: text.split(/\s+/).filter((word) => word !== "").length,
    exact: quotes.every(
      ({ passage, start, end, text: quoted }) => passage.text.slice(start - passage.range.start, end - passage.range.start) === quoted,
    ),
  };
}

/** Renders a draft as people see it: a table row with its column names. */
function readDraft({ text, quotes: [quote] }: DraftSentence): string {
  const cells = quote?.header === undefined || quote.text !== text ? null : nameCells(quote.header.text, text);
  return cells === null ? text : readCells(cells);
}

export function standsIn(gold: Gold, { document, range, text }: Passage): boolean {
  if (gold.type === "values") return gold.documents.has(document.id) && gold.values.every((value) => holdsToken(text, value));
  return gold.document === document.id && overlaps(gold, range.start, range.end);
}

function overlaps({ ranges }: Extract<Gold, { type: "spans" }>, start: number, end: number): boolean {
  return ranges.some((range) => range.start < end && start < range.end);
}

interface Sheet {
  readonly metrics: Record<string, number | null>;
  readonly n: Record<string, number>;
  readonly timings: Record<string, number | null>;
  readonly table: TableRow[];
  readonly items: Record<string, unknown>[];
}

function report(name: string, set: ExtractSet, judged: readonly Judged[], { metrics, n, timings, table, items }: Sheet): void {
  const found = judged.filter((one) => one.found);
  const held = found.filter((one) => one.held).length;
  const words = quantile(
    found.map((one) => one.words),
    0.5,
  );
  n[`${name}.documents`] = set.documents.length;
  n[`${name}.questions`] = judged.length;
  n[`${name}.found`] = found.length;
  metrics[`${name}.found`] = judged.length === 0 ? null : found.length / judged.length;
  metrics[`${name}.held`] = found.length === 0 ? null : held / found.length;
  metrics[`${name}.words.median`] = words;
  metrics[`${name}.words.mean`] = mean(found.map((one) => one.words));
  metrics[`${name}.exact`] = judged.length === 0 ? null : judged.filter((one) => one.exact).length / judged.length;
  timings[`${name}.choose_ms.median`] = quantile(
    judged.map(({ ms }) => ms),
    0.5,
  );
  timings[`${name}.choose_ms.p95`] = quantile(
    judged.map(({ ms }) => ms),
    0.95,
  );
  table.push({
    name,
    figure: "",
    note: `${judged.length} questions, ${set.documents.length} documents; ${EXTRACT_EXPOSURES[set.exposure]}`,
  });
  table.push(countRow("  found", found.length, judged.length, "a passage that was handed on holds the answer"));
  table.push(clusterRow("  held", found, held));
  table.push({
    name: "  words",
    figure: `${words ?? "–"}`,
    note: `median of an answer; mean ${metrics[`${name}.words.mean`]?.toFixed(0) ?? "–"}`,
  });
  table.push({
    name: "  time",
    figure: `${timings[`${name}.choose_ms.median`]?.toFixed(2)} ms`,
    note: `p95 ${timings[`${name}.choose_ms.p95`]?.toFixed(2)} ms`,
  });
  items.push(...judged.map(({ question, ms: _, ...one }) => ({ set: name, question: question.text, scope: question.scope, ...one })));
}

/**
 * Formats a share with an interval that resamples whole sources, because questions about one source are not independent; with one question
 * per source it is the Wilson interval.
 */
function clusterRow(name: string, found: readonly Judged[], held: number): TableRow {
  const note = "of those, the answer holds it";
  const clusters = found.map(({ question }) => question.cluster);
  const sources = new Set(clusters).size;
  if (sources === found.length) return countRow(name, held, found.length, note);
  const figure = `${held} of ${found.length}`;
  const values = found.map((one) => (one.held ? 1 : 0));
  const drawn = sources === 1 ? null : pairedBootstrap(values, Array<number>(values.length).fill(0), clusters, { seed: SEED });
  if (drawn === null) return { name, figure, interval: decimal(held / found.length), note: `${note}; one source, so no interval` };
  return { name, figure, interval: `${decimal(held / found.length)} [${decimal(drawn.low)}, ${decimal(drawn.high)}]`, note };
}

/** Creates the product's index over documents without a store. */
export async function createParts(set: Pick<ExtractSet, "documents">, encoder: Encoder | null): Promise<RetrieveParts> {
  const byId = new Map(set.documents.map((document) => [document.id, document]));
  const load: DocumentStore["load"] = async ({ tenant }, ids) => {
    const seen = ids.flatMap((id) => byId.get(id) ?? []).filter((document) => document.tenant === null || document.tenant === tenant);
    return new Map(seen.map((document) => [document.id, document]));
  };
  const documents: Pick<DocumentStore, "revision" | "heads" | "changedSince" | "loadForIndex" | "load" | "outlines"> = {
    revision: async () => 1,
    heads: async () => byId,
    changedSince: async () => [],
    loadForIndex: async (_domain, ids) => ids.flatMap((id) => byId.get(id) ?? []),
    load,
    outlines: async () => [],
  };
  const embeddings: EmbeddingStore = { get: async () => new Map(), put: async () => undefined };
  const corpus = new DomainIndex({
    domain: "set",
    engine: new EmbeddedEngine({ domain: "set" }),
    documents,
    embeddings,
    encoder,
    batch: 256,
  });
  await corpus.sync();
  return { corpus, documents, encoder };
}

function toQuestion({ text, scope }: ExtractQuestion): Question {
  return {
    text,
    resolved: text,
    scope: { domain: "set", tenant: scope, access: ["public"] },
    profile: "",
    detail: "normal",
    sessionId: null,
    selection: null,
    history: [],
    injectionSignals: [],
  };
}

function toEvidence(passage: Passage): Evidence {
  return { passage, verdict: "verified", relevance: null, consistency: null, agreement: null, score: 1, reason: "" };
}

function draw<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items];
  const random = createRandom(SEED);
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, limit)
    .map(({ item }) => item);
}
