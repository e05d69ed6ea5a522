import { auroc, createRandom, type Interval, quantile } from "../../src/grade/metrics.ts";
import { countRow, decimal, type TableRow } from "../../src/grade/report.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import type { Passage } from "../../src/types.ts";
import { combineScores, type RelevanceModel, type RelevanceWeights, relevanceOf } from "../../src/verify/relevance.ts";
import { weightedCoverage } from "../../src/verify/verify.ts";
import type { Gathered } from "../sets/refusal-sets.ts";

/** A passage that was found for a question, with what every system gives it. */
export interface ScoredPassage {
  /** Is its document one that answers the question, as people marked it? */
  readonly gold: boolean;
  readonly scores: Readonly<Record<PassageSystem, number>>;
}

const PASSAGE_SYSTEMS = {
  ours: "relevance",
  words: "share of words",
  cosine: "cosine",
  bm25: "BM25",
  rerank: "reranker",
} as const;
type PassageSystem = keyof typeof PASSAGE_SYSTEMS;
const SEED = 1;
/** Draws of passages: there are many more of them than questions. */
const PASSAGE_DRAWS = 200;

/** A question's passages, and what it stands or falls with. */
interface AskedPassages {
  readonly id: string;
  readonly cluster?: string;
  readonly passages: readonly ScoredPassage[];
}

interface Sheet {
  readonly metrics: Record<string, number | null>;
  readonly n: Record<string, number>;
  readonly table: TableRow[];
}

/** @param isGold is its document one that answers? */
export function scorePassages(
  { question, passages, resolved, words }: Gathered,
  relevance: RelevanceModel,
  isGold: (passage: Passage) => boolean,
): ScoredPassage[] {
  const asked = words.questionTokens(question.resolved);
  const chances = relevanceOf(resolved, relevance);
  return passages.map((passage, i) => {
    const { document, headingPath, text, scores } = passage;
    const held = new Set(words.tokens([document.title, ...headingPath, text].join("\n")));
    return {
      gold: isGold(passage),
      scores: {
        ours: chances[i]?.probability ?? 0,
        words: weightedCoverage(asked, held, (token) => words.idf(token)) ?? 0,
        cosine: scores.dense ?? -1,
        bm25: scores.bm25 ?? 0,
        rerank: scores.rerank ?? -Infinity,
      },
    };
  });
}

/**
 * Passage by passage: does its document answer the question? All passages of all questions in one list, those of unanswerable questions among them.
 */
export function reportPassages(prefix: string, scored: readonly AskedPassages[], { metrics, n, table }: Sheet): void {
  const passages = scored.flatMap(({ passages: some }) => some);
  const gold = passages.filter((one) => one.gold);
  const others = passages.filter((one) => !one.gold);
  n[`${prefix}passages`] = passages.length;
  n[`${prefix}passages.gold`] = gold.length;
  table.push({
    name: "  passages",
    figure: "",
    note: `${gold.length} of ${passages.length} are of a document that answers their question`,
  });
  for (const system of Object.keys(PASSAGE_SYSTEMS) as PassageSystem[]) {
    const of = (some: readonly ScoredPassage[]) => some.map(({ scores }) => scores[system]);
    const value = auroc(of(gold), of(others));
    const interval = clusteredAurocInterval(scored, system);
    const key = `${prefix}passages.auroc.${system === "ours" ? "relevance" : system}`;
    metrics[key] = value;
    metrics[`${key}.low`] = interval?.low ?? null;
    metrics[`${key}.high`] = interval?.high ?? null;
    const shown = interval === null ? {} : { interval: `[${decimal(interval.low)}, ${decimal(interval.high)}]` };
    table.push({ name: `    passages.auroc, ${PASSAGE_SYSTEMS[system]}`, figure: decimal(value), ...shown });
  }
}

/** What the cuts of the score are worth here, beside the share of words at the cuts that it had. */
export function reportVerdicts(
  scored: readonly AskedPassages[],
  { cuts, combine }: RelevanceWeights,
  { metrics, table }: Pick<Sheet, "metrics" | "table">,
): void {
  const passages = scored.flatMap(({ passages: some }) => some);
  const gold = passages.filter((one) => one.gold).length;
  const alone = { consistency: null, agreement: null };
  const { gate } = sourcebound;
  const byWords = gate.type === "sufficiency" ? [{ name: PASSAGE_SYSTEMS.words, key: "words", ...gate, rejected: gate.uncertain }] : [];
  const systems = [{ name: PASSAGE_SYSTEMS.ours, key: "relevance", verified: cuts.verified, rejected: cuts.rejected }, ...byWords];
  for (const { name, key, verified, rejected } of systems) {
    const scoreOf = ({ scores }: ScoredPassage) =>
      key === "words" ? scores.words : combineScores({ relevance: scores.ours, ...alone }, { cuts, combine });
    const shown = passages.filter((one) => scoreOf(one) >= verified);
    const right = shown.filter((one) => one.gold).length;
    const lost = passages.filter((one) => one.gold && scoreOf(one) < rejected).length;
    metrics[`passages.verified.${key}`] = shown.length;
    metrics[`passages.verified.precision.${key}`] = shown.length === 0 ? null : right / shown.length;
    metrics[`passages.rejected.lost.${key}`] = gold === 0 ? null : lost / gold;
    table.push(
      countRow(`    verified that answer, ${name}`, right, shown.length, `at least ${decimal(verified)}`),
      countRow(`    answering that are rejected, ${name}`, lost, gold, `below ${decimal(rejected)}`),
    );
  }
}

/** 95 % interval by the percentile bootstrap over sources: passages of one question are not independent, nor questions about one source. */
function clusteredAurocInterval(scored: readonly AskedPassages[], system: PassageSystem): Interval | null {
  const clusters = [...Map.groupBy(scored, ({ cluster, id }) => cluster ?? id).values()].map((some) =>
    some.flatMap(({ passages }) => passages),
  );
  const random = createRandom(SEED);
  const areas: number[] = [];
  for (let draw = 0; draw < PASSAGE_DRAWS; draw++) {
    const drawn = clusters.flatMap(() => clusters[Math.floor(random() * clusters.length)] as readonly ScoredPassage[]);
    const of = (isGold: boolean) => drawn.filter(({ gold }) => gold === isGold).map(({ scores }) => scores[system]);
    const area = auroc(of(true), of(false));
    if (area !== null) areas.push(area);
  }
  return areas.length === 0 ? null : { low: quantile(areas, 0.025) as number, high: quantile(areas, 0.975) as number };
}
