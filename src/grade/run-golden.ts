import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Config, embeddedIn } from "../config.ts";
import type { Engine } from "../engine/engine-types.ts";
import { IngestError } from "../errors.ts";
import type { Answer } from "../types.ts";
import { readableText } from "../write/render.ts";
import type { GoldenItem } from "./golden-item.ts";
import { locatePlaces } from "./golden-places.ts";
import type { GoldenSet } from "./golden-set.ts";
import { type Judgement, judgeAnswerable, judgeUnanswerable } from "./judge-golden.ts";

/** What a run needs of an engine: what everybody uses. */
export type GoldenEngine = Pick<Engine, "answer" | "ingest" | "close" | "store" | "scope">;

export interface GoldenRunOptions {
  readonly config: Config;
  /** Pack whose vocabulary applies. @default none: a pack without any words of its own */
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Answers may come from the cache. @default false */
  readonly cache?: boolean;
  readonly signal: AbortSignal;
  readonly openEngine: (config: Config) => Promise<GoldenEngine>;
}

/** What was read, and how long it took. */
export interface Ingested {
  readonly documents: number;
  readonly chunks: number;
  readonly ms: number;
}

/** An engine of its own over the documents of a set, in a folder that goes when it closes. */
export interface OpenedSet<E extends GoldenEngine = GoldenEngine> {
  readonly engine: E;
  readonly domain: string;
  readonly ingested: Ingested;
  close(): Promise<void>;
}

/** Name of the pack without words of its own. */
const NEUTRAL = "documents";

/** @throws IngestError when the documents cannot be read to their end */
export async function openGoldenSet<E extends GoldenEngine>(
  { name, corpus, documents, tenants = {} }: Pick<GoldenSet, "name" | "corpus" | "documents"> & Partial<Pick<GoldenSet, "tenants">>,
  options: Omit<GoldenRunOptions, "openEngine"> & { readonly openEngine: (config: Config) => Promise<E> },
): Promise<OpenedSet<E>> {
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
    let ingested = await ingestAll(engine, resolve(documents), reading);
    for (const [tenant, own] of Object.entries(tenants)) {
      ingested = sumOf(ingested, await ingestAll(engine, resolve(own), { ...reading, tenant }));
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

async function ingestAll(engine: GoldenEngine, documents: string, options: Parameters<GoldenEngine["ingest"]>[1]): Promise<Ingested> {
  for await (const event of engine.ingest(documents, options)) {
    if (event.type === "ingest-end") return { documents: event.counts.added, chunks: event.chunks, ms: event.ms };
  }
  throw new IngestError("ingest_unfinished", `${documents} was not ingested to its end.`);
}

function sumOf(one: Ingested, other: Ingested): Ingested {
  return { documents: one.documents + other.documents, chunks: one.chunks + other.chunks, ms: one.ms + other.ms };
}

export type GoldenEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | {
      readonly type: "judged";
      readonly items: readonly GoldenItem[];
      readonly latenciesMs: readonly number[];
      readonly ingested: Ingested;
    };

/** Asks every question of a set as a user would, and judges the answers. */
export async function* runGolden(set: GoldenSet, options: GoldenRunOptions): AsyncGenerator<GoldenEvent, void> {
  yield { type: "progress", done: 0, total: set.answerable.length + set.unanswerable.length, what: `${set.name}: reading documents` };
  const opened = await openGoldenSet(set, options);
  try {
    yield* askGolden(set, opened, options);
  } finally {
    await opened.close();
  }
}

async function* askGolden(
  set: GoldenSet,
  { engine, domain, ingested }: OpenedSet,
  { profile, signal }: GoldenRunOptions,
): AsyncGenerator<GoldenEvent, void> {
  const everyone = [undefined, ...Object.keys(set.tenants)];
  const outlines = await Promise.all(everyone.map((tenant) => engine.store.documents.outlines(engine.scope({ domain, tenant }))));
  const places = locatePlaces(set, [...new Set(outlines.flat().map(({ path }) => path))]);
  const ask = (question: string, tenant: string | null = null) => engine.answer(question, { domain, tenant, profile, signal });
  // The first question loads what later ones find loaded.
  await ask("warm up");
  const total = set.answerable.length + set.unanswerable.length;
  const items: GoldenItem[] = [];
  const latenciesMs: number[] = [];
  const record = (answer: Answer, item: Asked, judged: Judgement) => {
    items.push(describe(set.name, answer, item, judged));
    latenciesMs.push(answer.latencyMs);
  };
  const next = async (question: string) => {
    // Without a model nothing waits for anything outside: only here is a Ctrl-C heard.
    await setImmediate();
    signal.throwIfAborted();
    return { type: "progress" as const, done: items.length, total, what: `${set.name}: ${question}` };
  };
  for (const one of set.answerable) {
    yield await next(one.question);
    const answer = await ask(one.question, one.tenant);
    const item = { id: one.id, kind: "answerable" as const, needs: one.needs, cluster: `${set.name}/${one.gold_pages[0]}` };
    record(answer, item, judgeAnswerable(answer, one, places));
  }
  for (const one of set.unanswerable) {
    yield await next(one.question);
    const answer = await ask(one.question, one.tenant);
    record(answer, { id: one.id, kind: one.kind, needs: "", cluster: `${set.name}/${one.id}` }, judgeUnanswerable(answer, one, places));
  }
  yield { type: "judged", items, latenciesMs, ingested };
}

type Asked = Pick<GoldenItem, "id" | "kind" | "needs" | "cluster">;

function describe(domain: string, answer: Answer, item: Asked, judged: Judgement): GoldenItem {
  const sentences = answer.sentences.map((sentence) => ({
    text: readableText(sentence, answer.citations),
    citations: [...sentence.citations],
  }));
  return {
    domain,
    id: item.id,
    question: answer.question,
    kind: item.kind,
    needs: item.needs,
    cluster: item.cluster,
    ...judged,
    lacks: [...judged.lacks],
    holds: [...judged.holds],
    confidence: answer.confidence,
    words: sentences.reduce((sum, { text }) => sum + text.split(/\s+/).filter((word) => word !== "").length, 0),
    refusal: answer.status === "ok" ? null : (answer.refusal?.reason ?? answer.status),
    sentences: answer.status === "ok" ? sentences : [],
    citations: answer.citations.map(({ n, original, title, headingPath, quote }) => ({
      n,
      path: original.path,
      start: original.start,
      end: original.end,
      title,
      heading: headingPath.at(-1) ?? "",
      quote,
    })),
  };
}
