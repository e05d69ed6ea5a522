import { join } from "node:path";
import type { Engine } from "../engine/engine.ts";
import {
  binomialTail,
  calibrationName,
  type GateCalibration,
  type GateFacts,
  gateCalibrationSchema,
  percent,
} from "../evidence/calibration.ts";
import { VERSION } from "../package.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { replaceFile } from "../retrieval/snapshot-keeper.ts";
import { messageOf, RequestError, StoreError } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { type AskLabelledEvent, askLabelled, type JudgedQuestion, type LabelledQuestions, readLabelledQuestions } from "./ask-labelled.ts";
import { clusterBootstrap, expectedCalibrationError, type Interval, riskCoverageArea, wilson } from "./metrics.ts";
import { countRow, decimal, type TableRow } from "./report.ts";

export interface CalibrateOptions {
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  /** File or folder of labelled questions. @default the golden questions of the domain pack */
  readonly golden?: string | undefined;
  readonly risk: number;
  readonly delta: number;
  readonly date: Date;
  readonly signal: AbortSignal;
}

type Measured = NonNullable<ReturnType<typeof clusterBootstrap>>;
type Summary = ReturnType<typeof summarise>;
/** `calibration` is the content of the calibration file; `null` if there are too few labels to choose a threshold. */
export type CalibrationReport = Summary & { readonly calibration: GateCalibration | null };

type CalibrateEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | { readonly type: "report"; readonly report: CalibrationReport };

const SEED = 1;
const DRAWS = 1000;
/** Thresholds for which the risk is printed. */
const CURVE = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0];

/**
 * Asks labelled questions without a confidence threshold. Then chooses the threshold that limits the risk, which is the
 * share of wrong answers among those shown. Writes no file.
 * @throws RequestError if there are no labelled questions or no documents, or if the profile has no confidence threshold
 */
export async function* calibrate(engine: Engine, options: CalibrateOptions): AsyncGenerator<CalibrateEvent, void> {
  const { signal, risk, delta, date } = options;
  const pack = engine.domain(options.domain);
  const profile = options.profile ?? engine.config.profile ?? pack.default_profile;
  const facts = engine.gateFacts(pack.name, profile);
  if (facts === null)
    throw new RequestError(
      "calibrate_profile",
      `Profile "${profile}" does not decide by a confidence, so it cannot be calibrated. Choose a profile that does, such as --profile sourcebound.`,
    );
  const labelled = readLabelledQuestions(options.golden ?? goldenOf(pack));
  const scope: Scope = { domain: pack.name, tenant: null, access: engine.config.access };
  const documents = await documentFacts(engine, scope, labelled);
  if (documents.windows === 0)
    throw new RequestError("calibrate_index", `Domain "${pack.name}" has no documents. Ingest those that the questions are about.`);
  for await (const event of askLabelled(engine, labelled.questions, { scope, profile, signal })) {
    if (event.type === "progress") yield event;
    else {
      const report = summarise(event, labelled, facts, { risk, delta });
      yield { type: "report", report: { ...report, calibration: artifactOf(report, facts, documents, date) } };
    }
  }
}

function goldenOf({ name, folder, golden }: ReturnType<Engine["domain"]>): string {
  if (golden !== null) return `${folder}/${golden}`;
  throw new RequestError("golden_missing", `Domain "${name}" has no labelled questions. Give a file or folder of them with --golden.`);
}

/** Describes the documents that the tenants of the labelled questions may see. */
async function documentFacts(engine: Engine, scope: Scope, { questions }: LabelledQuestions): Promise<GateCalibration["documents"]> {
  const corpus = engine.corpus(scope.domain);
  await corpus.ready();
  await corpus.sync();
  const askers = [...new Set([scope.tenant, ...questions.map(({ tenant }) => tenant ?? scope.tenant)])];
  const found = await Promise.all(askers.map((tenant) => engine.store.documents.outlines({ ...scope, tenant })));
  const outlines = [...new Map(found.flat().map((one) => [one.id, one])).values()];
  const sha256 = sha256Hex(JSON.stringify(outlines.map(({ path, version }) => [path, version]).sort()));
  const { revision } = await engine.counts(scope);
  return { count: outlines.length, windows: corpus.windows, revision, sha256 };
}

