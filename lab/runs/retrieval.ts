import { createRandom, mean } from "../../src/grading/metrics.ts";
import { decimal, makeReport, type Report, type TableRow } from "../../src/grading/report.ts";
import type { Encoder } from "../../src/models/encoder.ts";
import type { DomainIndex } from "../../src/retrieval/domain-index.ts";
import type { QuestionVector } from "../../src/retrieval/search-engine.ts";
import type { Candidate } from "../../src/retrieval/top-k.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { progressOf } from "../../src/text/progress.ts";
import { createMemoryCorpus, scopeInSet } from "../sets/memory-corpus.ts";
import {
  EXPOSURES,
  RETRIEVAL_SETS,
  type RetrievalDocument,
  type RetrievalQuery,
  type RetrievalSet,
  type RetrievalSetName,
  readRetrievalSet,
} from "../sets/retrieval-sets.ts";
import { hitAt, ndcgAt, pairedBootstrap, precisionAt, recallAt, reciprocalRank } from "./ranking-metrics.ts";
import type { AbsentSystem, Comparison, IndexSystem, PeerSystem, RetrievalSystem } from "./retrieval-systems.ts";

export interface RetrievalOptions {
  readonly data: string;
  readonly sets: readonly RetrievalSetName[];
  /** The first is the baseline of the intervals. */
  readonly systems: readonly RetrievalSystem[];
  /** Additional differences to report; those of absent systems are omitted. */
  readonly comparisons: readonly Comparison[];
  readonly command: string;
  readonly signal: AbortSignal;
  /** Maximum number of questions per set, sampled with the seed. */
  readonly limit: number;
}

export type RetrievalEvent =
  | { readonly type: "progress"; readonly what: string }
  | { readonly type: "report"; readonly report: Report; readonly table: readonly TableRow[] };

type Values = Readonly<Record<string, readonly number[]>>;
/** Ranks documents for one question, best first. */
type Rank = (query: RetrievalQuery) => Promise<string[]>;

/** Number of documents ranked per question. */
const DEPTH = 50;
const SEED = 1;
/** Questions between two progress reports. */
const QUESTIONS_PER_STEP = 100;

const MEASURES: Readonly<Record<string, (ranked: readonly string[], gold: ReadonlySet<string>) => number | null>> = {
  "ndcg@10": (ranked, gold) => ndcgAt(ranked, gold, 10),
  "hit@5": (ranked, gold) => hitAt(ranked, gold, 5),
  "recall@10": (ranked, gold) => recallAt(ranked, gold, 10),
  "recall@50": (ranked, gold) => recallAt(ranked, gold, 50),
  "precision@8": (ranked, gold) => precisionAt(ranked, gold, 8),
  mrr: (ranked, gold) => reciprocalRank(ranked, gold),
};

interface Findings {
  readonly table: TableRow[];
  readonly metrics: Record<string, number | null>;
  readonly n: Record<string, number>;
  readonly items: Record<string, unknown>[];
  readonly outcomes: Outcomes;
}

/** Ranks the questions of every set with every system and compares each with the first. */
export async function* evaluateRetrieval(options: RetrievalOptions): AsyncGenerator<RetrievalEvent, void> {
  const absent = options.systems.filter((system) => system.type === "absent").map(absentRow);
  const findings: Findings = { table: absent, metrics: {}, n: {}, items: [], outcomes: new Outcomes() };
  for (const name of options.sets) {
    options.signal.throwIfAborted();
    const set = readRetrievalSet(name, options.data);
    if (set === null) findings.table.push({ name, figure: "absent", note: "no such folder" });
    else yield* evaluateSet(set, options, findings);
  }
  const { table, metrics, n, items, outcomes } = findings;
  if (Object.keys(n).length === 0) {
    const message = `${options.data} holds none of ${options.sets.join(", ")}: give the folder that holds a folder of each with --data DIR.`;
    throw new RequestError("data_missing", message);
  }
  const report = makeReport({
    name: "retrieval",
    command: options.command,
    versions: Object.fromEntries(options.systems.map((system) => [system.name, versionOf(system)])),
    seed: SEED,
    n,
    metrics,
    items,
  });
  yield { type: "report", report, table: [...table, ...outcomes.rows()] };
}

