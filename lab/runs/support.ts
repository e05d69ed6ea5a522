import { join } from "node:path";
import { auroc, clusterBootstrap, mean } from "../../src/grade/metrics.ts";
import { decimal, type TableRow } from "../../src/grade/report.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { createEmbeddedSupportScorer, type EmbeddedSupportScorer, readSupportWeights } from "../../src/models/embedded-support.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { createStemmer } from "../../src/text/tokens.ts";
import { fitLogistic, type LogisticModel, predictLogistic } from "../judges/logistic-regression.ts";
import { lexicalFeatures } from "../judges/support-baseline.ts";
import type { ChecksSection } from "../sets/drafts.ts";
import { readSupportSet, SUPPORT_FOLDS, type SupportItem, type SupportSetName, supportFold } from "../sets/support-sets.ts";
import { balancedAccuracy, f1 } from "./ranking-metrics.ts";

export interface SupportOptions {
  /** Folder of sets, one folder each. */
  readonly data: string;
  readonly encoder: EmbeddedEncoder;
  readonly signal?: AbortSignal | undefined;
}

/** An answer with the chance that it is supported, as both systems see it without having seen its fold. */
interface Judged {
  readonly item: SupportItem;
  readonly fold: number;
  readonly ours: number;
  readonly baseline: number;
}

const SEED = 20261121;
const NEVER_TRAINED: ReadonlySet<SupportSetName> = new Set(["halueval", "tabfact"]);
/** Aims of the issue that asked for the score. */
const AIMS: Readonly<Record<string, string>> = {
  "ragtruth.auroc": "aim .85",
  "ragtruth.f1": "aim .75",
  "ragtruth.qa.balanced_accuracy": "aim .80",
  "wice.balanced_accuracy": "aim .66",
  "summedits.balanced_accuracy": "aim .62",
};

/**
 * How well the support score tells supported answers from others, for one set; `null` when it is not there. Scores of trained sets come from weights that
 * never saw the answer's source document (`lab/train/support/folds`), thresholds from the other folds. The baseline is a logistic
 * regression on ten lexical figures for each task, fitted on the same folds of the set itself.
 */
export async function evaluateSupport(name: SupportSetName, { data, encoder, signal }: SupportOptions): Promise<ChecksSection | null> {
  const items = readSupportSet(name, data);
  if (items === null || items.length === 0) return null;
  const shipped = NEVER_TRAINED.has(name) ? createEmbeddedSupportScorer(encoder) : null;
  const scorers = Array.from({ length: SUPPORT_FOLDS }, (_, fold) => {
    const path = join(PACKAGE_ROOT, `lab/train/support/folds/fold-${fold}.json`);
    return shipped ?? createEmbeddedSupportScorer(encoder, readSupportWeights(path));
  });
  return sectionOf(name, await judge(name, items, (fold) => scorers[fold] as EmbeddedSupportScorer, signal));
}

async function judge(
  name: SupportSetName,
  items: readonly SupportItem[],
  scorerOf: (fold: number) => EmbeddedSupportScorer,
  signal: AbortSignal | undefined,
): Promise<Judged[]> {
  const stem = createStemmer();
  const rows = items.map(({ text, evidence }) => lexicalFeatures(text, evidence, stem));
  const folds = items.map(({ set, group }) => supportFold(set, group));
  const baselineOf = fitBaselines(items, rows, folds);
  const judged: Judged[] = [];
  for (const [i, item] of items.entries()) {
    signal?.throwIfAborted();
    const fold = folds[i] as number;
    const sentences = item.units.map(({ start, end }) => item.text.slice(start, end));
    const scored = scorerOf(fold).scoreAnswer(sentences, item.evidence);
    const model = baselineOf(item.task, fold);
    if (scored === null || model === null) continue;
    // A written answer has its own model; of a few sentences the least decides.
    const least = Math.min(...scored.sentences.map((one) => one?.score ?? 1));
    const ours = name === "ragtruth" ? scored.score : least;
    judged.push({ item, fold, ours, baseline: predictLogistic(model, rows[i] as number[]) });
  }
  return judged;
}

