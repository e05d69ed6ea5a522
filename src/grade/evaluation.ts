import type { Report } from "./report.ts";

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
