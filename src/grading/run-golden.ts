import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import { type Config, embeddedIn } from "../shared/config.ts";
import { IngestError, RequestError } from "../shared/errors.ts";
import type { Answer } from "../shared/types.ts";
import { lineText } from "../writing/lines.ts";
import { answerLines } from "../writing/render.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import type { GoldenAnswerable, GoldenUnanswerable } from "./golden.ts";
import type { GoldenItem } from "./golden-item.ts";
import { type GoldenPlaces, locatePlaces, standsAt } from "./golden-places.ts";
import type { GoldenSet } from "./golden-set.ts";
import { countedLines, holdsToken, scoreAnswer } from "./score-answer.ts";
export type GoldenEngine = Pick<Engine, "answer" | "ingest" | "close" | "store" | "scope">;

export interface OpenOptions {
  readonly config: Config;
  /** Domain pack whose vocabulary is used. @default a pack without vocabulary */
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** True to allow answers from the cache. @default false */
  readonly cache?: boolean;
  readonly signal: AbortSignal;
}

export interface GoldenRunOptions extends OpenOptions {
  readonly openEngine: (config: Config) => Promise<GoldenEngine>;
  readonly judge: ClaimJudge;
  /** Questions that an earlier run has judged, by id. They are not asked again. */
  readonly known?: ReadonlyMap<string, AskedItem>;
}

/** A judged question with its duration. */
export interface AskedItem {
  readonly item: GoldenItem;
  readonly latencyMs: number;
  /** Milliseconds spent on checks of the whole answer, including the grades of the profile; `null`: not checked. */
  readonly checkMs: number | null;
}

/** Numbers of documents and chunks that were ingested, and the duration in milliseconds. */
export type Ingested = Awaited<ReturnType<typeof ingestAll>>;

type OpenedSet = Awaited<ReturnType<typeof openGoldenSet<GoldenEngine>>>;

/** Name of the pack without vocabulary, used if no pack is chosen. */
const NEUTRAL = "documents";

/**
 * Opens an engine in a temporary folder and ingests the documents of a golden set. `close` deletes the folder.
 * @throws IngestError if ingestion does not finish
 */