function summarise(
  { questions, by, unjudgeable }: Extract<AskLabelledEvent, { readonly type: "judged" }>,
  { sha256, repeated }: LabelledQuestions,
  { domain, profile }: GateFacts,
  { risk, delta }: Pick<CalibrateOptions, "risk" | "delta">,
) {
  // Questions that were answered without a threshold. The threshold alone decides whether an answer is shown.
  const answered = questions.flatMap((one) =>
    one.answered && one.chance !== null ? [{ ...one, score: one.chance, right: !one.wrong }] : [],
  );
  if (answered.length === 0) {
    const message = `None of the ${questions.length} labelled questions was answered, so there is nothing to calibrate. Check that they are about the documents of the domain.`;
    throw new RequestError("calibrate_nothing", message);
  }
  const clusters = answered.map(({ cluster }) => cluster);
  const options = { draws: DRAWS, seed: SEED };
  const bounded = (figure: (some: typeof answered) => number | null): Measured =>
    clusterBootstrap(clusters, (indexes) => figure(indexes.flatMap((i) => answered[i] ?? [])), options) ?? { value: 0, low: 0, high: 0 };
  const unanswerable: Record<string, number> = {};
  for (const { kind } of questions) if (kind !== "answerable") unanswerable[kind] = (unanswerable[kind] ?? 0) + 1;
  return {
    ...{ domain, profile, risk, delta, by },
    labels: {
      sha256,
      n: questions.length,
      answerable: questions.filter(({ kind }) => kind === "answerable").length,
      unanswerable,
      /** Number of distinct pages that the answerable questions are about. Questions about one page are not independent. */
      pages: new Set(questions.flatMap(({ kind, cluster }) => (kind === "answerable" ? [cluster] : []))).size,
      ...{ repeated, unjudgeable },
    },
    /** Results by threshold, strictest first. The last threshold, 0, refuses no question. */
    curve: CURVE.map((threshold) => pointAt(answered, threshold)),
    shipped: pointAt(answered, readRankingWeights().threshold.minimum),
    aurc: bounded(riskCoverageArea),
    calibrationError: bounded(expectedCalibrationError),
    choice: chooseThreshold(answered, risk, delta),
    questions,
  };
}

type OperatingPoint = ReturnType<typeof pointAt>;

/** Counts the answers whose confidence reaches a threshold, and the wrong answers among them. */
function pointAt(labelled: readonly LabelledScore[], threshold: number) {
  const some = labelled.filter(({ score }) => score >= threshold);
  return {
    threshold,
    answered: some.length,
    wrong: some.filter(({ wrong }) => wrong).length,
    answeredAnswerable: some.filter(({ kind }) => kind === "answerable").length,
  };
}

/** Builds the content of the calibration file; `null` if no threshold was chosen. */
function artifactOf(report: Summary, facts: GateFacts, documents: GateCalibration["documents"], date: Date): GateCalibration | null {
  const { choice, questions, labels, risk, delta, by, aurc, calibrationError } = report;
  if (choice.type !== "chosen") return null;
  const { threshold, answered, wrong, answeredAnswerable } = choice;
  const interval = wilson(wrong, answered) as Interval;
  return {
    format: "sourcebound-gate-calibration-1",
    name: calibrationName(facts, date),
    date: date.toISOString(),
    version: VERSION,
    ...facts,
    encoder: by.encoder,
    weights: { id: facts.weights, model: by.model },
    documents,
    labels: { sha256: labels.sha256, n: labels.n, answerable: labels.answerable, unanswerable: { ...labels.unanswerable } },
    ...{ risk, delta, threshold },
    measured: {
      ...{ answered, wrong },
      risk: { value: wrong / answered, ...interval },
      coverage: answered / questions.length,
      answered_answerable: answeredAnswerable,
      reached: questions.filter(({ chance }) => chance !== null && chance >= threshold).length,
    },
    aurc,
    calibration_error: calibrationError,
    chances: questions.flatMap(({ chance }) => chance ?? []).sort((a, b) => a - b),
  };
}

