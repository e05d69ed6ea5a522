import type { Kysely } from "kysely";
import { transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** Reading that is to be done. */
export interface Job {
  /** Names what is to be read: asked for twice, it is done once. */
  readonly id: string;
  readonly domain: string;
  /** JSON whose shape is its asker's. */
  readonly work: unknown;
}

export interface JobState extends Job {
  readonly state: "queued" | "running" | "failed";
  readonly reason: string | null;
}

/** Milliseconds without a word after which a worker's job is another one's: six times the time between two words. */
export const JOB_LEASE_MS = 60_000;
export const JOB_WORD_MS = 10_000;

/** A queue for whichever process comes first. */
export interface JobStore {
  /** Queues a job; one that is being done is done once more afterwards. */
  ask(job: Job): Promise<void>;
  /** The oldest job that nobody does, or whose worker has not been heard of for `JOB_LEASE_MS`; `null`: there is none. No two workers get the same. */
  claim(worker: string): Promise<Job | null>;
  /** Says that the worker is still at it; `false`: the job is another one's now. */
  alive(id: string, worker: string): Promise<boolean>;
  /** Done; asked for again meanwhile, it is queued. */
  done(id: string, worker: string): Promise<void>;
  /** The worker stops: the next one begins at once. */
  giveBack(id: string, worker: string): Promise<void>;
  fail(id: string, worker: string, reason: string): Promise<void>;
  /** Jobs of a domain, in the order of asking. */
  list(domain: string): Promise<JobState[]>;
}

export function createJobStore(db: Kysely<Database>, now: () => Date): JobStore {
  const settle = (id: string, worker: string, failure: string | null) =>
    transact(db, async (trx) => {
      const row = await trx
        .selectFrom("jobs")
        .select("state")
        .where("id", "=", id)
        .where("worker", "=", worker)
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) return;
      if (row.state !== "queued" && failure === null) {
        await trx.deleteFrom("jobs").where("id", "=", id).execute();
        return;
      }
      const state = row.state === "queued" ? ("queued" as const) : ("failed" as const);
      await trx
        .updateTable("jobs")
        .set({ state, reason: failure, worker: null, aliveAt: null, updatedAt: now().toISOString() })
        .where("id", "=", id)
        .execute();
    });
  return {
    async ask({ id, domain, work }) {
      const at = now().toISOString();
      const asked = { work: JSON.stringify(work), state: "queued" as const, reason: null, updatedAt: at };
      await db
        .insertInto("jobs")
        .values({ id, domain, ...asked, worker: null, aliveAt: null, createdAt: at })
        .onConflict((c) => c.column("id").doUpdateSet(asked))
        .execute();
    },
    claim: (worker) =>
      transact(db, async (trx) => {
        const at = now();
        const silent = new Date(at.getTime() - JOB_LEASE_MS).toISOString();
        const row = await trx
          .selectFrom("jobs")
          .select(["id", "domain", "work"])
          .where("state", "in", ["queued", "running"])
          .where((eb) => eb.or([eb("worker", "is", null), eb("aliveAt", "<", silent)]))
          .orderBy("seq")
          .limit(1)
          .forUpdate()
          .skipLocked()
          .executeTakeFirst();
        if (row === undefined) return null;
        const taken = { state: "running" as const, worker, aliveAt: at.toISOString(), updatedAt: at.toISOString() };
        await trx.updateTable("jobs").set(taken).where("id", "=", row.id).execute();
        return { ...row, work: JSON.parse(row.work) as unknown };
      }),
    async alive(id, worker) {
      const { numUpdatedRows } = await db
        .updateTable("jobs")
        .set({ aliveAt: now().toISOString() })
        .where("id", "=", id)
        .where("worker", "=", worker)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
    done: (id, worker) => settle(id, worker, null),
    async giveBack(id, worker) {
      const free = { state: "queued" as const, worker: null, aliveAt: null };
      await db.updateTable("jobs").set(free).where("id", "=", id).where("worker", "=", worker).execute();
    },
    fail: (id, worker, reason) => settle(id, worker, reason),
    async list(domain) {
      const rows = await db
        .selectFrom("jobs")
        .select(["id", "domain", "work", "state", "reason"])
        .where("domain", "=", domain)
        .orderBy("seq")
        .execute();
      return rows.map((row) => ({ ...row, work: JSON.parse(row.work) as unknown }));
    },
  };
}
