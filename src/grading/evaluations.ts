import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../shared/config.ts";
import { messageOf, RequestError } from "../shared/errors.ts";
import { compareText } from "../text/normalise.ts";
import type { InProcess } from "../text/validate.ts";
import type { WireEvaluation } from "../wire/exploring.ts";
import { type ChosenSet, chooseSets } from "./choose-sets.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import { renderGoldenHtml } from "./golden-html.ts";
import { goldenItemSchema } from "./golden-item.ts";
import { compareGolden, reportGolden } from "./golden-report.ts";
import type { GoldenSet } from "./golden-set.ts";
import { type GoldenFile, parseGoldenFile } from "./read-golden-files.ts";
import type { Report } from "./report.ts";
import { type GoldenEngine, runGolden } from "./run-golden.ts";

export type Evaluations = ReturnType<typeof createEvaluations>;

/** Maximum number of stored runs. When there are more, the oldest is deleted. */
const KEPT = 50;
const ID = /^eval_[0-9a-f-]{36}$/;

/** Creates the service that runs golden sets and stores the results in files. Only one run is possible at a time. */
export function createEvaluations({ now = () => new Date(), ...parts }: Omit<RunParts, "now"> & Partial<Pick<RunParts, "now">>) {
  const { config } = parts;
  const kept = keptIn(join(config.data_dir, "evaluations"));
  let running: { evaluation: Evaluation; readonly abort: AbortController; readonly ended: Promise<void> } | null = null;

  const read = async (id: string) => (running?.evaluation.id === id ? running.evaluation : await kept.read(id));
  const list = async () => {
    const all = [...(running === null ? [] : [running.evaluation]), ...(await kept.list())];
    return all.sort((a, b) => compareText(b.startedAt, a.startedAt));
  };
  return {
    /**
     * Starts a run.
     * @param of.questions uploaded questions about the documents of this installation that everybody may see; `null`: the
     * golden set of the domain pack
     * @throws RequestError `golden_missing`, `golden_invalid`, `unknown_domain`, `unknown_profile`, `evaluation_running`
     */
    start(
      of: Pick<Evaluation, "domain" | "profile"> & { readonly questions: Readonly<Record<"name" | "text", string>> | null },
    ): Evaluation {
      const { domain, profile, questions } = of;
      if (running !== null)
        throw new RequestError("evaluation_running", "An evaluation run is in progress. Wait until it ends, or stop it.");
      const asked =
        questions === null
          ? (chooseSets({ domain }, config.domains_dir)[0] as ChosenSet).set
          : parseGoldenFile(questions.name, questions.text);
      const total = asked.answerable.length + asked.unanswerable.length;
      const evaluation: Evaluation = {
        ...{ id: `eval_${randomUUID()}`, domain, profile, questions: questions?.name ?? null, total, startedAt: now().toISOString() },
        ...{ state: "running", done: 0, reason: null, endedAt: null, report: null },
      };
      const abort = new AbortController();
      const end = async (more: Partial<Evaluation>) => {
        if (running === null) return;
        const ended = { ...running.evaluation, ...more, endedAt: now().toISOString() };
        await kept.write(ended);
        running = null;
        for (const { id } of (await list()).slice(KEPT)) await kept.remove(id);
      };
      const change = (more: Partial<Evaluation>) => {
        if (running?.evaluation.id === evaluation.id) running.evaluation = { ...running.evaluation, ...more };
      };
      const ended = runEvaluation({ ...parts, now }, { evaluation, asked, change, signal: abort.signal }).then(
        () => end({}),
        (error: unknown) => end(abort.signal.aborted ? { state: "stopped" } : { state: "failed", reason: messageOf(error) }),
      );
      running = { evaluation, abort, ended: ended.catch(() => {}) };
      return evaluation;
    },
    /** Lists the runs, newest first, without their judged questions. */
    list: async () => (await list()).map((one) => ({ ...one, report: one.report === null ? null : { ...one.report, items: [] } })),
    /** @throws RequestError `unknown_evaluation` */
    get: read,
    /**
     * Compares the metrics of two runs on the questions that both have.
     * @throws RequestError `unknown_evaluation`, `evaluation_running`
     */
    compare: async (id: string, against: string) => compareGolden(judgedIn(await read(id)).items, judgedIn(await read(against)).items),
    /** Renders a run as one self-contained HTML page. @throws RequestError `unknown_evaluation`, `evaluation_running` */
    html: async (id: string) => renderGoldenHtml({ ...judgedIn(await read(id)), changes: null }),
    /** Stops a run and deletes its results. @throws RequestError `unknown_evaluation` */
    async delete(id: string) {
      if (running?.evaluation.id === id) {
        const { abort, ended } = running;
        abort.abort();
        await ended;
      }
      await read(id);
      await kept.remove(id);
    },
    /** Stops the current run. Resolves when the run has ended. */
    async close() {
      running?.abort.abort();
      await running?.ended;
    },
  };
}

