import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CheckContext } from "../../src/checks/check.ts";
import { makeReport } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { type ChecksSection, type DraftOptions, evaluateDrafts } from "../sets/drafts.ts";
import { SUPPORT_SETS } from "../sets/support-sets.ts";
import { evaluateJudgedSentences } from "./judged-sentences.ts";
import { evaluateMutations, MUTATED_SETS } from "./mutated-sentences.ts";
import { evaluateSupport } from "./support.ts";
import type { EvaluateEvent } from "./va.ts";

export interface ChecksOptions {
  /** Folder with `pages/` and folder of golden drafts; drafts are measured only with both. */
  readonly corpus?: string | undefined;
  readonly golden?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Folder of further sets: sentences to mutate, and answers judged by people; without it only the drafts are measured. */
  readonly data?: string | undefined;
  readonly domain: DraftOptions["domain"];
  readonly profile: string;
  readonly support: CheckContext["support"];
  readonly signal?: AbortSignal;
  readonly command: string;
}

/** Seed and number of mutated sentences. */
const SEED = 7;
const SENTENCES = 300;
/** Number of judged answers per task that go through every check. */
const ANSWERS = 150;

/** `eval checks`: runs the sections in sequence and joins them in one report. */
export async function* evaluateChecks(options: ChecksOptions): AsyncGenerator<EvaluateEvent, void> {
  const { data, corpus, golden, support, signal } = options;
  const sections: { name: string; run: () => Promise<ChecksSection | null> }[] = [];
  if (corpus !== undefined && golden !== undefined)
    sections.push({ name: "drafts", run: () => evaluateDrafts({ ...options, corpus, golden }) });
  if (data !== undefined) {
    const mutable = MUTATED_SETS.every((set) => existsSync(join(data, set)));
    if (mutable)
      sections.push({ name: "sentences made wrong", run: () => evaluateMutations({ ...options, data, sentences: SENTENCES, seed: SEED }) });
    const { check: settings } = profileNamed(options.profile);
    const judged = { data, settings, support, signal, answers: ANSWERS, seed: SEED };
    sections.push({ name: "judged sentences", run: () => evaluateJudgedSentences(judged) });
    if (support !== null)
      for (const set of SUPPORT_SETS) sections.push({ name: set, run: () => evaluateSupport(set, { ...judged, support }) });
  }
  if (sections.length === 0) {
    throw new RequestError("nothing_to_measure", "eval checks measures nothing without data: give --golden and --corpus, or --data.");
  }
  const measured: ChecksSection[] = [];
  for (const [done, { name, run }] of sections.entries()) {
    yield { type: "progress", done, total: sections.length, what: name };
    const section = await run();
    if (section !== null) measured.push(section);
  }
  yield {
    type: "report",
    report: makeReport({
      name: "checks",
      command: options.command,
      versions: { support: options.support?.id ?? "none" },
      seed: SEED,
      n: Object.assign({}, ...measured.map(({ n }) => n)),
      metrics: Object.assign({}, ...measured.map(({ metrics }) => metrics)),
      items: measured.flatMap(({ items }) => items),
    }),
    table: measured.flatMap(({ table }) => table),
  };
}
