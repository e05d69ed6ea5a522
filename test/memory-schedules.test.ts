import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../src/store/sqlite.ts";
import { createStore } from "../src/store/store.ts";
import { folderOfFile } from "./support/folders.ts";
import { MemoryWorld, type Page, type Process, processOn, SUBJECTS } from "./support/memory-world.ts";
import { rounds } from "./support/trials.ts";

/** Number of schedules, and maximum operations per schedule. */
const SCHEDULES = rounds({ all: 1_000, usually: 40 });
const OPERATIONS = 14;
const SEED = 20_261_121;
const clock = { now: () => new Date("2026-01-01T00:00:00Z"), clock: () => performance.now() };

const folder = folderOfFile();

const subject = fc.nat(SUBJECTS.length - 1);
/** The acting process, and whether it waits for earlier operations. */
const how = { process: fc.nat(1), together: fc.boolean() };
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("ask" as const), ...how, subject, wording: fc.nat(2), turns: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("edit" as const), ...how, subject }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("edit-around" as const), ...how, subject, before: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("revoke" as const), ...how, subject }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), ...how, subject }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("crash" as const), ...how }) },
);

describe("any schedule of asking, editing, deleting, revoking and crashing in two processes", () => {
  it(`never serves an answer from a deleted version (${SCHEDULES} schedules)`, { timeout: 600_000 }, async () => {
    const path = join(folder, "all.db");
    const databases = [await openSqlite(path), await openSqlite(path)] as const;
    const start = (n: number): Process => processOn(createStore(databases[n] as (typeof databases)[0], clock));
    const processes: Process[] = [start(0), start(1)];
    const served: Record<string, number> = {};
    let domains = 0;
    let facts = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: OPERATIONS }), async (operations) => {
        const world = new MemoryWorld(`domain-${domains++}`);
        const pages = SUBJECTS.map((_, n): Page => ({ subject: n, fact: ++facts, before: "Before.", after: "After.", access: "public" }));
        for (const page of pages) await world.edit(processes[0] as Process, page);
        let running: Promise<void>[] = [];
        const run = (one: (typeof operations)[number]): Promise<void> => {
          const process = processes[one.process] as Process;
          if (one.type === "crash") {
            processes[one.process] = start(one.process);
            return Promise.resolve();
          }
          if (one.type === "ask") return world.ask(process, one.subject, one.wording, one.turns);
          const page = pages[one.subject] as Page;
          if (one.type === "delete") return world.delete(process, one.subject);
          const changed: Page =
            one.type === "edit"
              ? { ...page, fact: ++facts }
              : one.type === "revoke"
                ? { ...page, access: page.access === "public" ? "staff" : "public" }
                : { ...page, [one.before ? "before" : "after"]: `Around ${++facts}.` };
          pages[one.subject] = changed;
          return world.edit(process, changed);
        };
        for (const one of operations) {
          if (!one.together) {
            await Promise.all(running);
            running = [];
          }
          running.push(run(one));
        }
        await Promise.all(running);
        // At rest the database must contain no stale entries, even if a lookup would detect them.
        for (const fault of await faultsOf(databases[0])) throw new Error(fault);
        for (const n of [0, 1]) for (const page of pages) await world.ask(processes[n] as Process, page.subject, n, 0);
        for (const [level, count] of Object.entries(world.served)) served[level] = (served[level] ?? 0) + count;
      }),
      { numRuns: SCHEDULES, seed: SEED, endOnFailure: true },
    );
    for (const database of databases) await database.destroy();
    process.stderr.write(`${SCHEDULES} schedules: ${JSON.stringify(served)}\n`);
    // Without hits the test would prove nothing.
    for (const level of ["exact", "semantic", "graph", "miss", "refused"]) expect(served[level]).toBeGreaterThan(SCHEDULES / 20);
  });
});

/** Returns cache entries and edges that depend on a stale document version. */
async function faultsOf(db: Awaited<ReturnType<typeof openSqlite>>): Promise<string[]> {
  const stale = await sql<{ key: string }>`
    select e.key from cache_entries e join cache_documents c on c.key = e.key left join documents d on d.id = c.document_id and d.version = c.version
    where d.id is null limit 1`.execute(db);
  const bare = await sql<{ key: string }>`
    select key from cache_entries where key not in (select key from cache_documents) limit 1`.execute(db);
  const hidden = await sql<{ key: string }>`
    select e.key from cache_entries e join cache_documents c on c.key = e.key join documents d on d.id = c.document_id
    where d.access <> 'public' limit 1`.execute(db);
  const edges = await sql<{ key: string }>`
    select q.question_key as key from question_sources q join sources s on s.id = q.source_id left join documents d on d.id = s.document_id and d.version = s.version
    where d.id is null
    union all select question_key from question_topics where question_key not in (select key from cache_entries)
    union all select question_key from question_entities where question_key not in (select key from cache_entries) limit 1`.execute(db);
  return [
    ...stale.rows.map(({ key }) => `entry ${key} is served and rests on a version that is gone`),
    ...bare.rows.map(({ key }) => `entry ${key} rests on nothing`),
    ...hidden.rows.map(({ key }) => `entry ${key} rests on a document that may not be seen`),
    ...edges.rows.map(({ key }) => `edges of ${key} lead to what is gone`),
  ];
}
