import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../shared/config.ts";
import type { InProcess } from "../text/validate.ts";
import type { WireEvaluation } from "../wire/exploring.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import { reportGolden } from "./golden-report.ts";
import type { GoldenSet } from "./golden-set.ts";
import type { GoldenFile } from "./read-golden-files.ts";
import type { Report } from "./report.ts";
import { type GoldenEngine, runGolden } from "./run-golden.ts";

export interface RunParts {
  readonly config: Config;
  readonly openEngine: (config: Config) => Promise<GoldenEngine>;
  /** Called when a run begins. */
  readonly openJudge: () => Promise<ClaimJudge>;
  /** Writes the documents that everybody may see into a folder. */
  readonly layOut: (domain: string, to: { readonly folder: string; readonly signal: AbortSignal }) => Promise<void>;
  readonly now: () => Date;
}

export interface EvaluationRun {
  readonly evaluation: Evaluation;
  /** A set with its documents, or questions alone, which are asked of a temporary copy of this installation's documents. */
  readonly asked: GoldenSet | GoldenFile;
  /** Called after every judged question and at the end. */
  readonly change: (more: Partial<Evaluation>) => void;
  readonly signal: AbortSignal;
}

/** Runs an evaluation and reports its progress. */
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

/** Returns how to repeat the run; no command asks uploaded questions of this installation's documents. */
function commandOf({ domain, profile, questions }: Evaluation): string {
  if (questions !== null) return `POST /v1/evaluations (${questions})`;
  return `sourcebound eval golden --domain ${domain}${profile === null ? "" : ` --profile ${profile}`}`;
}

/** A run over a pack's golden set or over uploaded questions: running, finished, failed or stopped. */
export type Evaluation = InProcess<Omit<WireEvaluation, "changes" | "report">> & {
  /** Metrics and judged questions; `null` until it is done. */
  readonly report: Report | null;
  /** Milliseconds per answer, in the order of the report's items. */
  readonly latenciesMs: readonly number[];
};
