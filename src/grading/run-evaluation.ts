import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../shared/config.ts";
import type { WireEvaluation } from "../wire/exploring.ts";
import type { InProcess } from "../wire/to-wire.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import { reportGolden } from "./golden-report.ts";
import type { GoldenSet } from "./golden-set.ts";
import type { GoldenFile } from "./read-golden-files.ts";
import type { Report } from "./report.ts";
import { type GoldenEngine, runGolden } from "./run-golden.ts";

export interface RunParts {
  readonly config: Config;
  readonly openEngine: (config: Config) => Promise<GoldenEngine>;
  /** Opened when a run begins. */
  readonly openJudge: () => Promise<ClaimJudge>;
  /** Writes the documents that everybody may read into a folder. */
  readonly layOut: (domain: string, to: { readonly folder: string; readonly signal: AbortSignal }) => Promise<void>;
  readonly now: () => Date;
}

export interface EvaluationRun {
  readonly evaluation: Evaluation;
  /** A set with its documents, or questions alone: they are asked of the documents that are searched here, for as long as it takes. */
  readonly asked: GoldenSet | GoldenFile;
  /** Told of every question that was judged, and of the end. */
  readonly change: (more: Partial<Evaluation>) => void;
  readonly signal: AbortSignal;
}

/** Asks what is to be asked, and says of the evaluation what became of it. */
export async function runEvaluation(parts: RunParts, { asked, ...run }: EvaluationRun): Promise<void> {
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
    change({ state: "done", done, report, latenciesMs: event.asked.map(({ latencyMs }) => latencyMs) });
  }
}

/** What would run the same again: no command line asks sent questions of the documents that are searched here. */
function commandOf({ domain, profile, questions }: Evaluation): string {
  if (questions !== null) return `POST /v1/evaluations (${questions})`;
  return `sourcebound eval golden --domain ${domain}${profile === null ? "" : ` --profile ${profile}`}`;
}

/** A run over the golden set of a domain pack, or over questions that were sent: asked for, on its way, or done. */
export type Evaluation = InProcess<Omit<WireEvaluation, "changes" | "report">> & {
  /** Figures and judged questions; `null` until it is done. */
  readonly report: Report | null;
  /** Milliseconds of each answer, in the order of the report's items. */
  readonly latenciesMs: readonly number[];
};