/** One regression per task and fold left out: the stronger choice, for the tasks differ in how often they go wrong. */
function fitBaselines(
  items: readonly SupportItem[],
  rows: readonly (readonly number[])[],
  folds: readonly number[],
): (task: string, fold: number) => LogisticModel | null {
  const known = new Map<string, LogisticModel | null>();
  return (task, fold) => {
    const key = `${fold} ${task}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const rest = items.flatMap((item, i) => (item.task === task && folds[i] !== fold ? [i] : []));
    const model =
      rest.length === 0
        ? null
        : fitLogistic(
            rest.map((i) => rows[i] as number[]),
            rest.map((i) => (items[i] as SupportItem).supported),
          );
    known.set(key, model);
    return model;
  };
}

type System = "ours" | "baseline";
type Decisions = Readonly<Record<System, readonly boolean[]>>;

function sectionOf(name: SupportSetName, judged: readonly Judged[]): ChecksSection {
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = { [name]: judged.length, [`${name}.unsupported`]: judged.filter(({ item }) => !item.supported).length };
  const table: TableRow[] = [
    { name, figure: `${judged.length} answers`, note: NEVER_TRAINED.has(name) ? "never trained on" : "cross-fitted by source" },
  ];
  const wrong = judged.map(({ item }) => !item.supported);
  const clusters = judged.map(({ item }) => item.group);
  const put = (key: string, figure: (system: System, indexes: readonly number[]) => number | null, always: number | null) => {
    const all = judged.map((_, i) => i);
    const ours = figure("ours", all);
    const baseline = figure("baseline", all);
    const compared = clusterBootstrap(clusters, (indexes) => difference(figure("ours", indexes), figure("baseline", indexes)), {
      seed: SEED,
    });
    Object.assign(metrics, {
      [`${name}.${key}`]: ours,
      [`${name}.baseline.${key}`]: baseline,
      [`${name}.always_yes.${key}`]: always,
      [`${name}.difference.${key}`]: compared?.value ?? null,
      [`${name}.difference.${key}.low`]: compared?.low ?? null,
      [`${name}.difference.${key}.high`]: compared?.high ?? null,
    });
    const aim = AIMS[`${name}.${key}`];
    table.push({
      name: `  ${key}`,
      figure: `${decimal(ours)} (baseline ${decimal(baseline)}, always ${decimal(always)})`,
      ...(compared === null ? {} : { interval: `${signed(compared.value)} [${signed(compared.low)}, ${signed(compared.high)}]` }),
      ...(aim === undefined ? {} : { note: aim }),
    });
  };
  const tasks = [...new Set(judged.map(({ item }) => item.task))].sort();
  const yes = wrong.map(() => true);
  put("auroc", (system, indexes) => aurocOf(judged, system, indexes), 0.5);
  const byF1 = decide(judged, wrong, f1, () => true);
  put("f1", (system, indexes) => f1(pick(byF1[system], indexes), pick(wrong, indexes)), f1(yes, wrong));
  if (name === "ragtruth") {
    for (const task of tasks) {
      const inTask = (i: number) => judged[i]?.item.task === task;
      const decisions = decide(judged, wrong, balancedAccuracy, inTask);
      n[`${name}.${task}`] = judged.filter((_, i) => inTask(i)).length;
      put(`${task}.auroc`, (system, indexes) => aurocOf(judged, system, indexes.filter(inTask)), 0.5);
      put(`${task}.balanced_accuracy`, (system, indexes) => accuracy(decisions[system], wrong, indexes.filter(inTask)), 0.5);
    }
  } else {
    const overTasks = (decisions: readonly boolean[], indexes: readonly number[]) => {
      const parts = tasks.map((task) =>
        accuracy(
          decisions,
          wrong,
          indexes.filter((i) => judged[i]?.item.task === task),
        ),
      );
      return mean(parts.filter((part) => part !== null));
    };
    // Of several domains each counts alike, in the choice of the threshold too.
    const decisions = decide(
      judged,
      wrong,
      (said, truth, indexes) => overTasks(spread(said, indexes, truth.length), indexes),
      () => true,
    );
    put("balanced_accuracy", (system, indexes) => overTasks(decisions[system], indexes), 0.5);
  }
  const items = judged.map(({ item, fold, ours, baseline }) => ({
    set: name,
    task: item.task,
    id: item.id,
    fold,
    supported: item.supported,
    ours,
    baseline,
  }));
  return { n, metrics, table, items };
}

type Measure = (said: readonly boolean[], truth: readonly boolean[], indexes: readonly number[]) => number | null;

/** Flags each answer of a part by the threshold that was best on the part's other folds. */
function decide(judged: readonly Judged[], wrong: readonly boolean[], measure: Measure, inPart: (i: number) => boolean): Decisions {
  const of = (system: System) => {
    const flags = judged.map(() => false);
    for (let fold = 0; fold < SUPPORT_FOLDS; fold++) {
      const rest = judged.flatMap((one, i) => (one.fold !== fold && inPart(i) ? [i] : []));
      const threshold = bestThreshold(rest, judged, system, wrong, measure);
      judged.forEach((one, i) => {
        if (one.fold === fold && inPart(i)) flags[i] = one[system] < threshold;
      });
    }
    return flags;
  };
  return { ours: of("ours"), baseline: of("baseline") };
}

/** Thresholds that are tried, at equal steps of the scores' quantiles. */
const THRESHOLDS = 99;

function bestThreshold(
  indexes: readonly number[],
  judged: readonly Judged[],
  system: System,
  wrong: readonly boolean[],
  measure: Measure,
): number {
  const scores = indexes.map((i) => (judged[i] as Judged)[system]);
  const sorted = [...scores].sort((a, b) => a - b);
  const truth = pick(wrong, indexes);
  let best = 0.5;
  let most = -1;
  for (let step = 1; step <= THRESHOLDS; step++) {
    const threshold = sorted[Math.floor((step / (THRESHOLDS + 1)) * sorted.length)] ?? 0.5;
    const value =
      measure(
        scores.map((score) => score < threshold),
        truth,
        indexes,
      ) ?? -1;
    if (value > most) {
      most = value;
      best = threshold;
    }
  }
  return best;
}

function aurocOf(judged: readonly Judged[], system: System, indexes: readonly number[]): number | null {
  const scores = (supported: boolean) =>
    indexes.flatMap((i) => (judged[i]?.item.supported === supported ? [(judged[i] as Judged)[system]] : []));
  return auroc(scores(true), scores(false));
}

function accuracy(decisions: readonly boolean[], wrong: readonly boolean[], indexes: readonly number[]): number | null {
  return balancedAccuracy(pick(decisions, indexes), pick(wrong, indexes));
}

function pick(values: readonly boolean[], indexes: readonly number[]): boolean[] {
  return indexes.map((i) => values[i] as boolean);
}

/** Values of a part at the places that they have in the whole. */
function spread(values: readonly boolean[], indexes: readonly number[], atLeast: number): boolean[] {
  const out = new Array<boolean>(indexes.reduce((most, i) => Math.max(most, i + 1), atLeast)).fill(false);
  indexes.forEach((at, i) => {
    out[at] = values[i] as boolean;
  });
  return out;
}

function difference(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}

function signed(value: number): string {
  return `${value >= 0 ? "+" : "−"}${decimal(Math.abs(value))}`;
}
