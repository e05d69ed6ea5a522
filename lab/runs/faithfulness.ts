import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { checkFaithfulness, createEntailmentCheck, type FaithfulnessJudges, type PassageTexts } from "../../src/checks/guard-answer.ts";
import { createReader } from "../../src/checks/statements.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createReaderKeeper, createShippedSupport } from "../../src/engine/local-models.ts";
import type { ChosenFolders } from "../../src/grading/choose-sets.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { readGoldenSet } from "../../src/grading/golden-set.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, decimal, makeReport, type TableRow } from "../../src/grading/report.ts";
import { openGoldenSet } from "../../src/grading/run-golden.ts";
import { documentQuotes } from "../../src/ingest/document-quotes.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import { VALIDATOR_GUARDS } from "../../src/profiles/guards.ts";
import { validator } from "../../src/profiles/validator.ts";
import { retrievePassages } from "../../src/retrieval/retrieve.ts";
import type { Config } from "../../src/shared/config.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { accuracyAt, chooseOnHalves } from "../judges/halves.ts";
import { makeDrafts } from "../made/golden-drafts.ts";
import { draftSchema } from "../sets/golden-drafts.ts";
import type { EvaluateEvent } from "./va.ts";

export interface FaithfulnessOptions {
  readonly sets: readonly ChosenFolders[];
  readonly seed: number;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

type Judges = Omit<FaithfulnessJudges, "question">;

interface Scored {
  readonly set: string;
  /** `none`: faithful. */
  readonly fault: string;
  /** `null`: not scored. */
  readonly score: number | null;
}

const { faithfulness } = VALIDATOR_GUARDS;
/** Score from which `validator` considers an answer faithful. */
const SHIPPED = faithfulness?.minimum ?? 0;

/**
 * Scores sentences of gold quotes, unchanged and with one fault each, against the three passages that `validator` retrieves, if these
 * contain the original. Chooses the threshold with the best balanced accuracy on every other set and reports it on the rest. Then scores
 * drafts written by people, against the pages they cite.
 */
export async function* evaluateFaithfulness(options: FaithfulnessOptions): AsyncGenerator<EvaluateEvent, void> {
  const keeper = createReaderKeeper();
  const judges = { support: createShippedSupport(keeper), entails: createEntailmentCheck(createReader(), null) };
  const made: Scored[] = [];
  const written: Scored[] = [];
  for (const folders of options.sets) {
    yield* scoreMade(folders, judges, options, made);
    yield* scoreWritten(folders, judges, options, written);
  }
  await keeper.close();
  yield { type: "report", ...summarize(made, written, options) };
}

/** Appends to `scored` and yields progress. */
async function* scoreMade(
  folders: ChosenFolders,
  judges: Judges,
  options: FaithfulnessOptions,
  scored: Scored[],
): AsyncGenerator<EvaluateEvent, void> {
  const { config, signal, seed } = options;
  const set = readGoldenSet(folders);
  yield { type: "progress", done: 0, total: 0, what: `${folders.name}: reading its documents` };
  const opened = await openGoldenSet(set, { config, domain: folders.domain, signal, openEngine: createEngine });
  try {
    const { engine, domain } = opened;
    const paths = (await engine.store.documents.outlines(engine.scope({ domain }))).map(({ path }) => path);
    const drafts = makeDrafts(set, paths, createRandom(seed)).filter(({ fault }) => fault !== "citation");
    const found = new Map<string, PassageTexts[]>();
    for (const [i, { question, text, original, fault }] of drafts.entries()) {
      await setImmediate();
      signal.throwIfAborted();
      yield { type: "progress", done: i, total: drafts.length, what: `${folders.name}: made drafts` };
      const passages = found.get(question) ?? (await passagesFor(question, engine, domain, signal));
      found.set(question, passages);
      // Without the original among the passages, an error of the score and one of the search could not be told apart.
      if (!passages.some(([passage]) => passage.includes(original))) continue;
      scored.push({ set: folders.name, fault, score: await scoreOf({ question, text }, passages, judges) });
    }
  } finally {
    await opened.close();
  }
}

async function passagesFor(text: string, engine: Engine, domain: string, signal: AbortSignal): Promise<PassageTexts[]> {
  const scope = engine.scope({ domain });
  const rest = { profile: validator.name, detail: "normal", sessionId: null, selection: null, history: [], injectionSignals: [] } as const;
  const question = { text, resolved: text, scope, ...rest };
  const { passages } = await retrievePassages(question, validator.retrieve, await engine.pipelineContext(domain, validator.name), signal);
  return passages.map(({ text: passage, document, headingPath }) => [passage, document.title, ...headingPath]);
}

/** Scores drafts with annotated faults against all text of the pages they cite. */
async function* scoreWritten(
  { name, corpus, golden }: ChosenFolders,
  judges: Judges,
  { signal }: FaithfulnessOptions,
  scored: Scored[],
): AsyncGenerator<EvaluateEvent, void> {
  const files = readdirSync(golden).filter((file) => /^(?:.*-)?drafts.*\.jsonl$/.test(file));
  const drafts = files.flatMap((file) => readGolden(golden, file.replace(/\.jsonl$/, ""), draftSchema));
  const questions = new Map(readGoldenSet({ name, corpus, golden }).answerable.map(({ id, question }) => [id, question]));
  const known = new Map<string, readonly PassageTexts[]>();
  const passagesOf = (page: string): readonly PassageTexts[] => {
    const read =
      known.get(page) ??
      parseFile({ path: page, bytes: readFileSync(join(corpus, page)) }).flatMap((document) =>
        documentQuotes(document).map(({ text, above }): PassageTexts => [text, ...above]),
      );
    known.set(page, read);
    return read;
  };
  for (const [i, { draft, source_pages, fault, question_id }] of drafts.entries()) {
    await setImmediate();
    signal.throwIfAborted();
    yield { type: "progress", done: i, total: drafts.length, what: `${name}: written drafts` };
    const text = draft.replaceAll(/ ?\[\d+\]/g, "");
    scored.push({
      set: name,
      fault,
      score: await scoreOf({ question: questions.get(question_id) ?? "", text }, source_pages.flatMap(passagesOf), judges),
    });
  }
}

async function scoreOf(
  { question, text }: { readonly question: string; readonly text: string },
  passages: readonly PassageTexts[],
  judges: Judges,
): Promise<number | null> {
  if (faithfulness === null) throw new Error("validator grades faithfulness");
  const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end));
  return (await checkFaithfulness(sentences, passages, { ...judges, question }, faithfulness)).score;
}

