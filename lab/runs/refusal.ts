import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseThreshold, DELTA } from "../../src/calibrate/choose-threshold.ts";
import { type Config, embeddedIn } from "../../src/config.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { RequestError } from "../../src/errors.ts";
import { answerableSchema, readGolden, UNANSWERABLE_KINDS, unanswerableSchema } from "../../src/grade/golden.ts";
import { auroc, createRandom, type Interval, quantile, riskCoverageArea } from "../../src/grade/metrics.ts";
import { countRow, decimal, makeReport, type Report, type TableRow } from "../../src/grade/report.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { chanceOf } from "../../src/models/weights/scorer.ts";
import { Lexicon } from "../../src/retrieve/lexicon.ts";
import { createEmbeddedReranker, readRerankWeights } from "../../src/retrieve/rerank.ts";
import {
  type RelevanceModel,
  type RelevanceWeights,
  readRelevanceFolds,
  readRelevanceWeights,
  relevanceOf,
} from "../../src/verify/relevance.ts";
import { measureEvidence, readFoldWeights, readSufficiencyWeights, type SufficiencyModel } from "../../src/verify/sufficiency.ts";
import { viewEvidence } from "../../src/verify/sufficiency-view.ts";
import { admitted, admittedIn, type Gathered, gatherEvidence, REFUSAL_SETS, readRefusalSet } from "../sets/refusal-sets.ts";
import { foldOf } from "../sets/retrieval-sets.ts";
import { createParts } from "./extract.ts";
import { reportPassages, reportVerdicts, type ScoredPassage, scorePassages } from "./refusal-passages.ts";
import { repeatSplits, SIMULATED_LABELS, simulateChoice } from "./threshold-trials.ts";
import { ingestCorpus } from "./va.ts";

