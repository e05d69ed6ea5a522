import type { Encoder } from "../models/encoder.ts";
import type { Reranker } from "../models/reranker.ts";
import type { Candidate, Corpus } from "../retrieve/corpus.ts";
import { rerankCandidates } from "../retrieve/rerank.ts";
import type { QuestionVector } from "../retrieve/vector-index.ts";
import { pairedBootstrap } from "./bootstrap.ts";
import { createMemoryCorpus } from "./memory-corpus.ts";
import { hitAt, mean, ndcgAt, precisionAt, recallAt, reciprocalRank } from "./metrics.ts";
import { createRandom } from "./random.ts";
import { decimal, type Report, type TableRow, versionsOf } from "./report.ts";
import {
  EXPOSURES,
  RETRIEVAL_SETS,
  type RetrievalQuery,
  type RetrievalSet,
  type RetrievalSetName,
  readRetrievalSet,
} from "./retrieval-sets.ts";

/** A way to rank; the first is the baseline of the intervals. */
export interface RetrievalSystem {
  readonly name: string;
  readonly encoder: Encoder | null;
  /** Reorders the first `depth` chunks of the fused ranking. */
  readonly rerank?: { readonly reranker: Reranker; readonly depth: number };
  readonly settings: {
    readonly bm25: boolean;
    readonly dense: boolean;
    readonly alpha: number;
    readonly beta: number;
    readonly fusion: "min-max" | "rrf";
  };
}

export interface RetrievalOptions {
  readonly data: string;
  readonly sets: readonly RetrievalSetName[];
  readonly systems: readonly RetrievalSystem[];
  readonly command: string;
  readonly signal: AbortSignal;
  /** Questions of one set at most; drawn with the seed. */
  readonly limit: number;
}

export type RetrievalEvent =
  | { readonly type: "progress"; readonly what: string }
  | { readonly type: "report"; readonly report: Report; readonly table: readonly TableRow[] };

/** Documents ranked for every question. */
const DEPTH = 50;
const SEED = 1;

const MEASURES: Readonly<Record<string, (ranked: readonly string[], gold: ReadonlySet<string>) => number | null>> = {
  "ndcg@10": (ranked, gold) => ndcgAt(ranked, gold, 10),
  "hit@5": (ranked, gold) => hitAt(ranked, gold, 5),
  "recall@10": (ranked, gold) => recallAt(ranked, gold, 10),
  "recall@50": (ranked, gold) => recallAt(ranked, gold, 50),
  "precision@8": (ranked, gold) => precisionAt(ranked, gold, 8),
  mrr: (ranked, gold) => reciprocalRank(ranked, gold),
};

/** Ranks the questions of every set with every system, through the product's own index, and compares with the first system. */
export async function* evaluateRetrieval(options: RetrievalOptions): AsyncGenerator<RetrievalEvent, void> {
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const table: TableRow[] = [];
  const items: Record<string, unknown>[] = [];
  for (const name of options.sets) {
    options.signal.throwIfAborted();
    const set = readRetrievalSet(name, options.data);
    if (set === null) {
      table.push({ name, figure: "absent", note: "no such folder" });
      continue;
    }
    const queries = draw(set.queries, options.limit);
    n[`${name}.documents`] = set.documents.length;
    n[`${name}.questions`] = queries.length;
    table.push({
      name,
      figure: "",
      note: `${queries.length} questions, ${set.documents.length} documents; ${EXPOSURES[set.exposure]}`,
    });
    let baseline: Record<string, number[]> | null = null;
    for (const system of options.systems) {
      yield { type: "progress", what: `${name}: ${system.name}` };
      const rankings = await rankAll(set, queries, system, options.signal);
      const values = Object.fromEntries(
        Object.entries(MEASURES).map(([measure, of]) => [
          measure,
          rankings.map((ranked, i) => of(ranked, (queries[i] as RetrievalQuery).gold) ?? 0),
        ]),
      );
      baseline ??= values;
      for (const [measure, list] of Object.entries(values)) metrics[`${name}.${system.name}.${measure}`] = mean(list);
      table.push(rowOf(system.name, values, baseline, queries));
      for (const tag of new Set(queries.flatMap(({ tag }) => tag ?? []))) {
        const hits = queries.flatMap((query, i) => (query.tag === tag ? [values["hit@5"]?.[i] ?? 0] : []));
        metrics[`${name}.${system.name}.hit@5.${tag}`] = mean(hits);
        if (tag === "hard") table.push({ name: "    hit@5.hard", figure: `${hits.filter((hit) => hit === 1).length} of ${hits.length}` });
      }
      items.push(
        ...queries.map(({ text }, i) => ({
          set: name,
          system: system.name,
          question: text,
          ranked: (rankings[i] ?? []).slice(0, 10),
          "ndcg@10": values["ndcg@10"]?.[i],
        })),
      );
    }
  }
  const report = {
    name: "retrieval",
    command: options.command,
    versions: versionsOf(),
    seed: SEED,
    date: new Date().toISOString(),
    n,
    metrics,
    timings: {},
    items,
  };
  yield { type: "report", report, table };
}