/**
 * Writes a calibration file atomically.
 * @param folder folder in which the engine looks for calibrations
 * @param out path of the file; absent: a file in `folder`, named after the calibration
 * @returns path of the file
 * @throws StoreError `calibration_unwritable`
 */
export async function writeCalibration(calibration: GateCalibration, folder: string, out?: string): Promise<string> {
  const path = out ?? join(folder, `${calibration.name}.json`);
  const text = `${JSON.stringify(gateCalibrationSchema.parse(calibration), null, 2)}\n`;
  await replaceFile(path, [new TextEncoder().encode(text)], async () => true).catch((cause: unknown) => {
    const message = `The calibration could not be written to ${path} (${messageOf(cause)}). Choose a writable location.`;
    throw new StoreError("calibration_unwritable", message, { path }, { cause });
  });
  return path;
}

/** Confidence of a labelled question, and whether its answer was wrong. */
type LabelledScore = Pick<JudgedQuestion, "wrong"> & Partial<Pick<JudgedQuestion, "kind">> & { readonly score: number };

/** Tested thresholds, strictest first. The test is valid only if they do not depend on the data. */
const THRESHOLDS = Array.from({ length: 99 }, (_, i) => (99 - i) / 100);
/** Significance level: maximum probability that the true risk at the chosen threshold is too high. */
const DELTA = 0.05;
/**
 * Minimum share of the labelled questions that a tested threshold must answer. With fewer answers, a single error would
 * end the test, however many labels there are. Example: the most confident answers to the collection clapnq include
 * errors. For a risk of .3, a threshold is chosen in 186 of 200 halves of it with this minimum, and in 19 without it.
 * Drawback: if few answers meet the risk, a threshold is chosen less often. In a simulation with a risk of .05, it is
 * chosen in 844 instead of 916 of 1,000 draws.
 */
const LEAST_ANSWERED = 0.2;

type ChosenThreshold =
  | ({ readonly type: "chosen" } & OperatingPoint)
  /**
   * `needed` is the number of answers without an error that prove the risk. `least` is the minimum number of answers at a
   * tested threshold. `missing` is the smallest number of further labelled questions that would allow a choice, if all of
   * them were answered correctly with the highest confidence.
   */
  | { readonly type: "too-few"; readonly needed: number; readonly missing: number; readonly least: number };

/** Returns the number n of answers without an error that prove a risk of at most `risk`: (1 − risk)^n ≤ δ. */
export function leastLabels(risk: number, delta = DELTA): number {
  return Math.ceil(Math.log(delta) / Math.log(1 - risk));
}

/**
 * Chooses the lowest threshold whose risk (share of wrong answers) is at most `risk` with confidence 1 − δ. Tests the
 * thresholds in a fixed sequence, strictest first (Angelopoulos et al., "Learn then Test", 2021, section 2.2). For each,
 * an exact binomial test checks the null hypothesis "the risk is higher". The sequence ends at the first hypothesis that
 * is not rejected. Thresholds with too few answers are skipped. This depends on scores, not on errors, so the test stays
 * valid.
 *
 * Guarantee: if labelled sets are drawn repeatedly, at most a share δ of them gives a threshold whose true risk exceeds
 * `risk`. The guarantee requires independent questions, and fewer errors at higher scores. In a simulation with 300 labels,
 * errors in groups of three, and a risk just above .1, 11 % of 4,000 sets violated it instead of 3 %. The guaranteed risk
 * is not the share of errors that was measured on the labels.
 * @throws RangeError when `risk` or `delta` is not between 0 and 1
 */
