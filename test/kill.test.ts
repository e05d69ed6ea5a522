import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../src/grading/metrics.ts";
import { bundleProgram } from "./support/bundle.ts";
import { type Finished, type Running, runCli, startCli } from "./support/cli.ts";
import { changeCorpus, generateCorpus } from "./support/corpus.ts";
import { createSandbox, LIBRARY_QUESTIONS, type Sandbox, writeFiles } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

/** Kills per test, files per test, and the random seed. */
const KILLS = rounds({ all: 20, usually: 2 });
const FILES = rounds({ all: 200, usually: 40 });
const SEED = 20_260_101;
const MEMORY_KILLS = rounds({ all: 12, usually: 4 });
const SERVER_KILLS = rounds({ all: 5, usually: 2 });
const KILLING = { timeout: 3_600_000, tags: "all/kill" };
/** Adds rounds until more than half of the kills have hit a running process, up to three times as many. Rounds come in pairs. */
const goesOn = (n: number, killed: number, kills: number) => n < kills || n % 2 === 1 || (killed <= kills / 2 && n < 3 * kills);

let program: string;
beforeAll(async () => {
  program = await bundleProgram();
});

function create(documents?: Readonly<Record<string, string | Uint8Array>>): Sandbox {
  const made = createSandbox(documents);
  onTestFinished(() => made.remove());
  return made;
}

function start({ folder, env }: Sandbox, args: readonly string[]): Running {
  return startCli(args, { cwd: folder, env, program });
}

const ingest = (sandbox: Sandbox) => start(sandbox, ["ingest", "documents", "--json"]);

/** Kills an ingest `ms` after its start or its first file, unless it ends before. */
async function killAfter(sandbox: Sandbox, ms: number, from: "start" | "first file"): Promise<"killed" | "ended"> {
  const running = ingest(sandbox);
  if (from === "first file") await running.shows(/\d files: /);
  const timer = setTimeout(() => running.child.kill("SIGKILL"), ms);
  const { signal } = await running.finished;
  clearTimeout(timer);
  return signal === "SIGKILL" ? "killed" : "ended";
}

/** Runs the next ingest in this process, on the database that the killed one left. */
async function completes({ folder, env }: Sandbox): Promise<Record<string, number>> {
  return whatWasRead(await runCli(["ingest", "documents", "--json"], { cwd: folder, env }));
}

/** Runs a complete ingest in a separate process, to measure its time. */
async function completesApart(sandbox: Sandbox): Promise<Record<string, number>> {
  return whatWasRead(await ingest(sandbox).finished);
}

function whatWasRead({ code, stdout, stderr }: Finished): Record<string, number> {
  expect(stderr).not.toMatch(/error|failed/);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, number>;
}

function open<T>({ folder }: Sandbox, use: (all: (sql: string) => Record<string, unknown>[]) => T): T {
  const database = new DatabaseSync(join(folder, "data", "sourcebound.db"));
  try {
    return use((sql) => database.prepare(sql).all() as Record<string, unknown>[]);
  } finally {
    database.close();
  }
}

