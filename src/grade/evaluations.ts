import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { messageOf, RequestError } from "../errors.ts";
import { type ChosenSet, chooseSets } from "./choose-sets.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import { goldenItemSchema } from "./golden-item.ts";
import { type Change, compareGolden, reportGolden } from "./golden-report.ts";
import { renderGoldenHtml } from "./html/golden-html.ts";
import type { Report } from "./report.ts";
import { type GoldenEngine, runGolden } from "./run-golden.ts";
import { readSentQuestions, type SentQuestions } from "./sent-questions.ts";

/** A run over the golden set of a domain pack, or over questions that were sent: asked for, on its way, or done. */
export interface Evaluation {
  readonly id: string;
  readonly domain: string;
  /** `null`: the domain's own. */
  readonly profile: string | null;
  /** Name of the file of questions that was sent; `null`: the set of the pack. */
  readonly questions: string | null;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly done: number;
  readonly total: number;
  /** Why it failed. */
  readonly reason: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Figures and judged questions; `null` until it is done. */
  readonly report: Report | null;
  /** Milliseconds of each answer, in the order of the report's items. */
  readonly latenciesMs: readonly number[];
}

/** Golden runs of an installation, one at a time; what is done is kept in files until it is deleted. */
export interface Evaluations {
  /**
   * @param of.questions asked of the documents that everybody may read here; `null`: the pack's own, of the pack's own documents
   * @throws RequestError `golden_missing`, `golden_invalid`, `unknown_domain`, `unknown_profile`, `evaluation_running`
   */
  start(of: { readonly domain: string; readonly profile: string | null; readonly questions: SentQuestions | null }): Evaluation;
  /** Newest first, without the judged questions. */
  list(): Promise<Evaluation[]>;
  /** @throws RequestError `unknown_evaluation` */
  get(id: string): Promise<Evaluation>;
  /** How figures differ from those of another run on the questions that both asked. @throws RequestError `unknown_evaluation`, `evaluation_running` */
  compare(id: string, against: string): Promise<Change[]>;
  /** The run as one page that stands alone. @throws RequestError `unknown_evaluation`, `evaluation_running` */
  html(id: string): Promise<string>;
  /** Stops it if it runs, and deletes what is kept of it. @throws RequestError `unknown_evaluation` */
  delete(id: string): Promise<void>;
  /** Resolves when nothing runs any more. */
  close(): Promise<void>;
}

export interface EvaluationParts {
  readonly config: Pick<Config, "data_dir" | "domains_dir"> & Config;
  readonly openEngine: (config: Config) => Promise<GoldenEngine>;
  /** Opened when a run begins. */
  readonly openJudge: () => Promise<ClaimJudge>;
  /** Writes the documents that everybody may read into a folder. */
  readonly layOut: (domain: string, to: { readonly folder: string; readonly signal: AbortSignal }) => Promise<void>;
  readonly now?: () => Date;
}

/** Runs that are kept; the oldest go. */
const KEPT = 50;
const ID = /^eval_[0-9a-f-]{36}$/;

