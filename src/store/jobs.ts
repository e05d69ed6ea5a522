import type { Kysely } from "kysely";
import { transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** An ingestion job. */
export interface Job {
  /** Key of the work. Requests with one id are one job. */
  readonly id: string;
  readonly domain: string;
  /** JSON; the requester defines its shape. */
  readonly work: unknown;
}

export interface JobState extends Job {
  readonly state: "queued" | "running" | "failed";
  readonly reason: string | null;
}

/** Milliseconds without a heartbeat after which another worker may claim a job. `JOB_WORD_MS`: milliseconds between heartbeats. */
export const JOB_LEASE_MS = 60_000;
export const JOB_WORD_MS = 10_000;

/** A job queue shared by all processes. */
export function createJobStore(db: Kysely<Database>, now: () => Date) {
  const settle = (id: string, worker: string, failure: string | null) =>
    transact(db, async (trx) => {
      const row = await trx
        .selectFrom("jobs")
        .select("state")
        .where(({ and }) => and({ id, worker }))
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
    /** Queues a job. If it is running, it will run once more afterwards. */
    async ask({ id, domain, work }: Job): Promise<void> {
      const at = now().toISOString();
      const asked = { work: JSON.stringify(work), state: "queued" as const, reason: null, updatedAt: at };
      await db
        .insertInto("jobs")
        .values({ id, domain, ...asked, worker: null, aliveAt: null, createdAt: at })
        .onConflict((c) => c.column("id").doUpdateSet(asked))
        .execute();
    },
    /**
     * Claims the oldest job that has no worker or had no heartbeat for `JOB_LEASE_MS`. Only one worker gets it. Returns
     * `null` if there is none.
     */
    claim: (worker: string): Promise<Job | null> =>
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
    /** Records a heartbeat. Returns `false` if the worker no longer has the job. */
    async alive(id: string, worker: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable("jobs")
        .set({ aliveAt: now().toISOString() })
        .where(({ and }) => and({ id, worker }))
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
    /** Returns the worker that runs a job, or `null` if there is none or its last heartbeat is older than `JOB_LEASE_MS`. */
    async workerOf(id: string): Promise<string | null> {
      const silent = new Date(now().getTime() - JOB_LEASE_MS).toISOString();
      const row = await db.selectFrom("jobs").select("worker").where("id", "=", id).where("aliveAt", ">=", silent).executeTakeFirst();
      return row?.worker ?? null;
    },
    /** Removes a completed job. If it was requested again meanwhile, it stays queued. */
    done: (id: string, worker: string): Promise<void> => settle(id, worker, null),
    /** Puts an unfinished job back into the queue, so that another worker can claim it immediately. */
    async giveBack(id: string, worker: string): Promise<void> {
      const free = { state: "queued" as const, worker: null, aliveAt: null };
      await db.updateTable("jobs").set(free).where("id", "=", id).where("worker", "=", worker).execute();
    },
    /** Puts all running jobs back into the queue. Call only at the start of a process that does not share the database. */
    async freeAll(): Promise<void> {
      await db.updateTable("jobs").set({ state: "queued", worker: null, aliveAt: null }).where("state", "=", "running").execute();
    },
    fail: (id: string, worker: string, reason: string): Promise<void> => settle(id, worker, reason),
    /** Lists a domain's jobs in the order in which they were requested. */
    async list(domain: string): Promise<JobState[]> {
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

/** Leases for work that only one process of an installation may do at a time. A lease expires unless it is renewed. */
export function createLeaseStore(db: Kysely<Database>, now: () => Date) {
  const keyOf = (name: string) => `lease:${name}`;
  return {
    /** Takes a free lease or renews the holder's own. Returns `false` while another holder has it. */
    async take(name: string, holder: string, ms: number): Promise<boolean> {
      const at = now();
      // ISO times sort as text, so comparing values compares the times of expiry.
      const value = `${new Date(at.getTime() + ms).toISOString()} ${holder}`;
      const { numInsertedOrUpdatedRows: taken = 0n } = await db
        .insertInto("meta")
        .values({ key: keyOf(name), value })
        .onConflict((c) =>
          c
            .column("key")
            .doUpdateSet({ value })
            .where((eb) => eb.or([eb("meta.value", "<", at.toISOString()), eb("meta.value", "like", `% ${holder}`)])),
        )
        .executeTakeFirstOrThrow();
      return taken > 0n;
    },
    async release(name: string, holder: string): Promise<void> {
      await db.deleteFrom("meta").where("key", "=", keyOf(name)).where("value", "like", `% ${holder}`).execute();
    },
  };
}