/** Asserts that the database contains complete files only. */
function expectWhole(sandbox: Sandbox): number {
  return open(sandbox, (all) => {
    const hasTables = all("select name from sqlite_master where name = 'documents'").length > 0;
    expect(all("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    if (!hasTables) return 0;
    expect(all("pragma foreign_key_check")).toEqual([]);
    expect(all("select id from chunks where document_id not in (select id from documents)")).toEqual([]);
    expect(all("select id from documents where text <> '' and id not in (select document_id from chunks)")).toEqual([]);
    expect(all("select path, count(*) n from documents group by domain, tenant, path having n > 1")).toEqual([]);
    expect(all("select document_id, ordinal, count(*) n from chunks group by document_id, ordinal having n > 1")).toEqual([]);
    expect(all("select d.id from documents d left join files f on f.path = d.file and f.source = d.source where f.path is null")).toEqual(
      [],
    );
    return Number(all("select count(*) n from documents")[0]?.n);
  });
}

/** Asserts that the database contains exactly the files on disk, each once. */
function expectExactly(sandbox: Sandbox, corpus: Readonly<Record<string, string>>): void {
  expectWhole(sandbox);
  open(sandbox, (all) => {
    expect(all("select path from files where status = 'ok' order by path").map(({ path }) => path)).toEqual(Object.keys(corpus).sort());
    const documents = all("select file, text from documents order by file");
    expect(documents.map(({ file }) => file)).toEqual(Object.keys(corpus).sort());
    const fact = /(registry|register) number of this page is \d+/;
    for (const { file, text } of documents) expect(fact.exec(String(text))?.[0]).toBe(fact.exec(corpus[String(file)] ?? "")?.[0]);
  });
}

async function askServer(url: string | undefined, asked: object) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/v1/ask`, { method: "POST", headers, body: JSON.stringify(asked) });
  return (await response.json()) as { id: string; answer_plain: string; cache_mode: string };
}

describe("SIGKILL", () => {
  it(`${KILLS} times at random moments of an ingest: the next run completes it, with every file stored once`, KILLING, async () => {
    const corpus = generateCorpus(FILES, SEED);
    // The first run fills compile caches, so the second one is timed.
    await completesApart(create(corpus));
    const reference = create(corpus);
    const begun = Date.now();
    const whole = await completesApart(reference);
    const wholeMs = Date.now() - begun;
    const filesMs = whole.ms ?? 0;
    expect(whole).toMatchObject({ added: FILES, failed: 0 });

    const sandbox = create(corpus);
    const random = createRandom(SEED + 1);
    const kept: number[] = [];
    let killed = 0;
    // If the machine has become faster, each kill that came too late makes later ones earlier.
    let sooner = 1;
    // One kill in four comes at any time, including start-up; the others while files are written.
    const killMoment = (on: Sandbox) =>
      random() < 0.25
        ? killAfter(on, sooner * random() * wholeMs, "start")
        : killAfter(on, sooner * random() * 0.8 * filesMs, "first file");
    for (let n = 0; goesOn(n, killed, KILLS); n++) {
      // Half of the rounds start without a database, so that kills also hit its creation.
      if (n % 2 === 0) rmSync(join(sandbox.folder, "data"), { recursive: true, force: true });
      if ((await killMoment(sandbox)) === "killed") killed++;
      else sooner *= 0.7;
      const documents = existsSync(join(sandbox.folder, "data")) ? expectWhole(sandbox) : 0;
      kept.push(documents);
      if (n % 2 === 1) {
        const again = await completes(sandbox);
        expect(again).toMatchObject({ added: FILES - documents, unchanged: documents, changed: 0, deleted: 0, failed: 0 });
        expectExactly(sandbox, corpus);
      }
    }
    const chunks = (of: Sandbox) => open(of, (all) => all("select id, start, end from chunks order by id").length);
    expect(chunks(sandbox)).toBe(chunks(reference));
    expect(killed).toBeGreaterThan(KILLS / 2);
    process.stderr.write(
      `killed ${killed} of ${KILLS} ingests (whole run ${wholeMs} ms, files ${filesMs} ms); documents kept: ${kept.join(" ")}\n`,
    );
  });

  it(
    `${KILLS} times during a re-ingest after changes and deletions: the next run completes it and removes old documents`,
    KILLING,
    async () => {
      let corpus = generateCorpus(FILES, SEED + 2);
      const sandbox = create(corpus);
      await completes(sandbox);
      const random = createRandom(SEED + 3);
      let killed = 0;
      for (let n = 0; goesOn(n, killed, KILLS); n++) {
        const changed = changeCorpus(corpus, SEED + 4 + n);
        rmSync(join(sandbox.folder, "documents"), { recursive: true });
        writeFiles(join(sandbox.folder, "documents"), changed);
        if ((await killAfter(sandbox, random() * 250, "first file")) === "killed") killed++;
        expectWhole(sandbox);
        await completes(sandbox);
        expectExactly(sandbox, changed);
        corpus = changed;
      }
      expect(killed).toBeGreaterThan(KILLS / 2);
      process.stderr.write(`killed ${killed} of ${KILLS} re-ingests\n`);
    },
  );

  it("of a server while it answers: every delivered answer is stored, with its session", KILLING, async () => {
    const sandbox = create();
    expect((await start(sandbox, ["ingest", "documents"]).finished).code).toBe(0);
    const random = createRandom(SEED + 5);
    const acknowledged = new Set<string>();
    for (let n = 0; n < SERVER_KILLS; n++) {
      const server = start(sandbox, ["serve", "--port", "0"]);
      const [, url] = await server.shows(/Listening on (\S+)/);
      // Starts after the fifth answer, so that kills hit a busy server.
      const delay = 300 + random() * 600;
      let answered = 0;
      let timer: NodeJS.Timeout | undefined;
      const ask = async (worker: number) => {
        for (let i = 0; ; i++) {
          const question = LIBRARY_QUESTIONS[i % LIBRARY_QUESTIONS.length]?.question;
          try {
            acknowledged.add((await askServer(url, { question, session_id: `s-${n}-${worker}-${i}` })).id);
            if (++answered >= 5) timer ??= setTimeout(() => server.child.kill("SIGKILL"), delay);
          } catch {
            return;
          }
        }
      };
      await Promise.all([ask(0), ask(1), ask(2)]);
      await server.finished;
      clearTimeout(timer);
    }
    expectWhole(sandbox);
    open(sandbox, (all) => {
      const stored = new Set(all("select id from interactions").map(({ id }) => String(id)));
      expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
      expect(acknowledged.size).toBeGreaterThan(4 * SERVER_KILLS);
      expect(all("select count(*) n from session_turns")[0]?.n).toBeGreaterThanOrEqual(acknowledged.size);
    });
    process.stderr.write(`${acknowledged.size} acknowledged answers over ${SERVER_KILLS} kills, all remembered\n`);
  });
});

/** Paraphrases that share one answer in the semantic cache. */
const WORDINGS = ["How much does a library card cost?", "What does a library card cost?", "how much is a library card?"] as const;

describe("stored answers, when processes are killed", () => {
  it(
    `${MEMORY_KILLS} times while documents change and questions are asked: no answer from a deleted version is served`,
    KILLING,
    async () => {
      const bare = create();
      // While the page is hidden, no other passage may answer: the test concerns stored answers.
      const sandbox = { ...bare, env: { ...bare.env, SOURCEBOUND_ANSWER_FROM: "0.55" } };
      const random = createRandom(SEED + 6);
      const write = (dollars: number, access: string) =>
        writeFiles(join(sandbox.folder, "documents"), {
          "cards.md": `---\ntitle: Library cards\naccess: ${access}\n---\n# Library cards\n\nA library card costs **${dollars} dollars** per year.\n`,
        });
      const serve = async () => {
        const server = start(sandbox, ["serve", "--port", "0"]);
        const [, url] = await server.shows(/Listening on (\S+)/);
        return { server, url };
      };
      write(100, "public");
      await completes(sandbox);
      let { server, url } = await serve();
      const seen: Record<string, number> = {};
      let killed = 0;
      let dollars = 100;
      for (let n = 1; n <= MEMORY_KILLS; n++) {
        const before = dollars;
        dollars = 100 + n;
        const access = n % 3 === 2 ? "staff" : "public";
        write(dollars, access);
        const running = ingest(sandbox);
        let asking = true;
        const worker = async (wording: string) => {
          while (asking) {
            const answer = await askServer(url, { question: wording }).catch(() => null);
            if (answer === null) return;
            seen[answer.cache_mode] = (seen[answer.cache_mode] ?? 0) + 1;
            const shown = /(\d+) dollars/.exec(answer.answer_plain)?.[1];
            if (shown !== undefined) expect([String(before), String(dollars)]).toContain(shown);
          }
        };
        const workers = WORDINGS.map(worker);
        const victim = n % 2 === 0 ? running : server;
        const timer = setTimeout(() => victim.child.kill("SIGKILL"), 200 + random() * 900);
        const { signal } = await running.finished;
        if (victim === server) await server.finished;
        clearTimeout(timer);
        asking = false;
        await Promise.all(workers);
        if (victim === server || signal === "SIGKILL") killed++;
        expectWhole(sandbox);
        expectMemorySound(sandbox);
        if (victim === server) ({ server, url } = await serve());
        await completes(sandbox);
        for (let twice = 0; twice < 2; twice++) {
          for (const wording of WORDINGS) {
            const answer = await askServer(url, { question: wording });
            seen[answer.cache_mode] = (seen[answer.cache_mode] ?? 0) + 1;
            if (access === "staff") expect(answer.answer_plain).not.toMatch(/\d dollars/);
            else expect(answer.answer_plain).toContain(`${dollars} dollars`);
          }
        }
        expectMemorySound(sandbox);
      }
      server.child.kill("SIGKILL");
      await server.finished;
      expect(killed).toBeGreaterThan(MEMORY_KILLS / 3);
      expect(seen.exact).toBeGreaterThan(MEMORY_KILLS);
      process.stderr.write(`killed ${killed} of ${MEMORY_KILLS} times; answers ${JSON.stringify(seen)}\n`);
    },
  );
});

/** Asserts that no entry or edge depends on a missing document version. */
function expectMemorySound(sandbox: Sandbox): void {
  open(sandbox, (all) => {
    const current = "select 1 from documents d where d.id = c.document_id and d.version = c.version";
    expect(all(`select e.key from cache_entries e join cache_documents c on c.key = e.key where not exists (${current})`)).toEqual([]);
    expect(all("select key from cache_entries where key not in (select key from cache_documents)")).toEqual([]);
    expect(all("select question_key from question_sources where source_id not in (select id from sources)")).toEqual([]);
    expect(
      all("select s.id from sources s left join documents d on d.id = s.document_id and d.version = s.version where d.id is null"),
    ).toEqual([]);
  });
}
