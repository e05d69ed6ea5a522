import { z } from "zod";
import type { IngestCounts } from "../events.ts";
import type { Job } from "../store/jobs.ts";
import type { OriginalsOf } from "../store/origins.ts";

/** What a job asks for: files that were uploaded, or a folder that every worker sees under the same path. */
export const workSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("uploads"), tenant: z.string().nullable(), label: z.string() }),
  z.object({
    type: z.literal("folder"),
    folder: z.string(),
    tenant: z.string().nullable(),
    source: z.string(),
    root: z.string(),
    access: z.string().optional(),
    baseUrl: z.string().optional(),
    allowEmpty: z.boolean(),
  }),
]);
export type Work = z.infer<typeof workSchema>;

/** A job that a worker did. */
export interface JobEvent {
  readonly type: "job-start" | "job-end" | "job-failed";
  readonly id: string;
  readonly domain: string;
  readonly work: Work;
  /** Of `job-end`. */
  readonly counts: IngestCounts | null;
  /** Of `job-failed`. */
  readonly reason: string | null;
}

export interface WorkOptions {
  /** Ends when nothing is queued. @default false */
  readonly once?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function uploadJob({ domain, tenant, label }: OriginalsOf): Job {
  return { id: JSON.stringify(["uploads", domain, tenant, label]), domain, work: { type: "uploads", tenant, label } satisfies Work };
}