/** Adds the rejected faulty and faithful drafts of one set. */
function addSet(
  set: string,
  what: string,
  some: readonly Scored[],
  { table, metrics }: { readonly table: TableRow[]; readonly metrics: Record<string, number | null> },
): void {
  for (const kind of ["faulty", "faithful"] as const) {
    const of = some.filter((one) => one.set === set && (one.fault === "none") === (kind === "faithful"));
    const failed = of.filter(({ score }) => score !== null && score < SHIPPED).length;
    metrics[`${what}.${set}.n.${kind}`] = of.length;
    metrics[`${what}.${set}.failed.${kind}`] = of.length === 0 ? null : failed / of.length;
    table.push(countRow(`  ${set}: ${kind} failed`, failed, of.length));
  }
}

function summarize(made: readonly Scored[], written: readonly Scored[], { command, seed }: FaithfulnessOptions) {
  const casesOf = (some: readonly Scored[]) => some.map((one) => ({ ...one, positive: one.fault === "none" }));
  const { table, metrics } = chooseOnHalves(casesOf(made));
  const counted: [string, readonly Scored[]][] = [
    ["made", made],
    ["written", written],
  ];
  for (const [what, some] of counted) {
    const accuracy = accuracyAt(casesOf(some), SHIPPED);
    metrics[`${what}.balanced_accuracy`] = accuracy;
    table.push({ name: `${what} drafts at ${SHIPPED}`, figure: `balanced accuracy ${decimal(accuracy)}` });
    for (const fault of [...new Set(some.map((one) => one.fault))].sort()) {
      const of = some.filter((one) => one.fault === fault);
      const failed = of.filter(({ score }) => score !== null && score < SHIPPED).length;
      metrics[`${what}.failed.${fault}`] = failed / of.length;
      metrics[`${what}.n.${fault}`] = of.length;
      table.push(countRow(`  failed: ${fault}`, failed, of.length, fault === "none" ? "faithful: to be passed" : ""));
    }
    for (const set of [...new Set(some.map((one) => one.set))]) addSet(set, what, some, { table, metrics });
  }
  const n = { made: made.length, written: written.length };
  return {
    report: makeReport({ name: "faithfulness", command, seed, n, metrics, items: [...made, ...written].map((one) => ({ ...one })) }),
    table,
  };
}
