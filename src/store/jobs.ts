import type { Kysely } from "kysely";
import { equal, transact, upsert } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** An ingestion job. */
export interface Job {
  /** Key of the work. Requests with one id are one job. */
  readonly id: string;
  readonly domain: string;
  /** JSON; the requester defines its shape. */
  readonly work: unknown;
}

export interface JobState extends Job, Readonly<Pick<Database["jobs"], "state" | "reason">> {}

/** Milliseconds without a heartbeat after which another worker may claim a job. `JOB_WORD_MS`: milliseconds between heartbeats. */
export const JOB_LEASE_MS = 60_000;
export const JOB_WORD_MS = 10_000;

/** The columns of a job that waits for a worker. */
const QUEUED = { state: "queued", worker: null, aliveAt: null } as const;

/** A job queue shared by all processes. */
export function createJobStore(db: Kysely<Database>, now: () => Date) {
  const settle = (id: string, worker: string, failure: string | null) =>
    transact(db, async (trx) => {
      const row = await trx.selectFrom("jobs").select("state").where(equal({ id, worker })).forUpdate().executeTakeFirst();
      if (row === undefined) return;
      const state = row.state === "queued" ? row.state : "failed";
      const ended = { ...QUEUED, state, reason: failure, updatedAt: now().toISOString() } as const;
      const isDone = state === "failed" && failure === null;
      await (isDone ? trx.deleteFrom("jobs").where("id", "=", id) : trx.updateTable("jobs").set(ended).where("id", "=", id)).execute();
    });
  return {
    /** Queues a job. If it is running, it will run once more afterwards. */
    async ask({ id, domain, work }: Job): Promise<void> {
      const at = now().toISOString();
      const asked = { work: JSON.stringify(work), state: QUEUED.state, reason: null, updatedAt: at };
      await upsert(db, "jobs", { id, domain, ...QUEUED, ...asked, createdAt: at }, ["id"], asked);
    },
    /**
     * Claims the oldest job that has no worker or had no heartbeat for `JOB_LEASE_MS`. Only one worker gets it. Returns
     * `null` if there is none.
     */
    claim: (worker: string): Promise<Job | null> =>
      transact(db, async (trx) => {
        const at = now();
        const silent = new Date(at.getTime() - JOB_LEASE_MS).toISOString();
        const open = trx.selectFrom("jobs").select(["id", "domain", "work"]).where("state", "in", ["queued", "running"]);
        const free = open.where((eb) => eb.or([eb("worker", "is", null), eb("aliveAt", "<", silent)]));
        const row = await free.orderBy("seq").limit(1).forUpdate().skipLocked().executeTakeFirst();
        if (row === undefined) return null;
        const taken = { state: "running" as const, worker, aliveAt: at.toISOString(), updatedAt: at.toISOString() };
        await trx.updateTable("jobs").set(taken).where("id", "=", row.id).execute();
        return { ...row, work: JSON.parse(row.work) as unknown };
      }),
    /** Records a heartbeat. Returns `false` if the worker no longer has the job. */
    async alive(id: string, worker: string): Promise<boolean> {
      const beat = db.updateTable("jobs").set({ aliveAt: now().toISOString() });
      return (await beat.where(equal({ id, worker })).executeTakeFirst()).numUpdatedRows > 0n;
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
      await db.updateTable("jobs").set(QUEUED).where(equal({ id, worker })).execute();
    },
    /** Puts all running jobs back into the queue. Call only at the start of a process that does not share the database. */
    async freeAll(): Promise<void> {
      await db.updateTable("jobs").set(QUEUED).where("state", "=", "running").execute();
    },
    fail: (id: string, worker: string, reason: string): Promise<void> => settle(id, worker, reason),
    /** Lists a domain's jobs in the order in which they were requested. */
    async list(domain: string): Promise<JobState[]> {
      const all = db.selectFrom("jobs").select(["id", "domain", "work", "state", "reason"]);
      const rows = await all.where("domain", "=", domain).orderBy("seq").execute();
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
      const insert = db.insertInto("meta").values({ key: keyOf(name), value });
      const take = insert.onConflict((c) => {
        const renew = c.column("key").doUpdateSet({ value });
        return renew.where((eb) => eb.or([eb("meta.value", "<", at.toISOString()), eb("meta.value", "like", `% ${holder}`)]));
      });
      return ((await take.executeTakeFirstOrThrow()).numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async release(name: string, holder: string): Promise<void> {
      await db.deleteFrom("meta").where("key", "=", keyOf(name)).where("value", "like", `% ${holder}`).execute();
    },
  };
}