async function* evaluateSet(set: RetrievalSet, options: RetrievalOptions, findings: Findings): AsyncGenerator<RetrievalEvent, void> {
  const { name } = set;
  const queries = draw(set.queries, options.limit);
  findings.n[`${name}.documents`] = set.documents.length;
  findings.n[`${name}.questions`] = queries.length;
  const counts = `${queries.length} questions, ${set.documents.length} documents`;
  findings.table.push({ name, figure: "", note: `${counts}; ${EXPOSURES[set.exposure]}` });
  const valuesOf = new Map<string, Values>();
  const corpora = new Map<Encoder | null, DomainIndex>();
  let baseline: string | null = null;
  for (const system of options.systems) {
    if (system.type === "absent") continue;
    const rankings = yield* rankAll(set, queries, system, corpora, options.signal);
    const values = measure(rankings, queries);
    valuesOf.set(system.name, values);
    for (const [measure, list] of Object.entries(values)) findings.metrics[`${name}.${system.name}.${measure}`] = mean(list);
    const interval = baseline === null ? null : compare(name, { system: system.name, against: baseline }, valuesOf, queries, findings);
    baseline ??= system.name;
    findings.table.push(rowOf(system.name, values, interval), ...tagRows(`${name}.${system.name}`, values, queries, findings.metrics));
    for (const [i, { text }] of queries.entries()) {
      const ranked = (rankings[i] ?? []).slice(0, 10);
      findings.items.push({ set: name, system: system.name, question: text, ranked, "ndcg@10": values["ndcg@10"]?.[i] });
    }
  }
  for (const comparison of options.comparisons) {
    const interval = compare(name, comparison, valuesOf, queries, findings);
    if (interval !== null) findings.table.push({ name: `  ${titleOf(comparison)}`, figure: "", interval });
  }
}

/** Ranks every question; systems with the same encoder share an index of the set. */
async function* rankAll(
  set: RetrievalSet,
  queries: readonly RetrievalQuery[],
  system: IndexSystem | PeerSystem,
  corpora: Map<Encoder | null, DomainIndex>,
  signal: AbortSignal,
): AsyncGenerator<RetrievalEvent, string[][]> {
  const what = `${set.name}: ${system.name}`;
  yield { type: "progress", what };
  const rank = system.type === "peer" ? await openPeer(set, system) : yield* openIndex(set, system, corpora, signal);
  const rankings: string[][] = [];
  for (const query of queries) {
    signal.throwIfAborted();
    rankings.push(await rank(query));
    if (rankings.length % QUESTIONS_PER_STEP === 0)
      yield { type: "progress", what: `${what}, ${rankings.length}/${queries.length} questions` };
  }
  return rankings;
}

async function openPeer({ documents }: RetrievalSet, { open }: PeerSystem): Promise<Rank> {
  const search = await open(documents.map(({ title, text, scope }) => ({ title, text, scope })));
  return async ({ text, scope }) => (await search({ text, scope }, DEPTH)).map((row) => (documents[row] as RetrievalDocument).id);
}

async function* openIndex(
  set: RetrievalSet,
  system: IndexSystem,
  corpora: Map<Encoder | null, DomainIndex>,
  signal: AbortSignal,
): AsyncGenerator<RetrievalEvent, Rank> {
  const encoder = system.settings.dense ? system.encoder : null;
  const corpus = corpora.get(encoder) ?? (yield* takeIn(set, system.name, encoder, signal));
  corpora.set(encoder, corpus);
  return async (query) => {
    return rankDocuments(await search(corpus, query, await corpus.embedQuestion(query.text, { signal }), system));
  };
}

async function* takeIn(
  set: RetrievalSet,
  name: string,
  encoder: Encoder | null,
  signal: AbortSignal,
): AsyncGenerator<RetrievalEvent, DomainIndex> {
  const steps = progressOf((onEmbed) => createMemoryCorpus(set.documents, encoder, { signal, onEmbed }));
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    yield { type: "progress", what: `${set.name}: ${name}, ${step.value.done}/${step.value.total} windows` };
  }
}

export { RETRIEVAL_SETS };

function search(
  corpus: DomainIndex,
  query: RetrievalQuery,
  vector: QuestionVector | null,
  { settings }: IndexSystem,
): Promise<Candidate[]> {
  return corpus.search({
    terms: corpus.tokens(query.text),
    codes: [],
    vector,
    scope: scopeInSet(query.scope),
    bm25: settings.bm25,
    candidates: DEPTH * 2,
    alpha: settings.alpha,
    beta: settings.beta,
    fusion: settings.fusion,
  });
}

/** Ranks documents by their best chunk, without duplicates. */
function rankDocuments(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.map(({ documentId }) => documentId))].slice(0, DEPTH);
}