/** Returns the judged questions of a run. @throws RequestError `evaluation_running` */
function judgedIn({ report }: Evaluation) {
  if (report === null) throw new RequestError("evaluation_running", "This evaluation run is not complete. Choose a completed run.");
  return { report, items: goldenItemSchema.array().parse(report.items) };
}

/** Creates the storage of runs, one file per run. */
function keptIn(folder: string) {
  const pathOf = (id: string) => join(folder, `${id}.json`);
  /** @throws RequestError `unknown_evaluation` */
  const read = async (id: string): Promise<Evaluation> => {
    const text = ID.test(id) ? await readFile(pathOf(id), "utf8").catch(() => null) : null;
    if (text !== null) return JSON.parse(text) as Evaluation;
    const message = "This evaluation run does not exist. GET /v1/evaluations lists the runs.";
    throw new RequestError("unknown_evaluation", message, { id: id.slice(0, 100) });
  };
  return {
    read,
    async list(): Promise<Evaluation[]> {
      const names = await readdir(folder).catch(() => []);
      return await Promise.all(names.filter((name) => ID.test(name.replace(/\.json$/, ""))).map((name) => read(name.slice(0, -5))));
    },
    /** Writes to a temporary file first, so that readers never see a partial file. */
    async write(evaluation: Evaluation): Promise<void> {
      const path = pathOf(evaluation.id);
      await mkdir(folder, { recursive: true });
      await writeFile(`${path}.part`, JSON.stringify(evaluation));
      await rename(`${path}.part`, path);
    },
    remove: (id: string) => rm(pathOf(id), { force: true }),
  };
}

interface RunParts {
  readonly config: Config;
  readonly openEngine: (config: Config) => Promise<GoldenEngine>;
  /** Opens the judge of answer sentences. Called when a run begins. */
  readonly openJudge: () => Promise<ClaimJudge>;
  /** Writes the documents that everybody may see into a folder. */
  readonly layOut: (domain: string, to: { readonly folder: string; readonly signal: AbortSignal }) => Promise<void>;
  readonly now: () => Date;
}

interface EvaluationRun {
  readonly evaluation: Evaluation;
  /**
   * A golden set with its documents, or only questions. Such questions are asked about a temporary copy of this installation's documents.
   */
  readonly asked: GoldenSet | GoldenFile;
  /** Called with the changed fields, after every judged question and at the end. */
  readonly change: (more: Partial<Evaluation>) => void;
  readonly signal: AbortSignal;
}

async function runEvaluation(parts: RunParts, { asked, ...run }: EvaluationRun): Promise<void> {
  if ("documents" in asked) return await runSet(asked, parts, run);
  const { domain } = run.evaluation;
  const folder = await mkdtemp(join(tmpdir(), "sourcebound-documents-"));
  try {
    await parts.layOut(domain, { folder, signal: run.signal });
    await runSet({ ...asked, name: domain, corpus: folder, documents: folder, tenants: {} }, parts, run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSet(
  set: GoldenSet,
  { config, openEngine, openJudge, now }: RunParts,
  { evaluation, change, signal }: Omit<EvaluationRun, "asked">,
): Promise<void> {
  const { domain, profile } = evaluation;
  const options = { config, domain, profile: profile ?? undefined, signal, openEngine, judge: await openJudge() };
  const command = commandOf(evaluation);
  let done = 0;
  for await (const event of runGolden(set, options)) {
    if (event.type === "item") change({ done: ++done });
    if (event.type !== "judged") continue;
    const { report } = reportGolden([{ ...event, name: set.name }], { command, now: now() });
    change({ state: "done", done, report });
  }
}

/**
 * Returns the command that repeats the run. For uploaded questions it is an HTTP request, because they are asked about the
 * documents of the installation.
 */
function commandOf({ domain, profile, questions }: Evaluation): string {
  if (questions !== null) return `POST /v1/evaluations (${questions})`;
  return `sourcebound eval golden --domain ${domain}${profile === null ? "" : ` --profile ${profile}`}`;
}

/** A run over a pack's golden set or over uploaded questions: running, finished, failed or stopped. */
export type Evaluation = InProcess<Omit<WireEvaluation, "changes" | "report">> & {
  /** Metrics and judged questions; `null` until the run has finished. */
  readonly report: Report | null;
};