export { RETRIEVAL_SETS };

async function rankAll(
  set: RetrievalSet,
  queries: readonly RetrievalQuery[],
  system: RetrievalSystem,
  signal: AbortSignal,
): Promise<string[][]> {
  const encoder = system.settings.dense ? system.encoder : null;
  const corpus = await createMemoryCorpus(set.documents, encoder);
  const rankings: string[][] = [];
  for (const query of queries) {
    signal.throwIfAborted();
    const found = search(corpus, query, await corpus.embedQuestion(query.text), system);
    const { reranker = null, depth = 0 } = system.rerank ?? {};
    rankings.push(rankDocuments(await rerankCandidates(query.text, found, depth, reranker, { signal, idf: (token) => corpus.idf(token) })));
  }
  return rankings;
}

function search(corpus: Corpus, query: RetrievalQuery, vector: QuestionVector | null, { settings }: RetrievalSystem): Candidate[] {
  return corpus.search({
    terms: corpus.tokens(query.text),
    codes: [],
    vector,
    scope: { domain: "set", tenant: query.scope, access: ["public"] },
    selection: null,
    bm25: settings.bm25,
    candidates: DEPTH * 2,
    alpha: settings.alpha,
    beta: settings.beta,
    fusion: settings.fusion,
  });
}

/** Documents by their best chunk, repeats removed. */
function rankDocuments(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.map(({ documentId }) => documentId))].slice(0, DEPTH);
}

function rowOf(
  name: string,
  values: Record<string, number[]>,
  baseline: Record<string, number[]>,
  queries: readonly RetrievalQuery[],
): TableRow {
  const figure = Object.entries(values)
    .map(([measure, list]) => `${measure} ${decimal(mean(list))}`)
    .join("  ");
  if (values === baseline) return { name: `  ${name}`, figure };
  const compared = pairedBootstrap(
    values["ndcg@10"] ?? [],
    baseline["ndcg@10"] ?? [],
    queries.map(({ cluster }) => cluster),
    { seed: SEED },
  );
  if (compared === null) return { name: `  ${name}`, figure };
  const signed = (value: number) => `${value >= 0 ? "+" : "−"}${decimal(Math.abs(value))}`;
  return { name: `  ${name}`, figure, interval: `nDCG ${signed(compared.difference)} [${signed(compared.low)}, ${signed(compared.high)}]` };
}

/** `limit` questions drawn without replacement, in their old order. */
function draw(queries: readonly RetrievalQuery[], limit: number): RetrievalQuery[] {
  if (queries.length <= limit) return [...queries];
  const random = createRandom(SEED);
  const chosen = queries
    .map((query, i) => ({ query, i, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, limit);
  return chosen.sort((a, b) => a.i - b.i).map(({ query }) => query);
}
