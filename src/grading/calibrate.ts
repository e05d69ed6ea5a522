import { join } from "node:path";
import type { Engine } from "../engine/engine.ts";
import { calibrationName, type GateCalibration, type GateFacts, gateCalibrationSchema } from "../evidence/calibration.ts";
import { VERSION } from "../package.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { replaceFile } from "../retrieval/snapshot-keeper.ts";
import { messageOf, RequestError, StoreError } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { type AskLabelledEvent, askLabelled, type JudgedQuestion } from "./ask-labelled.ts";
import { chooseThreshold } from "./choose-threshold.ts";
import { type LabelledQuestions, readLabelledQuestions } from "./labelled-questions.ts";
import { clusterBootstrap, expectedCalibrationError, type Interval, riskCoverageArea, wilson } from "./metrics.ts";

export interface CalibrateOptions {
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  /** File or folder of labelled questions. @default the domain pack's own */
  readonly golden?: string | undefined;
  readonly risk: number;
  readonly delta: number;
  readonly date: Date;
  readonly signal: AbortSignal;
}

export type Measured = NonNullable<ReturnType<typeof clusterBootstrap>>;
type Summary = ReturnType<typeof summarise>;
/** `calibration`: what to write; `null`: too few labels. */
export type CalibrationReport = Summary & { readonly calibration: GateCalibration | null };

export type CalibrateEvent =
  | { readonly type: "progress"; readonly done: number; readonly total: number; readonly what: string }
  | { readonly type: "report"; readonly report: CalibrationReport };

const SEED = 1;
const DRAWS = 1000;
/** Thresholds of the printed curve. */
const CURVE = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0];

/**
 * Asks labelled questions without a threshold and chooses the threshold that controls a risk. Writes nothing.
 * @throws RequestError when nothing can be calibrated: no labelled questions, another gate, an index too small
 */
export async function* calibrate(engine: Engine, options: CalibrateOptions): AsyncGenerator<CalibrateEvent, void> {
  const { signal, risk, delta, date } = options;
  const pack = engine.domain(options.domain);
  const profile = options.profile ?? engine.config.profile ?? pack.default_profile;
  const facts = engine.gateFacts(pack.name, profile);
  if (facts === null)
    throw new RequestError(
      "calibrate_profile",
      `Profile "${profile}" refuses by the rules of its source. Only a profile with the learned gate can be calibrated, such as sourcebound (--profile).`,
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

/** Describes the documents of all askers in the labelled questions. */
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

/** A question that is answered if its confidence reaches the threshold. */
interface Answered extends JudgedQuestion {
  readonly chance: number;
}

function summarise(
  { questions, by, unjudgeable }: Extract<AskLabelledEvent, { readonly type: "judged" }>,
  { sha256, repeated }: LabelledQuestions,
  { domain, profile }: GateFacts,
  { risk, delta }: Pick<CalibrateOptions, "risk" | "delta">,
) {
  const answered = questions.filter((one): one is Answered => one.answered && one.chance !== null);
  if (answered.length === 0) {
    const message = `None of the ${questions.length} labelled questions was answered, so there is nothing to calibrate.`;
    throw new RequestError("calibrate_nothing", message);
  }
  const clusters = answered.map(({ cluster }) => cluster);
  const options = { draws: DRAWS, seed: SEED };
  const bounded = (figure: (some: readonly Answered[]) => number | null): Measured =>
    clusterBootstrap(clusters, (indexes) => figure(indexes.map((i) => answered[i] as Answered)), options) ?? { value: 0, low: 0, high: 0 };
  const unanswerable: Record<string, number> = {};
  for (const { kind } of questions) if (kind !== "answerable") unanswerable[kind] = (unanswerable[kind] ?? 0) + 1;
  const scored = answered.map(({ chance, wrong }) => ({ score: chance, wrong }));
  return {
    ...{ domain, profile, risk, delta, by },
    labels: {
      sha256,
      n: questions.length,
      answerable: questions.filter(({ kind }) => kind === "answerable").length,
      unanswerable,
      /** Number of pages of the answerable questions: questions about one page are not independent. */
      pages: new Set(questions.flatMap(({ kind, cluster }) => (kind === "answerable" ? [cluster] : []))).size,
      ...{ repeated, unjudgeable },
    },
    /** Strictest first; the last point answers everything. */
    curve: CURVE.map((threshold) => pointAt(answered, threshold)),
    shipped: pointAt(answered, readRankingWeights().threshold.minimum),
    aurc: bounded((some) => riskCoverageArea(some.map(({ chance, wrong }) => ({ score: chance, wrong })))),
    calibrationError: bounded((some) => expectedCalibrationError(some.map(({ chance, wrong }) => ({ score: chance, right: !wrong })))),
    choice: chooseThreshold(scored, risk, delta),
    questions,
  };
}

export type OperatingPoint = ReturnType<typeof pointAt>;

/** Counts the labelled questions at a threshold. */
function pointAt(answered: readonly Answered[], threshold: number) {
  const some = answered.filter(({ chance }) => chance >= threshold);
  return {
    threshold,
    answered: some.length,
    wrong: some.filter(({ wrong }) => wrong).length,
    answeredAnswerable: some.filter(({ kind }) => kind === "answerable").length,
  };
}

/** Builds the calibration file; `null`: no threshold was chosen. */
function artifactOf(report: Summary, facts: GateFacts, documents: GateCalibration["documents"], date: Date): GateCalibration | null {
  const { choice, questions, labels, risk, delta, by, aurc, calibrationError } = report;
  if (choice.type !== "chosen") return null;
  const { threshold, answered, wrong } = choice;
  const interval = wilson(wrong, answered) as Interval;
  const reaches = ({ chance, answered, kind }: JudgedQuestion) =>
    answered && kind === "answerable" && chance !== null && chance >= threshold;
  return {
    format: "sourcebound-gate-calibration-1",
    name: calibrationName(facts, date),
    date: date.toISOString(),
    version: VERSION,
    ...{ domain: facts.domain, profile: facts.profile, settings: facts.settings },
    encoder: by.encoder,
    weights: { id: facts.weights, model: by.model },
    writer: facts.writer,
    documents,
    labels: { sha256: labels.sha256, n: labels.n, answerable: labels.answerable, unanswerable: { ...labels.unanswerable } },
    risk,
    delta,
    threshold,
    measured: {
      answered,
      wrong,
      risk: { value: wrong / answered, ...interval },
      coverage: answered / questions.length,
      answered_answerable: questions.filter(reaches).length,
      reached: questions.filter(({ chance }) => chance !== null && chance >= threshold).length,
    },
    aurc,
    calibration_error: calibrationError,
    chances: questions.flatMap(({ chance }) => chance ?? []).sort((a, b) => a - b),
  };
}

/**
 * Writes a calibration file atomically.
 * @param out replaces the path at which the engine looks for it
 * @returns path of the file
 * @throws StoreError `calibration_unwritable`
 */
export async function writeCalibration(calibration: GateCalibration, folder: string, out?: string): Promise<string> {
  const path = out ?? join(folder, `${calibration.name}.json`);
  const text = `${JSON.stringify(gateCalibrationSchema.parse(calibration), null, 2)}\n`;
  try {
    await replaceFile(path, [new TextEncoder().encode(text)], async () => true);
    return path;
  } catch (cause) {
    const message = `The calibration could not be written to ${path} (${messageOf(cause)}). Choose a writable location.`;
    throw new StoreError("calibration_unwritable", message, { path }, { cause });
  }
}