export async function openGoldenSet<E extends GoldenEngine>(
  { name, corpus, documents, tenants = {} }: Pick<GoldenSet, "name" | "corpus" | "documents"> & Partial<Pick<GoldenSet, "tenants">>,
  options: OpenOptions & { readonly openEngine: (config: Config) => Promise<E> },
) {
  const { config, signal, cache = false, baseUrl } = options;
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-golden-"));
  const domain = options.domain ?? NEUTRAL;
  const domainsDir = options.domain === undefined ? writeNeutralPack(folder, name) : config.domains_dir;
  const own = { ...embeddedIn(config, join(folder, "data")), domain, domains_dir: domainsDir, cache: { ...config.cache, enabled: cache } };
  let engine: E | null = null;
  const close = async () => {
    await engine?.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    mkdirSync(own.data_dir);
    engine = await options.openEngine(own);
    const reading = { root: resolve(corpus), baseUrl, domain, signal };
    const ingested = await ingestAll(engine, resolve(documents), reading);
    for (const [tenant, folder] of Object.entries(tenants)) {
      const more = await ingestAll(engine, resolve(folder), { ...reading, tenant });
      for (const part of ["documents", "chunks", "ms"] as const) ingested[part] += more[part];
    }
    return { engine, domain, ingested, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function writeNeutralPack(folder: string, title: string): string {
  const packs = join(folder, "domains");
  mkdirSync(join(packs, NEUTRAL), { recursive: true });
  writeFileSync(join(packs, NEUTRAL, "domain.yaml"), `name: ${NEUTRAL}\ntitle: ${JSON.stringify(title)}\n`);
  return packs;
}

async function ingestAll(engine: GoldenEngine, documents: string, options: Parameters<GoldenEngine["ingest"]>[1]) {
  for await (const event of engine.ingest(documents, options)) {
    if (event.type === "ingest-end") return { documents: event.counts.added, chunks: event.chunks, ms: event.ms };
  }
  throw new IngestError("ingest_unfinished", `The ingest of ${documents} did not finish. Ingest that folder alone to see why.`);
}

export type GoldenEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | ({ readonly type: "item" } & AskedItem)
  | { readonly type: "judged"; readonly asked: readonly AskedItem[]; readonly ingested: Ingested };

/**
 * Asks every question of a golden set as a user would, and judges the answers. Yields each judged question as an `item`, so
 * that the caller can save it before the run ends.
 */
export async function* runGolden(set: GoldenSet, options: GoldenRunOptions): AsyncGenerator<GoldenEvent, void> {
  yield { type: "progress", done: 0, total: set.answerable.length + set.unanswerable.length, what: `${set.name}: reading documents` };
  const opened = await openGoldenSet(set, options);
  try {
    yield* askGolden(set, opened, options);
  } finally {
    await opened.close();
  }
}

type Asking =
  | { readonly kind: "answerable"; readonly one: GoldenAnswerable }
  | { readonly kind: GoldenUnanswerable["kind"]; readonly one: GoldenUnanswerable };

async function* askGolden(
  set: GoldenSet,
  { engine, domain, ingested }: OpenedSet,
  { profile, signal, judge, known = new Map() }: GoldenRunOptions,
): AsyncGenerator<GoldenEvent, void> {
  const everyone = [undefined, ...Object.keys(set.tenants)];
  const outlines = await Promise.all(everyone.map((tenant) => engine.store.documents.outlines(engine.scope({ domain, tenant }))));
  const places = locatePlaces(set, [...new Set(outlines.flat().map(({ path }) => path))]);
  const ask = (question: string, tenant: string | null = null) => engine.answer(question, { domain, tenant, profile, signal });
  const all: Asking[] = [
    ...set.answerable.map((one) => ({ kind: "answerable" as const, one })),
    ...set.unanswerable.map((one) => ({ kind: one.kind, one })),
  ];
  // The first question loads models. Ask one before the timed questions, so that their timings do not include the loading.
  if (all.some(({ one }) => !known.has(one.id))) await ask("warm up");
  const asked: AskedItem[] = [];
  for (const asking of all) {
    const { question, tenant, id } = asking.one;
    // Let the event loop run, so that Ctrl-C works. Without model calls, answering never waits for anything.
    await setImmediate();
    signal.throwIfAborted();
    yield { type: "progress", done: asked.length, total: all.length, what: `${set.name}: ${question}` };
    const before = known.get(id);
    if (before !== undefined) {
      asked.push(before);
      continue;
    }
    const began = performance.now();
    const answer = await ask(question, tenant).catch((error: unknown) => {
      // Record an invalid question, e.g. one that is too long, in its own item, and continue with the next question.
      if (error instanceof RequestError && !signal.aborted) return error;
      throw error;
    });
    const done =
      answer instanceof RequestError
        ? { item: unaskedItem(set.name, asking, answer), latencyMs: performance.now() - began, checkMs: null }
        : await judgeAsked(set.name, asking, answer, places, judge);
    asked.push(done);
    yield { type: "item", ...done };
  }
  yield { type: "judged", asked, ingested };
}

/** Returns the fields of an item that do not depend on the answer. */
function askedOf(set: string, asking: Asking): Pick<GoldenItem, "domain" | "id" | "kind" | "needs" | "cluster" | "gold"> {
  const { id } = asking.one;
  const isAnswerable = asking.kind === "answerable";
  return {
    ...{ domain: set, id, kind: asking.kind, needs: isAnswerable ? asking.one.needs : "" },
    cluster: `${set}/${isAnswerable ? (asking.one.gold_pages[0] ?? id) : id}`,
    gold: isAnswerable
      ? { answer: asking.one.answer, quotes: [...asking.one.gold_quotes], pages: [...asking.one.gold_pages] }
      : { answer: asking.one.why, quotes: [...asking.one.contradicting_quotes], pages: [] },
  };
}

/** Creates the item of a question that could not be asked. It has no verdict and no scores. */
function unaskedItem(set: string, asking: Asking, { code, message }: RequestError): GoldenItem {
  return {
    ...askedOf(set, asking),
    question: asking.one.question,
    ...{ shown: false, right: null, first: null, page: null, quoted: false, lacks: [], holds: [], confidence: null, words: 0 },
    ...{ refusal: message, sentences: [], citations: [], scores: {}, unscored: {}, faults: [], retrieved: [] },
    ...{ error: code, cost_usd: null, report: null },
  };
}

async function judgeAsked(set: string, asking: Asking, answer: Answer, places: GoldenPlaces, judge: ClaimJudge): Promise<AskedItem> {
  const isAnswerable = asking.kind === "answerable";
  const judged = isAnswerable ? judgeAnswerable(answer, asking.one, places) : judgeUnanswerable(answer, asking.one, places);
  const scored = await scoreAnswer(answer, isAnswerable ? asking.one : null, places, judge);
  const item = { ...askedOf(set, asking), question: answer.question, error: null, ...judged, ...describe(answer), ...scored };
  return { item, latencyMs: answer.latencyMs, checkMs: answer.timings.check ?? null };
}

function describe(answer: Answer) {
  const sentences = answerLines(answer).map((line) => ({ text: lineText(line), citations: [...line.citations] }));
  return {
    confidence: answer.confidence,
    words: sentences.reduce((sum, { text }) => sum + text.split(/\s+/).filter((word) => word !== "").length, 0),
    refusal: answer.status === "ok" ? null : (answer.refusal?.reason ?? answer.status),
    sentences: answer.status === "ok" ? sentences : [],
    citations: answer.citations.map(({ n, original: { path, start, end }, title, headingPath, quote }) => {
      return { n, path, start, end, title, heading: headingPath.at(-1) ?? "", quote };
    }),
  };
}

/**
 * Judgement of one golden question (docs/evaluate.md). `right` is `null` if the question has no label by which an answer
 * can be judged.
 */
type Judgement = Pick<GoldenItem, "shown" | "right" | "first" | "page" | "quoted" | "lacks" | "holds">;

/**
 * Judges the answer to an answerable question. It is right if it is shown and three conditions hold. First, a citation
 * overlaps an occurrence of a gold quote. Second, each key value occurs in the sentences that cite gold quotes, in these
 * quotes, or in their headings. Third, the answer contains no value of `must_not`. If no gold quote was found in the
 * documents, the first condition is dropped, and key values are searched in the whole answer.
 */
export function judgeAnswerable(
  answer: Answer,
  { id, gold_pages, key_values, must_not }: Pick<GoldenAnswerable, "id" | "gold_pages" | "key_values" | "must_not">,
  places: GoldenPlaces,
): Judgement {
  const shown = answer.status === "ok";
  const gold = places.gold(id);
  const bearing = new Set(answer.citations.filter((citation) => standsAt(citation, gold)).map(({ n }) => n));
  const unplaced = gold.size === 0;
  const text = bearingText(answer, countedLines(answer, key_values), unplaced ? null : bearing);
  const written = answerLines(answer).map(lineText).join("\n");
  const lacks = shown ? key_values.filter((value) => !holdsToken(text, value)) : [];
  const holds = shown ? must_not.filter((value) => holdsToken(written, value)) : [];
  const quoted = unplaced ? null : shown && bearing.size > 0;
  const untold = unplaced && key_values.length + must_not.length === 0;
  const right = untold ? null : (quoted ?? shown) && lacks.length === 0 && holds.length === 0;
  const first = right === true && !unplaced ? (answer.sentences[0]?.citations.some((n) => bearing.has(n)) ?? false) : null;
  const page = gold_pages.length === 0 ? null : shown && answer.citations.some(({ original }) => gold_pages.includes(original.path));
  return { shown, right, first, page, quoted, lacks, holds };
}

/** Judges the answer to an unanswerable question. It is right only if it quotes a text that contradicts the false premise. */
export function judgeUnanswerable(answer: Answer, { id }: Omit<GoldenUnanswerable, "tenant">, places: GoldenPlaces): Judgement {
  const shown = answer.status === "ok";
  const quoted = shown && answer.citations.some((citation) => standsAt(citation, places.contradicting(id)));
  return { shown, right: quoted, first: null, page: null, quoted, lacks: [], holds: [] };
}

/**
 * Returns the text in which key values are searched: the lines that cite gold quotes, and these quotes with their document
 * title, headings and table header.
 * @param bearing numbers of the citations of gold quotes; `null`: all citations
 */
function bearingText(answer: Answer, lines: ReturnType<typeof countedLines>, bearing: ReadonlySet<number> | null): string {
  const citingLines = lines.filter(({ citations }) => bearing === null || citations.some((n) => bearing.has(n)));
  const cited = answer.citations.filter(({ n }) => citingLines.some(({ citations }) => citations.includes(n)) && (bearing?.has(n) ?? true));
  const quotes = cited.flatMap(({ title, headingPath, quote, row }) => [title, ...headingPath, quote, row?.header.text ?? []].flat());
  return [...citingLines.map(lineText), ...quotes].join("\n");
}
