import type { CheckContext } from "../check/check.ts";
import { type DraftOptions, evaluateDrafts } from "./drafts.ts";
import { evaluateMutations } from "./mutated-sentences.ts";
import { versionsOf } from "./report.ts";
import type { EvaluateEvent } from "./va.ts";

export interface ChecksOptions {
  readonly corpus: string;
  readonly golden: string;
  readonly baseUrl?: string | undefined;
  /** Folder of further sets; without it only the drafts are measured. */
  readonly data?: string | undefined;
  readonly domain: DraftOptions["domain"];
  readonly profile: string;
  readonly support: CheckContext["support"];
  readonly command: string;
}

/** Seed and size of the sentences that are made wrong. */
const SEED = 7;
const SENTENCES = 300;

/** `eval checks`: one section after the other, joined in one report. A further section is one more line. */
export async function* evaluateChecks(options: ChecksOptions): AsyncGenerator<EvaluateEvent, void> {
  const { data } = options;
  const sections = [
    { name: "drafts", run: () => evaluateDrafts(options) },
    ...(data === undefined
      ? []
      : [{ name: "sentences made wrong", run: () => evaluateMutations({ ...options, data, sentences: SENTENCES, seed: SEED }) }]),
  ];
  const measured = [];
  for (const [done, { name, run }] of sections.entries()) {
    yield { type: "progress", done, total: sections.length, what: name };
    measured.push(await run());
  }
  yield {
    type: "report",
    report: {
      name: "checks",
      command: options.command,
      versions: { ...versionsOf(), support: options.support?.id ?? "none" },
      seed: SEED,
      date: new Date().toISOString(),
      n: Object.assign({}, ...measured.map(({ n }) => n)),
      metrics: Object.assign({}, ...measured.map(({ metrics }) => metrics)),
      timings: {},
      items: measured.flatMap(({ items }) => items),
    },
    table: measured.flatMap(({ table }) => table),
  };
}
