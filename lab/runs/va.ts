import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { judgeAnswer } from "../../src/grading/ask-labelled.ts";
import {
  answerableSchema,
  type GoldenAnswerable,
  type GoldenUnanswerable,
  readGolden,
  UNANSWERABLE_KINDS,
  unanswerableSchema,
} from "../../src/grading/golden.ts";
import { mean, quantile } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type Report, type TableRow } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import type { RetrieveSettings } from "../../src/profiles/profile.ts";
import { retrievePassages } from "../../src/retrieval/retrieve.ts";
import { type Config, embeddedIn } from "../../src/shared/config.ts";
import { IngestError } from "../../src/shared/errors.ts";
import type { Question } from "../../src/shared/types.ts";
import { hitAt, ndcgAt, recallAt, reciprocalRank } from "./ranking-metrics.ts";
import { standsInFile } from "./stands-in-file.ts";

export interface VaOptions {
  /** Folder with `pages/`; page ids are relative to it. */
  readonly corpus: string;
  readonly golden: string;
  readonly baseUrl?: string | undefined;
  readonly profile?: string | undefined;
  readonly domain?: string | undefined;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

export type EvaluateEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | { readonly type: "report"; readonly report: Report; readonly table: readonly TableRow[] };

/** Number of pages ranked. */
const DEPTH = 10;
/** Number of passages retrieved to obtain ten different pages. */
const PASSAGES = 60;

/** Evaluates retrieval, refusals and key values on a golden set over a folder of pages. */
export async function* evaluateVa(options: VaOptions): AsyncGenerator<EvaluateEvent, void> {
  const answerable = readGolden(options.golden, "va-answerable", answerableSchema);
  const unanswerable = readGolden(options.golden, "va-unanswerable", unanswerableSchema);
  const total = answerable.length + unanswerable.length;
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-eval-"));
  const engine = await createEngine({ ...embeddedIn(options.config, dataDir), cache: { ...options.config.cache, enabled: false } });
  try {
    yield { type: "progress", done: 0, total, what: "ingesting" };
    const ingested = await ingestCorpus(engine, options);
    await engine.answer("warm up", { domain: options.domain, profile: options.profile });
    const judgedAnswerable: JudgedAnswerable[] = [];
    for (const item of answerable) {
      options.signal.throwIfAborted();
      judgedAnswerable.push(await judgeAnswerable(engine, item, options));
      yield { type: "progress", done: judgedAnswerable.length, total, what: item.question };
    }
    const judgedUnanswerable: JudgedUnanswerable[] = [];
    for (const item of unanswerable) {
      options.signal.throwIfAborted();
      const answer = await engine.answer(item.question, { domain: options.domain, profile: options.profile });
      judgedUnanswerable.push({ item, refused: answer.status !== "ok", confidence: answer.confidence, latencyMs: answer.latencyMs });
      yield { type: "progress", done: answerable.length + judgedUnanswerable.length, total, what: item.question };
    }
    yield { type: "report", ...summarize(options, ingested, judgedAnswerable, judgedUnanswerable) };
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface JudgedAnswerable {
  readonly item: GoldenAnswerable;
  readonly pages: readonly string[];
  readonly answered: boolean;
  readonly keyValuesHeld: boolean | null;
  readonly goldQuoted: boolean;
  readonly wrong: boolean;
  readonly words: number;
  readonly exactQuotes: boolean;
  readonly confidence: number | null;
  readonly latencyMs: number;
}

interface JudgedUnanswerable {
  readonly item: GoldenUnanswerable;
  readonly refused: boolean;
  readonly confidence: number | null;
  readonly latencyMs: number;
}

export async function ingestCorpus(
  engine: Engine,
  { corpus, baseUrl, domain, signal }: Pick<VaOptions, "corpus" | "baseUrl" | "domain" | "signal">,
): Promise<{ ms: number; documents: number; chunks: number }> {
  const root = resolve(corpus);
  for await (const event of engine.ingest(join(root, "pages"), { root, baseUrl, domain, signal })) {
    if (event.type === "ingest-end") return { ms: event.ms, documents: event.counts.added, chunks: event.chunks };
  }
  throw new IngestError("ingest_unfinished", `${corpus} was not ingested to its end.`);
}

async function judgeAnswerable(engine: Engine, item: GoldenAnswerable, options: VaOptions): Promise<JudgedAnswerable> {
  const gold = goldRanges(item, options.corpus);
  const pages = await rankPages(engine, item.question, options);
  const answer = await engine.answer(item.question, { domain: options.domain, profile: options.profile });
  const { text, ...judged } = judgeAnswer(answer, item.key_values, ({ original }) =>
    gold.some(({ page, start, end }) => page === original.path && original.start < end && start < original.end),
  );
  return {
    item,
    pages,
    ...judged,
    words: text.split(/\s+/).filter((word) => word !== "").length,
    exactQuotes: answer.citations.every((citation) => standsInFile(citation, options.corpus)),
    confidence: answer.confidence,
    latencyMs: answer.latencyMs,
  };
}

export interface RankOptions extends Pick<VaOptions, "domain" | "profile" | "signal"> {
  /** Settings that override the profile's. */
  readonly retrieve?: Partial<RetrieveSettings>;
}

/** Ranks pages by their best passage, without duplicates, with the retrieval of an answer but more passages. */
export async function rankPages(
  engine: Engine,
  text: string,
  { domain, profile: name, signal, retrieve = {} }: RankOptions,
): Promise<string[]> {
  const pack = engine.domain(domain);
  const profile = profileNamed(name ?? engine.config.profile ?? pack.default_profile);
  const scope = { domain: pack.name, tenant: null, access: engine.config.access };
  const question: Question = {
    text,
    resolved: text,
    scope,
    profile: profile.name,
    detail: "normal",
    sessionId: null,
    selection: null,
    history: [],
    injectionSignals: [],
  };
  const settings = { ...profile.retrieve, ...retrieve, candidates: Math.max(PASSAGES, profile.retrieve.candidates), passages: PASSAGES };
  const { passages } = await retrievePassages(question, settings, await engine.pipelineContext(pack.name, profile.name), signal);
  return [...new Set(passages.map(({ document }) => document.path))].slice(0, DEPTH);
}

function goldRanges(item: GoldenAnswerable, corpus: string): { page: string; start: number; end: number }[] {
  return item.gold_pages.flatMap((page) => {
    const original = readFileSync(join(corpus, page), "utf8");
    return item.gold_quotes.flatMap((quote) => {
      const start = original.indexOf(quote);
      return start < 0 ? [] : [{ page, start, end: start + quote.length }];
    });
  });
}

function summarize(
  options: VaOptions,
  ingested: { ms: number; documents: number; chunks: number },
  answerable: readonly JudgedAnswerable[],
  unanswerable: readonly JudgedUnanswerable[],
): { report: Report; table: TableRow[] } {
  const metrics: Record<string, number | null> = {};
  const table: TableRow[] = [];
  const goldOf = ({ item }: JudgedAnswerable) => new Set(item.gold_pages);
  for (const k of [1, 5, 10]) {
    const hits = answerable.filter((one) => hitAt(one.pages, goldOf(one), k) === 1).length;
    metrics[`hit@${k}`] = ratio(hits, answerable.length);
    table.push(countRow(`hit@${k}`, hits, answerable.length));
    for (const difficulty of ["easy", "medium", "hard"] as const) {
      const some = answerable.filter(({ item }) => item.difficulty === difficulty);
      const found = some.filter((one) => hitAt(one.pages, goldOf(one), k) === 1).length;
      metrics[`hit@${k}.${difficulty}`] = ratio(found, some.length);
      table.push(countRow(`hit@${k}.${difficulty}`, found, some.length));
    }
  }
  metrics["recall@10"] = mean(answerable.flatMap((one) => recallAt(one.pages, goldOf(one), 10) ?? []));
  metrics["ndcg@10"] = mean(answerable.flatMap((one) => ndcgAt(one.pages, goldOf(one), 10) ?? []));
  metrics.mrr = mean(answerable.map((one) => reciprocalRank(one.pages, goldOf(one))));
  for (const difficulty of ["easy", "medium", "hard"] as const) {
    metrics[`mrr.${difficulty}`] = mean(
      answerable.filter(({ item }) => item.difficulty === difficulty).map((one) => reciprocalRank(one.pages, goldOf(one))),
    );
  }
  for (const name of ["recall@10", "ndcg@10", "mrr", "mrr.easy", "mrr.medium", "mrr.hard"]) {
    table.push({ name, figure: decimal(metrics[name] ?? null), ...(name === "mrr" ? { note: "spark claims .82 on its own corpus" } : {}) });
  }

  const answered = answerable.filter((one) => one.answered);
  const withValues = answered.filter(({ keyValuesHeld }) => keyValuesHeld !== null);
  const held = withValues.filter(({ keyValuesHeld }) => keyValuesHeld === true).length;
  metrics["answered.answerable"] = ratio(answered.length, answerable.length);
  metrics.key_values = ratio(held, withValues.length);
  table.push(
    countRow("answered.answerable", answered.length, answerable.length),
    countRow("key_values", held, withValues.length, "answered, all key values in the text"),
  );
  for (const kind of UNANSWERABLE_KINDS) {
    const some = unanswerable.filter(({ item }) => item.kind === kind);
    if (some.length === 0) continue;
    const refused = some.filter((one) => one.refused).length;
    metrics[`refused.${kind}`] = ratio(refused, some.length);
    table.push(countRow(`refused.${kind}`, refused, some.length));
  }
  const wrong = answered.filter((one) => one.wrong).length + unanswerable.filter((one) => !one.refused).length;
  const shown = answered.length + unanswerable.filter((one) => !one.refused).length;
  metrics.wrong = ratio(wrong, shown);
  table.push(countRow("wrong", wrong, shown, "of all questions that got an answer"));
  const exact = answered.filter((one) => one.exactQuotes).length;
  metrics.exact_quotes = ratio(exact, answered.length);
  table.push(
    countRow(
      "exact_quotes",
      exact,
      answered.length,
      "answers whose every quote stands in the file as it lies there: same bytes read, every letter and digit in order, from the first to the last",
    ),
  );
  metrics["answer_words.median"] = quantile(
    answered.map(({ words }) => words),
    0.5,
  );
  table.push({ name: "answer_words.median", figure: String(metrics["answer_words.median"] ?? "–") });

  const latencies = [...answerable, ...unanswerable].map(({ latencyMs }) => latencyMs);
  const timings = { ingest_ms: ingested.ms, ask_ms_median: quantile(latencies, 0.5), ask_ms_p95: quantile(latencies, 0.95) };
  table.push(
    { name: "ingest", figure: `${(ingested.ms / 1000).toFixed(2)} s`, note: `${ingested.documents} documents, ${ingested.chunks} chunks` },
    { name: "ask, warm", figure: `${timings.ask_ms_median?.toFixed(1)} ms`, note: `p95 ${timings.ask_ms_p95?.toFixed(1)} ms` },
  );
  const items = [
    ...answerable.map(({ item, pages, answered, keyValuesHeld, goldQuoted, wrong, words, confidence }) => ({
      id: item.id,
      difficulty: item.difficulty,
      pages,
      rank: pages.findIndex((page) => item.gold_pages.includes(page)) + 1 || null,
      answered,
      key_values: keyValuesHeld,
      gold_quoted: goldQuoted,
      wrong,
      words,
      confidence,
    })),
    ...unanswerable.map(({ item, refused, confidence }) => ({ id: item.id, kind: item.kind, refused, confidence })),
  ];
  const n = { answerable: answerable.length, unanswerable: unanswerable.length, documents: ingested.documents, chunks: ingested.chunks };
  const report = makeReport({
    name: "va",
    command: options.command,
    n,
    metrics,
    timings,
    items,
  });
  return { report, table };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