function measure(rankings: readonly (readonly string[])[], queries: readonly RetrievalQuery[]): Values {
  return Object.fromEntries(
    Object.entries(MEASURES).map(([name, of]) => [name, rankings.map((ranked, i) => of(ranked, (queries[i] as RetrievalQuery).gold) ?? 0)]),
  );
}

/** Records the difference of two systems. @returns the difference in nDCG@10 as text; `null`: one of the systems did not run */
function compare(
  set: string,
  comparison: Comparison,
  valuesOf: ReadonlyMap<string, Values>,
  queries: readonly RetrievalQuery[],
  { metrics, outcomes }: Findings,
): string | null {
  const [values, others] = [valuesOf.get(comparison.system), valuesOf.get(comparison.against)];
  if (values === undefined || others === undefined) return null;
  const clusters = queries.map(({ cluster }) => cluster);
  let shown: string | null = null;
  for (const measure of Object.keys(MEASURES)) {
    const found = pairedBootstrap(values[measure] ?? [], others[measure] ?? [], clusters, { seed: SEED });
    const key = `${set}.${comparison.system}.minus.${comparison.against}.${measure}`;
    metrics[key] = found?.difference ?? null;
    metrics[`${key}.low`] = found?.low ?? null;
    metrics[`${key}.high`] = found?.high ?? null;
    if (measure !== "ndcg@10" || found === null) continue;
    outcomes.add(comparison, found);
    shown = `nDCG ${signed(found.difference)} [${signed(found.low)}, ${signed(found.high)}]`;
  }
  return shown;
}

/** Records hit@5 of every tag and returns a row for hard questions. */
function tagRows(key: string, values: Values, queries: readonly RetrievalQuery[], metrics: Findings["metrics"]): TableRow[] {
  const rows: TableRow[] = [];
  for (const tag of new Set(queries.flatMap(({ tag }) => tag ?? []))) {
    const hits = queries.flatMap((query, i) => (query.tag === tag ? [values["hit@5"]?.[i] ?? 0] : []));
    metrics[`${key}.hit@5.${tag}`] = mean(hits);
    if (tag === "hard") rows.push({ name: "    hit@5.hard", figure: `${hits.filter((hit) => hit === 1).length} of ${hits.length}` });
  }
  return rows;
}

function rowOf(name: string, values: Values, interval: string | null): TableRow {
  const figure = Object.entries(values)
    .map(([measure, list]) => `${measure} ${decimal(mean(list)).padStart(4)}`)
    .join("  ");
  const hits = values["hit@5"] ?? [];
  const note = `hit@5: ${hits.filter((hit) => hit === 1).length} of ${hits.length}`;
  return { name: `  ${name}`, figure, note, ...(interval === null ? {} : { interval }) };
}

function absentRow({ name, state, remedy }: AbsentSystem): TableRow {
  return { name, figure: state, note: remedy };
}

/** Returns the version of a system for the report, to keep figures of different weights apart. */
function versionOf(system: RetrievalSystem): string {
  switch (system.type) {
    case "index":
      return system.encoder?.id ?? "words";
    case "peer":
      return system.version;
    case "absent":
      return system.state;
    default:
      return system satisfies never;
  }
}

/** Counts the sets on which a system is better, level or worse, by the interval of nDCG@10. */
class Outcomes {
  private readonly counts = new Map<string, { better: number; level: number; worse: number; ahead: number }>();

  add(comparison: Comparison, { difference, low, high }: { difference: number; low: number; high: number }): void {
    const title = titleOf(comparison);
    const count = this.counts.get(title) ?? { better: 0, level: 0, worse: 0, ahead: 0 };
    if (low > 0) count.better++;
    else if (high < 0) count.worse++;
    else count.level++;
    if (difference >= 0) count.ahead++;
    this.counts.set(title, count);
  }

  rows(): TableRow[] {
    return [...this.counts].map(([name, { better, level, worse, ahead }]) => ({
      name,
      figure: "",
      note: `nDCG no lower on ${ahead} of ${better + level + worse} sets; by interval better on ${better}, level on ${level}, worse on ${worse}`,
    }));
  }
}

function titleOf({ system, against }: Comparison): string {
  return `${system} − ${against}`;
}

function signed(value: number): string {
  return `${value >= 0 ? "+" : "−"}${decimal(Math.abs(value))}`;
}

/** Samples `limit` questions without replacement, in their original order. */
function draw(queries: readonly RetrievalQuery[], limit: number): RetrievalQuery[] {
  if (queries.length <= limit) return [...queries];
  const random = createRandom(SEED);
  const chosen = queries
    .map((query, i) => ({ query, i, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, limit);
  return chosen.sort((a, b) => a.i - b.i).map(({ query }) => query);
}
