// @module-tag all/postgres
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError, createClient, RetryExhaustedError } from "../src/client/index.ts";
import { type Running, startCli } from "./support/cli.ts";
import { createSandbox, LIBRARY_QUESTIONS, type Sandbox } from "./support/library.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";
import { rounds } from "./support/trials.ts";

const KILLS = rounds({ usually: 2, all: 10 });
/** Answers before each kill, and afterwards by the remaining replica. */
const ANSWERS = 20;

interface Replica {
  readonly server: Running;
  readonly url: string;
}

describe.skipIf(whyNoPostgres !== null)("one of two replicas is killed", () => {
  const postgres = usePostgres();
  async function start(sandbox: Sandbox, database: string): Promise<Replica> {
    const env = { ...sandbox.env, DATABASE_URL: database, SOURCEBOUND_CACHE: "off" };
    const server = startCli(["serve", "--port", "0"], { cwd: sandbox.folder, env, timeoutMs: 280_000 });
    onTestFinished(async () => {
      server.child.kill("SIGKILL");
      await server.finished;
    });
    const [, url = ""] = await server.shows(/Listening on (\S+)/);
    return { server, url };
  }

  it(`${KILLS} times under load: gives no wrong answer, fails only on the killed one, keeps everything acknowledged, and recovers`, async () => {
    const database = await postgres().createDatabase();
    const [first, second] = [createSandbox(), createSandbox({})];
    for (const sandbox of [first, second]) onTestFinished(() => sandbox.remove());
    const ingest = startCli(["ingest", "documents"], { cwd: first.folder, env: { ...first.env, DATABASE_URL: database } });
    expect((await ingest.finished).code).toBe(0);

    const survivor = await start(first, database);
    let victim = await start(second, database);
    const seen = { right: 0, wrong: 0, survivorFailed: [] as string[], victimFailed: 0 };
    const acknowledged = new Set<string>();
    let ended = false;
    const ask = async (url: string, n: number, isSurvivor: boolean) => {
      const one = LIBRARY_QUESTIONS[n % LIBRARY_QUESTIONS.length] as (typeof LIBRARY_QUESTIONS)[number];
      try {
        const answer = await createClient({ baseUrl: url, retries: 0 }).ask({ question: one.question });
        acknowledged.add(answer.id);
        seen[answer.answer_plain.includes(one.holds) ? "right" : "wrong"]++;
      } catch (error) {
        const isKnown = error instanceof ApiError || error instanceof RetryExhaustedError || error instanceof TypeError;
        if (isSurvivor) seen.survivorFailed.push(String(error));
        else seen.victimFailed++;
        if (!isKnown && isSurvivor) throw error;
        await wait(20);
      }
    };
    const load = Array.from({ length: 6 }, async (_, lane) => {
      for (let n = lane; !ended; n++) await ask(lane % 2 === 0 ? survivor.url : victim.url, n, lane % 2 === 0);
    });
    const answers = async () => {
      const enough = seen.right + ANSWERS;
      while (seen.right < enough) await wait(20);
    };
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        await answers();
        victim.server.child.kill("SIGKILL");
        await victim.server.finished;
        await answers();
        victim = await start(second, database);
      }
      await answers();
    } finally {
      ended = true;
      await Promise.all(load);
    }
    const pool = new pg.Client({ connectionString: database });
    await pool.connect();
    const { rows } = await pool.query<{ id: string }>("select id from interactions");
    await pool.end();
    const stored = new Set(rows.map(({ id }) => id));
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    process.stderr.write(
      `${KILLS} kills of a replica: right ${seen.right}, wrong ${seen.wrong}, failed at the victim ${seen.victimFailed}, at the survivor ${seen.survivorFailed.length}, acknowledged ${acknowledged.size}, lost ${lost.length}\n`,
    );
    expect(seen.wrong).toBe(0);
    expect(seen.survivorFailed).toEqual([]);
    expect(lost).toEqual([]);
    expect(await createClient({ baseUrl: victim.url }).ask({ question: LIBRARY_QUESTIONS[0].question })).toMatchObject({ status: "ok" });
  });
});