export function chooseThreshold(labelled: readonly LabelledScore[], risk: number, delta = DELTA): ChosenThreshold {
  for (const [name, value] of Object.entries({ risk, delta }))
    if (!(value > 0 && value < 1)) throw new RangeError(`${name} must be a share between 0 and 1, not ${value}.`);
  const points = THRESHOLDS.map((threshold) => pointAt(labelled, threshold));
  const needed = leastLabels(risk, delta);
  /** Minimum number of answers at a tested threshold. */
  const least = (all: number) => Math.max(needed, Math.ceil(LEAST_ANSWERED * all));
  /** Runs the sequence of tests. @param more number of right answers to add to the counts of every threshold */
  const testInSequence = (more: number): OperatingPoint | null => {
    let chosen: OperatingPoint | null = null;
    for (const point of points) {
      if (point.answered + more < least(labelled.length + more)) continue;
      if (binomialTail(point.wrong, point.answered + more, risk) > delta) break;
      chosen = point;
    }
    return chosen;
  };
  const chosen = testInSequence(0);
  if (chosen !== null) return { type: "chosen", ...chosen };
  let missing = 1;
  while (testInSequence(missing) === null) missing++;
  return { type: "too-few", needed, missing, least: least(labelled.length) };
}

/** Mean number of answerable questions per page above which the table warns that questions are not independent. */
const CROWDED = 1.5;

/** Formats a calibration: curve, metrics, and the threshold with its guarantee. */
export function calibrationTable(report: CalibrationReport): TableRow[] {
  const { labels, curve, shipped, aurc, calibrationError, by, choice, risk, delta } = report;
  const kinds = Object.entries(labels.unanswerable).map(([kind, n]) => `${n} ${kind}`);
  const pages = `${labels.pages} ${labels.pages === 1 ? "page" : "pages"}`;
  const unjudgeable = labels.unjudgeable.length;
  const left = [
    ...(labels.repeated > 0 ? [`${labels.repeated} repeated`] : []),
    ...(unjudgeable > 0 ? [`${unjudgeable} that have no key value, and no gold quote that occurs in the documents`] : []),
  ];
  const noteRow = (name: string, note: string, figure = ""): TableRow => ({ name, figure, note });
  return [
    noteRow("labelled questions", [`${labels.answerable} answerable (about ${pages})`, ...kinds].join(", "), String(labels.n)),
    ...(left.length === 0 ? [] : [noteRow("  left out", left.join(", "))]),
    ...(labels.answerable > CROWDED * labels.pages
      ? [
          noteRow(
            "  too few pages",
            `${decimal(labels.answerable / labels.pages)} questions per page: wrong answers about one page often occur together, which weakens the guarantee (with three questions per page, a guarantee of 10 % was broken in 11 % of simulations instead of at most 5 %). Label more pages`,
          ),
        ]
      : []),
    noteRow("confidence from", by.encoder ?? "no encoder", by.model),
    { name: "risk: share of wrong answers, by threshold", figure: "" },
    ...curve.map((point) => pointRow(`  from ${point.threshold.toFixed(2)}`, point, report)),
    pointRow(`  default, ${shipped.threshold.toFixed(3)}`, shipped, report),
    measuredRow("AURC", aurc, "area under the risk–coverage curve; lower is better"),
    measuredRow("ECE", calibrationError, "expected calibration error, 10 bins; higher with few labels"),
    ...(choice.type === "chosen"
      ? [
          pointRow("chosen", choice, report, `from ${decimal(choice.threshold)}; `),
          noteRow(
            "",
            `Guarantee: at most ${percent(risk)} of the answers to similar questions are wrong, with ${percent(1 - delta)} confidence, if the questions are independent (those about one page are not entirely) and more confident answers are wrong less often. The share of errors above was counted on the labels that chose the threshold; it is not the guaranteed one.`,
          ),
        ]
      : [
          noteRow(
            `threshold for ${percent(risk)}`,
            `the labelled questions are too few to prove this risk with ${percent(1 - delta)} confidence at a threshold that answers at least ${choice.least} questions. Label at least ${choice.missing} more; that suffices if all of them are answered without an error`,
            "none",
          ),
        ]),
  ];
}

function pointRow(name: string, point: OperatingPoint, { labels }: CalibrationReport, before = ""): TableRow {
  const { answered, wrong, answeredAnswerable } = point;
  const shares = `answers ${percent(answered / labels.n)} of all, ${answeredAnswerable} of ${labels.answerable} answerable`;
  return countRow(name, wrong, answered, before + shares);
}

function measuredRow(name: string, { value, low, high }: Measured, note: string): TableRow {
  return { name, figure: decimal(value), interval: `[${decimal(low)}, ${decimal(high)}]`, note };
}