export function createEvaluations({ config, openEngine, openJudge, layOut, now = () => new Date() }: EvaluationParts): Evaluations {
  const folder = join(config.data_dir, "evaluations");
  let running: { evaluation: Evaluation; readonly abort: AbortController; readonly ended: Promise<void> } | null = null;

  const read = async (id: string): Promise<Evaluation> => {
    if (running?.evaluation.id === id) return running.evaluation;
    const text = ID.test(id) ? await readFile(join(folder, `${id}.json`), "utf8").catch(() => null) : null;
    if (text === null) throw unknownEvaluation(id);
    return JSON.parse(text) as Evaluation;
  };
  const doneOf = async (id: string) => {
    const { report, latenciesMs } = await read(id);
    if (report === null) throw notDone();
    return { report, latenciesMs, items: goldenItemSchema.array().parse(report.items) };
  };
  const list = async () => {
    const names = await readdir(folder).catch(() => []);
    const kept = await Promise.all(names.filter((name) => ID.test(name.replace(/\.json$/, ""))).map((name) => read(name.slice(0, -5))));
    const all = running === null ? kept : [running.evaluation, ...kept];
    return all.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  };
  const run = async ({ id, profile, questions }: Evaluation, { set, domain }: ChosenSet, signal: AbortSignal) => {
    const change = (more: Partial<Evaluation>) => {
      if (running?.evaluation.id === id) running.evaluation = { ...running.evaluation, ...more };
    };
    const options = { config, domain, profile: profile ?? undefined, signal, openEngine, judge: await openJudge() };
    const flags = [...(questions === null ? [] : [` --golden ${questions}`]), ...(profile === null ? [] : [` --profile ${profile}`])];
    const command = `sourcebound eval golden --domain ${domain}${flags.join("")}`;
    let done = 0;
    for await (const event of runGolden(set, options)) {
      if (event.type === "item") change({ done: ++done });
      if (event.type !== "judged") continue;
      const { report } = reportGolden([{ ...event, name: set.name }], { command, now: now() });
      change({ state: "done", done, report, latenciesMs: event.latenciesMs });
    }
  };
  /** Over the documents that are searched here, for as long as it takes. */
  const runSent = async (evaluation: Evaluation, chosen: ChosenSet, signal: AbortSignal) => {
    const folder = await mkdtemp(join(tmpdir(), "sourcebound-documents-"));
    try {
      await layOut(evaluation.domain, { folder, signal });
      await run(evaluation, { ...chosen, set: { ...chosen.set, corpus: folder, documents: folder } }, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    start({ domain, profile, questions }) {
      if (running !== null) throw new RequestError("evaluation_running", "A golden run is on its way: wait for its end, or stop it.");
      const [chosen] = questions === null ? chooseSets({ domain }, config.domains_dir) : [setOf(domain, questions)];
      if (chosen === undefined) throw new RequestError("golden_missing", `The pack "${domain}" brings no golden set.`);
      const { set } = chosen;
      const evaluation: Evaluation = {
        ...{ id: `eval_${randomUUID()}`, domain, profile, questions: questions?.name ?? null, state: "running", done: 0 },
        ...{
          total: set.answerable.length + set.unanswerable.length,
          reason: null,
          startedAt: now().toISOString(),
          endedAt: null,
          ...{ report: null, latenciesMs: [] },
        },
      };
      const abort = new AbortController();
      const end = async (more: Partial<Evaluation>) => {
        if (running === null) return;
        const ended = { ...running.evaluation, ...more, endedAt: now().toISOString() };
        await keep(folder, ended);
        running = null;
        for (const old of (await list()).slice(KEPT)) await rm(join(folder, `${old.id}.json`), { force: true });
      };
      const ended = (questions === null ? run : runSent)(evaluation, chosen, abort.signal).then(
        () => end({}),
        (error: unknown) => end(abort.signal.aborted ? { state: "stopped" } : { state: "failed", reason: messageOf(error) }),
      );
      running = { evaluation, abort, ended: ended.catch(() => {}) };
      return evaluation;
    },
    list: async () => (await list()).map((one) => ({ ...one, report: one.report === null ? null : { ...one.report, items: [] } })),
    get: read,
    async compare(id, against) {
      return compareGolden((await doneOf(id)).items, (await doneOf(against)).items);
    },
    async html(id) {
      return renderGoldenHtml({ ...(await doneOf(id)), changes: null });
    },
    async delete(id) {
      if (running?.evaluation.id === id) {
        const { abort, ended } = running;
        abort.abort();
        await ended;
      }
      await read(id);
      await rm(join(folder, `${id}.json`), { force: true });
    },
    async close() {
      running?.abort.abort();
      await running?.ended;
    },
  };
}

function setOf(domain: string, questions: SentQuestions): ChosenSet {
  return { set: { name: domain, corpus: "", documents: "", tenants: {}, ...readSentQuestions(questions) }, domain };
}

/** Written beside first, so that nobody reads half a file. */
async function keep(folder: string, evaluation: Evaluation): Promise<void> {
  const path = join(folder, `${evaluation.id}.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(`${path}.part`, JSON.stringify(evaluation));
  await rename(`${path}.part`, path);
}

function unknownEvaluation(id: string): RequestError {
  return new RequestError("unknown_evaluation", "There is no such golden run here: GET /v1/evaluations lists them.", {
    id: id.slice(0, 100),
  });
}

function notDone(): RequestError {
  return new RequestError("evaluation_running", "This golden run is not done: compare runs that came to their end.");
}
