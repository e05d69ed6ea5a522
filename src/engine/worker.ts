import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../shared/errors.ts";
import type { IngestCounts } from "../shared/events.ts";
import { JOB_WORD_MS, type Job } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { countsOf, type EngineDocuments } from "./documents.ts";
import { type JobEvent, type Work, type WorkOptions, workSchema } from "./engine-types.ts";
import type { Opened } from "./open.ts";
import { layOut } from "./sources.ts";
import { folderOf, uploadPlace } from "./upload-room.ts";

type WorkerParts = Pick<Opened, "uploads"> & {
  readonly store: Pick<Store, "jobs" | "originals">;
  readonly ingest: EngineDocuments["ingest"];
};

/** Milliseconds between polls of an empty queue. */
const LOOK_MS = 1_000;

export function createWorker({ store, uploads, closing: { signal: closing }, warn }: Opened, ingest: EngineDocuments["ingest"]) {
  let draining: Promise<void> | null = null;
  const work = async function* ({ once = false, signal = closing }: WorkOptions = {}): AsyncGenerator<JobEvent, void> {
    const ends = AbortSignal.any([signal, closing]);
    while (!ends.aborted) {
      // Claim each job under a new name, so that two runs of the same job have different names (`workerOf`).
      const name = randomUUID();
      const job = await store.jobs.claim(name);
      if (job !== null) yield* perform(job, name, ends, { store, uploads, ingest });
      else if (once) return;
      else await wait(LOOK_MS, undefined, { signal: ends }).catch(() => undefined);
    }
  };
  const drain = async () => {
    try {
      for await (const { type, id, reason } of work({ once: true }))
        if (type === "job-failed") warn(`a queued ingest (job ${id}) failed: ${reason}`);
    } catch (error) {
      if (!closing.aborted) warn(`queued files could not be processed: ${messageOf(error)}`);
    }
  };
  return {
    /** Runs queued jobs one after another until stopped. */
    work,
    /** Runs the currently queued jobs in the background. */
    wake() {
      // The running `drain` may end without seeing the new job, so run another one after it.
      draining = (draining ?? Promise.resolve()).then(drain);
    },
    async idle() {
      await draining;
    },
  };
}

async function* perform(job: Job, name: string, ends: AbortSignal, parts: WorkerParts): AsyncGenerator<JobEvent, void> {
  const { store } = parts;
  const { id, domain } = job;
  const lost = new AbortController();
  const word = setInterval(() => {
    store.jobs.alive(id, name).then(
      (mine) => !mine && lost.abort(new Error("another worker has taken over the job")),
      () => undefined,
    );
  }, JOB_WORD_MS);
  const about = { id, domain, counts: null, reason: null };
  try {
    const work = workSchema.parse(job.work);
    yield { ...about, type: "job-start", work };
    try {
      const counts = await read(domain, work, AbortSignal.any([ends, lost.signal]), parts);
      await store.jobs.done(id, name);
      yield { ...about, type: "job-end", work, counts };
    } catch (error) {
      if (ends.aborted) {
        await store.jobs.giveBack(id, name).catch(() => undefined);
        return;
      }
      const reason = messageOf(error);
      await store.jobs.fail(id, name, reason);
      yield { ...about, type: "job-failed", work, reason };
    }
  } finally {
    clearInterval(word);
  }
}

async function read(domain: string, work: Work, signal: AbortSignal, { store, uploads, ingest }: WorkerParts): Promise<IngestCounts> {
  if (work.type === "folder") {
    const { type: _, folder, ...options } = work;
    return countsOf(ingest(folder, { domain, ...options, signal }));
  }
  const { tenant, label } = work;
  const of = { domain, tenant, label };
  const options = { ...uploadPlace(of), access: label, allowEmpty: true, signal };
  if (uploads !== null) return countsOf(ingest(folderOf(uploads, of), options));
  const folder = await mkdtemp(join(tmpdir(), "sourcebound-uploads-"));
  try {
    await layOut(folder, of, store.originals);
    return await countsOf(ingest(folder, { ...options, passing: true }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