export interface RefusalOptions {
  /** Folder with `pages/`, and the golden set over it. */
  readonly corpus?: string | undefined;
  readonly golden?: string | undefined;
  /** Folder of sets, one folder each. */
  readonly data?: string | undefined;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

export type RefusalEvent =
  | { readonly type: "progress"; readonly what: string }
  | { readonly type: "report"; readonly report: Report; readonly table: readonly TableRow[] };

type Kind = "answerable" | (typeof UNANSWERABLE_KINDS)[number] | "unanswerable";

/** A question with what every system gives it: higher is more likely answered. */
export interface ScoredQuestion {
  readonly id: string;
  readonly kind: Kind;
  readonly scores: Readonly<Record<System, number>>;
  /** Questions about one source stand or fall together; absent: this one stands alone. */
  readonly cluster?: string;
  readonly passages: readonly ScoredPassage[];
}

const SYSTEMS = { ours: "sufficiency", cosine: "top cosine", bm25: "top BM25" } as const;
type System = keyof typeof SYSTEMS;
const SEED = 1;
const DRAWS = 1000;
/** Share of the answerable questions that are answered at the point where refusals are counted. */
const ANSWERED = 0.9;
/** Times that the gate is run over one question's passages to time it. */
const TIMED_RUNS = 5;

/**
 * Answering against refusing: how well the gate's chance tells questions that the documents answer from those that they do not, beside the best cosine and the
 * best BM25 score of the same run.
 * @throws RequestError `data_missing` when neither a corpus with its golden set nor a set is there
 */
export async function* evaluateRefusal(options: RefusalOptions): AsyncGenerator<RefusalEvent, void> {
  const encoder = sharedEncoder();
  const tools: Tools = {
    encoder,
    lexicon: new Lexicon(encoder),
    model: readSufficiencyWeights().models.vectors,
    relevance: readRelevanceWeights(),
    signal: options.signal,
    times: [],
    relevanceTimes: [],
  };
  const sheet: Sheet = { metrics: {}, n: {}, table: [], items: [] };
  const { corpus, golden, data } = options;
  if (corpus !== undefined && golden !== undefined) {
    yield { type: "progress", what: "golden set" };
    const scored = await askGolden({ corpus, golden, config: options.config }, tools);
    reportSet("", scored, sheet);
    reportPassages("", scored, sheet);
    reportVerdicts(scored, tools.relevance, sheet);
    reportPoints(scored, tools.model, sheet);
    reportUnanswerableShown(scored, sheet);
  }
  for (const name of data === undefined ? [] : REFUSAL_SETS) {
    yield { type: "progress", what: name };
    const scored = await askSet(name, data as string, tools);
    if (scored === null) sheet.table.push({ name, figure: "absent", note: "no such folder" });
    else {
      reportSet(`${name}.`, scored, sheet);
      reportPassages(`${name}.`, scored, sheet);
    }
    if (name === "clapnq" && scored !== null) reportSplits(`${name}.`, scored, sheet);
  }
  if (Object.keys(sheet.n).length === 0)
    throw new RequestError(
      "data_missing",
      `There is nothing to measure: give --corpus and --golden, or --data with a folder that holds ${REFUSAL_SETS.join(" or ")}.`,
    );
  yield { type: "progress", what: "thresholds of a known curve" };
  reportSimulation(sheet);
  const timings = reportTimes(tools, sheet);
  const { metrics, n, table, items } = sheet;
  const report = makeReport({ name: "refusal", command: options.command, seed: SEED, n, metrics, timings, items });
  yield { type: "report", report, table };
}

/** Times of what was asked of a golden set; the public sets are not timed. */
function reportTimes({ times, relevanceTimes }: Tools, { table }: Sheet): Record<string, number> {
  const timings: Record<string, number> = {};
  const report = (key: string, of: readonly number[], { name, note }: { readonly name: string; readonly note: string }) => {
    const [median, p95] = [quantile(of, 0.5), quantile(of, 0.95)];
    if (median === null || p95 === null) return;
    Object.assign(timings, { [`${key}_ms_median`]: median, [`${key}_ms_p95`]: p95 });
    table.push({ name, figure: `${median.toFixed(2)} ms`, note: `p95 ${p95.toFixed(2)} ms; ${note}` });
  };
  report("gate", times, { name: "gate", note: "features and chance of one question, its texts read before as the reranker does" });
  report("relevance", relevanceTimes, {
    name: "relevance of the passages",
    note: "features, chances and explanations of one question's passages on top",
  });
  return timings;
}

interface Tools {
  readonly encoder: EmbeddedEncoder;
  readonly lexicon: Lexicon;
  readonly model: SufficiencyModel;
  readonly relevance: RelevanceWeights;
  readonly signal: AbortSignal;
  /** Milliseconds of the gate, one question each. */
  readonly times: number[];
  /** The same of the passages' relevance, on top. */
  readonly relevanceTimes: number[];
}

interface Sheet {
  readonly metrics: Record<string, number | null>;
  readonly n: Record<string, number>;
  readonly table: TableRow[];
  readonly items: Record<string, unknown>[];
}

async function askGolden(
  { corpus, golden, config }: { corpus: string; golden: string; config: Config },
  tools: Tools,
): Promise<ScoredQuestion[]> {
  const asked = [
    ...readGolden(golden, "va-answerable", answerableSchema).map(({ id, question, gold_pages }) => ({
      id,
      question,
      kind: "answerable" as const,
      gold: new Set(gold_pages),
    })),
    ...readGolden(golden, "va-unanswerable", unanswerableSchema).map((one) => ({ ...one, gold: new Set<string>() })),
  ];
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-eval-"));
  const engine = await createEngine(embeddedIn(config, dataDir));
  try {
    await ingestCorpus(engine, { corpus, baseUrl: undefined, domain: undefined, signal: tools.signal });
    const pack = engine.domain();
    const scope = { domain: pack.name, tenant: null, access: config.access };
    const parts = engine.retrieveParts(pack.name);
    const scored: ScoredQuestion[] = [];
    for (const { id, question, kind, gold } of asked) {
      const gathered = await gatherEvidence(admittedIn(question, [], scope), parts, tools.lexicon, tools.signal);
      const passages = scorePassages(gathered, tools.relevance.passage, ({ document }) => gold.has(document.path));
      scored.push({ id, kind, scores: scoresOf(gathered, tools), passages });
      timeGate(gathered, tools);
    }
    return scored;
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A marked set, each question by weights that were learned without its fold. */
async function askSet(name: (typeof REFUSAL_SETS)[number], data: string, tools: Tools): Promise<ScoredQuestion[] | null> {
  const set = readRefusalSet(name, data);
  if (set === null) return null;
  const parts = await createParts(set, tools.encoder, createEmbeddedReranker(tools.encoder, readRerankWeights(), tools.lexicon));
  const scored: ScoredQuestion[] = [];
  const folds = readFoldWeights();
  const relevanceFolds = readRelevanceFolds();
  for (const question of set.questions) {
    const fold = foldOf(name, question.cluster);
    const model = folds[fold % folds.length] as SufficiencyModel;
    const relevance = relevanceFolds[fold % relevanceFolds.length] as RelevanceModel;
    const gathered = await gatherEvidence(admitted(question), parts, tools.lexicon, tools.signal, question.beside);
    const kind = question.answerable ? "answerable" : "unanswerable";
    const passages = scorePassages(gathered, relevance, ({ document }) => question.gold.has(document.id));
    scored.push({ id: question.id, kind, scores: scoresOf(gathered, { model }), cluster: question.cluster, passages });
  }
  return scored;
}

function scoresOf({ question, passages, resolved }: Gathered, { model }: Pick<Tools, "model">): ScoredQuestion["scores"] {
  const most = (of: "dense" | "bm25") => passages.reduce((best, { scores }) => Math.max(best, scores[of] ?? 0), 0);
  const chance = chanceOf(measureEvidence(resolved, model.features), model);
  // Orders to the system are refused whatever the chance.
  return { ours: question.injectionSignals.length > 0 || passages.length === 0 ? 0 : chance, cosine: most("dense"), bm25: most("bm25") };
}

function timeGate({ words, passages }: Gathered, { lexicon, model, relevance, times, relevanceTimes }: Tools): void {
  const runs: number[] = [];
  const relevanceRuns: number[] = [];
  for (let run = 0; run < TIMED_RUNS; run++) {
    const started = performance.now();
    const view = viewEvidence(words.asked, passages, words, lexicon);
    chanceOf(measureEvidence(view, model.features), model);
    const judged = performance.now();
    relevanceOf(view, relevance.passage);
    relevanceRuns.push(performance.now() - judged);
    runs.push(judged - started);
  }
  times.push(quantile(runs, 0.5) as number);
  relevanceTimes.push(quantile(relevanceRuns, 0.5) as number);
}

function reportSet(prefix: string, scored: readonly ScoredQuestion[], { metrics, n, table, items }: Sheet): void {
  const answerable = scored.filter(({ kind }) => kind === "answerable");
  const unanswerable = scored.filter(({ kind }) => kind !== "answerable");
  const near = unanswerable.filter(({ kind }) => kind === "near_miss");
  n[`${prefix}answerable`] = answerable.length;
  n[`${prefix}unanswerable`] = unanswerable.length;
  table.push({
    name: prefix === "" ? "golden set" : prefix.slice(0, -1),
    figure: "",
    note: `${answerable.length} answerable, ${unanswerable.length} unanswerable${prefix === "" ? "; weights never learned from it" : "; each by weights that were learned without its source"}`,
  });
  for (const system of Object.keys(SYSTEMS) as System[]) {
    const suffix = system === "ours" ? "" : `.${system}`;
    const of = (some: readonly ScoredQuestion[]) => some.map(({ scores }) => scores[system]);
    const area = (key: string, negatives: readonly ScoredQuestion[]) => {
      const value = auroc(of(answerable), of(negatives));
      metrics[`${prefix}${key}${suffix}`] = value;
      const interval = aurocInterval(of(answerable), of(negatives));
      metrics[`${prefix}${key}${suffix}.low`] = interval?.low ?? null;
      metrics[`${prefix}${key}${suffix}.high`] = interval?.high ?? null;
      const shown = interval === null ? {} : { interval: `[${decimal(interval.low)}, ${decimal(interval.high)}]` };
      table.push({ name: `  ${key}, ${SYSTEMS[system]}`, figure: decimal(value), ...shown });
    };
    area("auroc", unanswerable);
    if (near.length > 0) area("auroc.near_miss", near);
    const aurc = riskCoverageArea(scored.map(({ kind, scores }) => ({ score: scores[system], wrong: kind !== "answerable" })));
    metrics[`${prefix}aurc${suffix}`] = aurc;
    table.push({ name: `  aurc, ${SYSTEMS[system]}`, figure: decimal(aurc), note: "less is better" });
  }
  items.push(...scored.map(({ id, kind, scores }) => ({ id: `${prefix}${id}`, kind, ...scores })));
}

/** 95 % interval by the percentile bootstrap, answerable and unanswerable drawn apart (Efron & Tibshirani 1993, chapter 13). */
function aurocInterval(positives: readonly number[], negatives: readonly number[]): Interval | null {
  if (positives.length === 0 || negatives.length === 0) return null;
  const random = createRandom(SEED);
  const drawn = (values: readonly number[]) => values.map(() => values[Math.floor(random() * values.length)] as number);
  const areas = Array.from({ length: DRAWS }, () => auroc(drawn(positives), drawn(negatives)) as number);
  return { low: quantile(areas, 0.025) as number, high: quantile(areas, 0.975) as number };
}

/** Risks for which a threshold is asked of the labelled questions. */
const RISKS = [0.02, 0.05, 0.1, 0.2] as const;

/**
 * Thresholds that hold a share with confidence, as far as the labels suffice: of what is shown, questions that nothing in the documents answers. `calibrate` counts
 * more as wrong (a missing key value, a quote elsewhere), so the share has a name of its own here: `unanswerable_shown`, never `risk`.
 */
function reportUnanswerableShown(scored: readonly ScoredQuestion[], { metrics, table }: Sheet): void {
  const labelled = scored.map(({ kind, scores }) => ({ score: scores.ours, wrong: kind !== "answerable" }));
  for (const risk of RISKS) {
    const chosen = chooseThreshold(labelled, risk);
    const name = `threshold for at most ${risk * 100} % unanswerable among what is shown, with ${(1 - DELTA) * 100} % confidence`;
    metrics[`threshold.${risk}`] = chosen.type === "chosen" ? chosen.threshold : null;
    if (chosen.type === "chosen")
      table.push({ name, figure: decimal(chosen.threshold), note: `answers ${chosen.answered}, ${chosen.wrong} of them unanswerable` });
    else
      table.push({
        name,
        figure: "none",
        note: `at least ${chosen.missing} more labelled questions answered without an error are missing`,
      });
  }
}

/** Is the risk kept where the true one is known? */
function reportSimulation({ metrics, n, table }: Sheet): void {
  table.push({
    name: "chosen thresholds of a known curve",
    figure: "",
    note: `${SIMULATED_LABELS} labelled questions a draw; at least 95 % have to keep the risk`,
  });
  for (const risk of RISKS.filter((one) => one > RISKS[0])) {
    const { draws, kept, chosen } = simulateChoice(risk, { draws: DRAWS, seed: SEED });
    n.simulated = draws;
    metrics[`simulated.${risk}.kept`] = kept / draws;
    metrics[`simulated.${risk}.chosen`] = chosen / draws;
    table.push(countRow(`  risk of ${risk * 100} % kept`, kept, draws, `a threshold was chosen in ${chosen}`));
  }
}

/** Risks asked of halves of a set. */
const SPLIT_RISKS = [0.2, 0.3, 0.4] as const;
const SPLITS = 200;

/** Is it kept on questions of people? Calibrated on one half of the sources, tested on the other. */
function reportSplits(prefix: string, scored: readonly ScoredQuestion[], { metrics, n, table }: Sheet): void {
  const questions = scored.map(({ id, kind, scores, cluster }) => ({
    score: scores.ours,
    wrong: kind !== "answerable",
    cluster: cluster ?? id,
  }));
  n[`${prefix}splits`] = SPLITS;
  table.push({ name: `  ${SPLITS} splits into a calibrating and a testing half, by source`, figure: "" });
  for (const risk of SPLIT_RISKS) {
    const trials = repeatSplits(questions, risk, { splits: SPLITS, seed: SEED });
    const { chosen, above, aboveByNoise, aboveBeyondNoise, meanRisk, meanAnswered, meanNoise, meanCoverage } = trials;
    const key = `${prefix}splits.${risk}`;
    Object.assign(metrics, {
      [`${key}.chosen`]: chosen,
      [`${key}.above`]: above,
      [`${key}.above_by_noise`]: aboveByNoise,
      [`${key}.above_beyond_noise`]: aboveBeyondNoise,
      [`${key}.unanswerable_shown`]: meanRisk,
      [`${key}.noise`]: meanNoise,
      [`${key}.answered`]: meanAnswered,
      [`${key}.coverage`]: meanCoverage,
    });
    const name = `    ${risk * 100} % unanswerable shown: test half above it`;
    if (chosen === 0) table.push({ name, figure: "none", note: "no half has labels enough for a threshold" });
    else
      table.push(
        countRow(name, above, chosen, `splits with a threshold; ${aboveByNoise.toFixed(1)} expected from the size of the halves alone`),
        countRow("    above it by more than noise", aboveBeyondNoise, chosen, "exact binomial test of the half at 5 %"),
        {
          name: "    mean share unanswerable of what the test half is shown",
          figure: decimal(meanRisk),
          note: `± ${decimal(meanNoise)} noise of one half; answers ${meanAnswered?.toFixed(0)} on average, ${decimal(meanCoverage)} of all`,
        },
      );
  }
}

/** The cut that answers a share of the answerable questions: the score of the last of them. */
export function cutAnswering(answerable: readonly number[], share: number): number {
  const sorted = [...answerable].sort((a, b) => b - a);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function reportPoints(scored: readonly ScoredQuestion[], { threshold }: SufficiencyModel, { metrics, table }: Sheet): void {
  const answerable = scored.filter(({ kind }) => kind === "answerable");
  const points = [
    ...(Object.keys(SYSTEMS) as System[]).map((system) => ({
      system,
      key: system === "ours" ? "at_90" : `at_90.${system}`,
      cut: cutAnswering(
        answerable.map(({ scores }) => scores[system]),
        ANSWERED,
      ),
      name: `${SYSTEMS[system]}, at the point that answers 90 % of the answerable`,
    })),
    {
      system: "ours" as const,
      key: "shipped",
      cut: threshold.minimum,
      name: `${SYSTEMS.ours}, at the shipped threshold ${threshold.minimum.toFixed(3)}`,
    },
  ];
  for (const { system, key, cut, name } of points) {
    const answers = ({ scores }: ScoredQuestion) => scores[system] >= cut;
    const answered = answerable.filter(answers).length;
    table.push({ name, figure: "" }, countRow("  answered.answerable", answered, answerable.length));
    metrics[`${key}.answered.answerable`] = answerable.length === 0 ? null : answered / answerable.length;
    for (const kind of UNANSWERABLE_KINDS) {
      const some = scored.filter((one) => one.kind === kind);
      const refused = some.filter((one) => !answers(one)).length;
      metrics[`${key}.refused.${kind}`] = some.length === 0 ? null : refused / some.length;
      if (some.length > 0) table.push(countRow(`  refused.${kind}`, refused, some.length));
    }
    const shown = scored.filter(answers).length;
    metrics[`${key}.unanswerable_shown`] = shown === 0 ? null : (shown - answered) / shown;
    table.push(countRow("  unanswerable shown", shown - answered, shown, "answered, of which nothing in the documents answers"));
  }
}
