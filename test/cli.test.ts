import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createEngine } from "../src/engine/engine.ts";
import { readRankingWeights } from "../src/ranking/features.ts";
import { loadConfig } from "../src/shared/config.ts";
import { answerToWire, askResponseSchema, type WireAnswer } from "../src/wire/index.ts";
import {
  type CliOptions,
  type Finished,
  isCivil,
  isRoot,
  NOBODY,
  PROGRAM,
  type Running,
  runCli,
  runCliProcess,
  startCli,
} from "./support/cli.ts";
import { createSandbox, LIBRARY_DOCUMENTS, LIBRARY_QUESTIONS, type Sandbox, UNANSWERABLE, writeFiles } from "./support/library.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

/** An ingested library; tests that damage it use a copy. */
let seeded: Sandbox;

beforeAll(async () => {
  seeded = createSandbox();
  const { code, stderr } = await cli(seeded, ["ingest", "documents", "--source", "documents"]);
  if (code !== 0) throw new Error(stderr);
  // Move the log into the database, even while this process still has it open.
  const database = new DatabaseSync(databaseOf(seeded));
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
});
afterAll(() => seeded.remove());

function cli({ folder, env }: Sandbox, args: readonly string[], options: Partial<CliOptions> = {}): Promise<Finished> {
  return runCli(args, { cwd: folder, ...options, env: { ...env, ...options.env } });
}

/** Runs a separate process: for concurrent writers, files damaged under an open database, and permissions. */
function apart({ folder, env }: Sandbox, args: readonly string[], options: Partial<CliOptions> = {}): Promise<Finished> {
  return runCliProcess(args, { cwd: folder, ...options, env });
}

function start({ folder, env }: Sandbox, args: readonly string[], options: Partial<CliOptions> = {}): Running {
  return startCli(args, { cwd: folder, ...options, env: { ...env, ...options.env } });
}

/** Copies the ingested library for one test. */
function copy(): Sandbox {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sourcebound-test-")));
  cpSync(seeded.folder, folder, { recursive: true });
  const env = { ...seeded.env, SOURCEBOUND_DOMAINS_DIR: join(folder, "domains"), SOURCEBOUND_DATA_DIR: join(folder, "data") };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  onTestFinished(remove);
  return { folder, env, remove };
}

function fresh(documents: Readonly<Record<string, string | Uint8Array>>): Sandbox {
  const made = createSandbox(documents);
  onTestFinished(() => made.remove());
  return made;
}

/** Asks questions in this process, on the current database. */
async function askAll({ folder, env }: Sandbox, questions: readonly string[]): Promise<WireAnswer[]> {
  const engine = await createEngine(loadConfig({ cwd: folder, env }), SHARED_PARTS);
  try {
    const answers: WireAnswer[] = [];
    for (const question of questions) answers.push(answerToWire(await engine.answer(question)));
    return answers;
  } finally {
    await engine.close();
  }
}

async function ask(sandbox: Sandbox, question: string): Promise<WireAnswer> {
  return (await askAll(sandbox, [question]))[0] as WireAnswer;
}

async function stillAnswers(sandbox: Sandbox): Promise<void> {
  const questions = LIBRARY_QUESTIONS.map(({ question }) => question);
  const answers = await askAll(sandbox, questions);
  for (const [i, { holds }] of LIBRARY_QUESTIONS.entries()) expect(answers[i]?.answer_plain).toContain(holds);
}

/** Asserts a clear failure: exit code, message on stderr, nothing on stdout, no stack trace. */
function expectFailure(run: Finished, code: number, words: RegExp): void {
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toMatch(words);
  expect(isCivil(run)).toBe(true);
}

const databaseOf = (sandbox: Sandbox) => join(sandbox.folder, "data", "sourcebound.db");
const reingest = ["ingest", "documents", "--source", "documents"];

/** Tests with several processes for seconds each; they run with `--all` only. */
const SEVERAL = { tags: ["all/kill"] };
/** The bundled threshold, for tests of refusals. */
const SURE = { env: { SOURCEBOUND_ANSWER_FROM: String(readRankingWeights().threshold.minimum) } };

describe("reports", () => {
  it("says what to do where there are none, and which switch hides them", async () => {
    const sandbox = copy();
    const empty = await cli(sandbox, ["reports"]);
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    expect(empty.stdout).toMatch(/No reports in domain "library" from the last 90 days.*\n\s+sourcebound ask/);
    expect((await cli(sandbox, ["reports", "--domain", "library"])).stdout).toContain("sourcebound ask --domain library");
    const narrowed = await cli(sandbox, ["reports", "--topic", "cards", "--since", "2020-01-01"]);
    expect(narrowed.stdout).toContain("Omit --topic and --since");
    expect(JSON.parse((await cli(sandbox, ["reports", "--json"])).stdout)).toEqual({ total: 0, topics: [], reports: [] });
  });

  it("groups what was asked in vain, and shows one in full, also as JSON", async () => {
    const sandbox = copy();
    const asked = await cli(sandbox, ["ask", "--json", "Which library card do penguins of the zoo need?"], SURE);
    expect(asked.code).toBe(3);
    const { id } = JSON.parse(asked.stdout);
    const grouped = await cli(sandbox, ["reports", "--since", "2020-01-01"]);
    expect(grouped).toMatchObject({ code: 0, stderr: "" });
    expect(grouped.stdout).toContain("name: Library cards\n    reports: 1\n    refused: 1");
    expect(grouped.stdout).toContain('No document mentions "penguins"');
    const shown = await cli(sandbox, ["reports", "show", id]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toMatch(/text: penguins\n +kind: word\n +in_documents: false/);
    const json = JSON.parse((await cli(sandbox, ["reports", "--json", "show", id])).stdout);
    expect(json).toMatchObject({ interaction_id: id, report: { report_below: null } });
    expect(json.report.gaps.missing[0]).toEqual({ text: "penguins", kind: "word", in_documents: false });
    expect(JSON.parse((await cli(sandbox, ["reports", "--topic", "none", "--json"])).stdout).total).toBe(0);
    expectFailure(await cli(sandbox, ["reports", "show", id, "--tenant", "alice"]), 2, /unknown_report.*no accessible report/);
  });

  it.each([
    [["reports", "--since", "2026-02-30"], /Use a day such as/],
    [["reports", "--limit", "-1"], /whole number/],
    [["reports", "--topic", "card"], /Did you mean "cards"/],
    [["reports", "--tenant", "alic"], /Did you mean "alice"/],
    [["reports", "show"], /missing required argument/],
    [["reports", "show", "nothing"], /unknown_report.*sourcebound reports/],
  ])("says what is wrong with %j", async (args, words) => {
    expectFailure(await cli(seeded, args), 2, words);
  });
});

describe("ask", () => {
  it.each(LIBRARY_QUESTIONS)("answers with the source: $question", async ({ question, path, holds }) => {
    const run = await cli(seeded, ["ask", question]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(holds);
    expect(run.stdout).toMatch(/\[1\]/);
    expect(run.stdout).toContain("Sources");
    expect(run.stdout).toContain(`${path}, characters`);
    expect(isCivil(run)).toBe(true);
  });

  it("refuses with exit code 3, what was searched, and whom to ask", async () => {
    const run = await cli(seeded, ["ask", UNANSWERABLE]);
    expect(run).toMatchObject({ code: 3, stderr: "" });
    expect(run.stdout).toContain("Searched 4 documents");
    expect(run.stdout).toContain("Front desk: 555-0100");
  });

  it.each(LIBRARY_QUESTIONS)("gives JSON of which every quote stands in its document and its file: $question", async ({ question }) => {
    const run = await cli(seeded, ["ask", "--json", question]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const answer = askResponseSchema.parse(JSON.parse(run.stdout));
    expect(answer.status).toBe("ok");
    expect(answer.citations.length).toBeGreaterThan(0);
    const database = new DatabaseSync(databaseOf(seeded), { readOnly: true });
    // Other tests write to the same database concurrently.
    database.exec("pragma busy_timeout = 10000");
    for (const { quote, start, end, original, document_id } of answer.citations) {
      const row = database.prepare("select text from documents where id = ?").get(document_id) as { text: string };
      expect(row.text.slice(start, end)).toBe(quote);
      const file = readFileSync(join(seeded.folder, "documents", original.path), "utf8").slice(original.start, original.end);
      expect(holdsInOrder(file.replaceAll("&amp;", "&"), quote)).toBe(true);
      expect(file.length).toBeLessThan(quote.length + 80);
    }
    database.close();
  });

  it("shows stages on stderr when asked to, and keeps stdout for the answer", async () => {
    const run = await cli(seeded, ["ask", "--json", "--verbose", UNANSWERABLE]);
    expect(askResponseSchema.safeParse(JSON.parse(run.stdout)).success).toBe(true);
    expect(run.stderr).toMatch(/retrieve-end .* ms/);
    expect(run.stderr).toMatch(/notice/);
    expect(run.stderr).toMatch(/"first":"\d\.\d\d \(cross-encoder (?:not asked|-?\d+\.\d\d), first stage -?\d+\.\d\d\) /);
  });

  it("says that nothing is ingested rather than that nothing is known", async () => {
    const run = await cli(fresh({}), ["ask", "How much does a library card cost?"]);
    expect(run).toMatchObject({ code: 3, stderr: "" });
    expect(run.stdout).toContain("this domain has no documents that you may see");
  });

  it("gives an error as JSON to those who asked for JSON", async () => {
    const run = await cli(seeded, ["ask", "--json", ""]);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: "question_empty" } });
  });

  it.each([
    ["a refusal", ["kill myself"], 3],
    ["an error of the question", [`kill myself ${"x".repeat(500)}`], 2],
    ["an error before the engine is open", ["kill myself", "--data-dir", "/dev/null/x"], 1],
    ["a domain that cannot be found", ["kill myself", "--domain", "libary"], 2],
  ])("says the hotline on stdout before %s, once, and in JSON with the error", async (_, args, code) => {
    const help = "You are not alone: call 988 at any hour.";
    const run = await cli(seeded, ["ask", ...args]);
    expect(run.code).toBe(code);
    expect(run.stdout.startsWith(`! ${help}\n`)).toBe(true);
    expect(run.stdout.split(help)).toHaveLength(2);
    const { error, warnings } = JSON.parse((await cli(seeded, ["ask", "--json", ...args])).stdout);
    expect(error?.warnings ?? warnings).toContainEqual({ code: "hotline", message: help });
  });
});

describe("wrong usage", () => {
  it.each([
    [["aks", "x"], /unknown command 'aks'[\s\S]*Did you mean ask/],
    [["ask", "x", "--detial", "more"], /unknown option '--detial'[\s\S]*Did you mean --detail/],
    [["ask", "x", "--detail", "most"], /'most' is invalid[\s\S]*normal, more/],
    [["ask"], /missing required argument 'question'/],
    [["ingest"], /Nothing to ingest\. Name a folder, files, an address, or -/],
    [["ask", "x", "--domain", "libary"], /Unknown domain "libary"\. Did you mean "library"\?/],
    [["ask", "x", "--profile", "sevenlayer"], /Unknown profile "sevenlayer"\. Did you mean "seven-layer"\?/],
    [["bench", "nothing-like-it"], /no benchmark "nothing-like-it"/],
    [["bench", "formats", "--", "--jsn", "x"], /bench formats: Unknown option '--jsn'\. It measures [\s\S]*--data DIR --sets A,B/],
    [["serve", "--port", "abc"], /'abc' is invalid.*whole number/],
    [["eval", "va", "--corpus", "documents", "--golden", "nowhere"], /nowhere contains no file va-answerable/],
    [["eval", "retrieval", "--data", "nowhere", "--no-hub", "--no-peers"], /nowhere holds none of va-golden, policyqa/],
    [["eval", "retrieval", "--data", ".", "--sets", "clapqn"], /no set "clapqn"\. Did you mean "clapnq"\?/],
    [["eval", "retrieval", "--data", ".", "--limit", "0"], /--limit 0 is not a number of questions/],
    [["ablate", "--corpus", "documents", "--golden", ".", "--rate", "1.5"], /--rate 1\.5 does not fit/],
    [["eval", "cache", "--corpus", "documents", "--golden", "nowhere", "--day", "5", "--seed", "x"], /--seed x is no seed/],
    [["eval", "retrieval", "--data", ".", "--hub", "../../etc"], /--hub \.\.\/\.\.\/etc is not a name/],
  ] as const)("%j says what is wrong and what is right", async (args, words) => {
    const run = await cli(seeded, args);
    expect([1, 2]).toContain(run.code);
    expectFailure(run, run.code as number, words);
  });

  it("a profile that needs an encoder says without one which settings to change", async () => {
    const sandbox = fresh({});
    writeFiles(sandbox.folder, { "sourcebound.config.yaml": "embeddings: none\n" });
    const run = await cli(sandbox, ["ask", "x", "--profile", "seven-layer"]);
    expectFailure(
      run,
      1,
      /embeddings: "embedded", or SOURCEBOUND_EMBEDDINGS_HUB[\s\S]*SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL/,
    );
  });

  it("names the command as it was typed, in help, errors and advice, and leaves a document's words alone", async () => {
    const env = { SOURCEBOUND_COMMAND: "./run" };
    const help = (await cli(seeded, ["ask", "--help"], { env })).stdout;
    expect(help).toMatch(/^Usage: \.\/run ask /);
    expect(help).toContain('  ./run ask "What is');
    expect(help).not.toContain("sourcebound ask");
    expect((await cli(seeded, ["reports", "show", "nothing"], { env })).stderr).toContain("`./run reports` lists the reports");
    expect((await cli(fresh({}), ["ask", "How much is a card?"], { env })).stdout).toContain("./run ingest FOLDER");
    expect((await cli(seeded, ["ask", LIBRARY_QUESTIONS[0].question], { env })).stdout).toMatch(
      /\nthe sources match .*`\.\/run calibrate` with labelled questions\), quoted verbatim, \d+ ms\n$/,
    );
    const sandbox = fresh({ "tool.md": "# The tool\n\nThe tool sourcebound ask answers 12 questions of visitors a day.\n" });
    const { stdout, stderr } = await cli(sandbox, ["ingest", "documents"], { env });
    expect(stdout).toMatch(/; 1 chunk written in [\s\S]*\nNext: \.\/run ask "…", or \.\/run serve\n$/);
    expect(stderr).not.toMatch(/0\.0 MB|1 chunks/);
    expect((await cli(sandbox, ["ask", "How many questions of visitors does the tool answer a day?"], { env })).stdout).toContain(
      "sourcebound ask",
    );
  });
});

describe("configuration", () => {
  const question = ["ask", LIBRARY_QUESTIONS[0].question];

  const written = (text: string) => ({ "sourcebound.config.yaml": text });
  it.each<[what: string, files: Record<string, string>, env: Record<string, string>, words: RegExp]>([
    ["YAML that does not parse", written("server: [1, {\n"), {}, /sourcebound\.config\.yaml could not be read/],
    ["a list", written("- a\n- b\n"), {}, /must contain keys and values/],
    ["a misspelt variable", {}, { SOURCEBOUND_DATADIR: "x" }, /SOURCEBOUND_DATADIR\. Did you mean "SOURCEBOUND_DATA_DIR"\?/],
    [
      "a file that does not exist",
      {},
      { SOURCEBOUND_CONFIG: "none.yaml" },
      /SOURCEBOUND_CONFIG points to .*none\.yaml, which does not exist/,
    ],
  ])("rejects %s, and leaves every file as it is", async (_what, files, env, words) => {
    const sandbox = fresh({});
    writeFiles(sandbox.folder, files);
    expectFailure(await cli(sandbox, question, { env }), 2, words);
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(sandbox.folder, name), "utf8")).toBe(text);
  });

  it("ignores an empty file, and variables that are empty", async () => {
    const folder = join(seeded.folder, "config-empty");
    writeFiles(folder, { "sourcebound.config.yaml": "# nothing yet\n" });
    expect(await runCli(question, { cwd: folder, env: { ...seeded.env, SOURCEBOUND_PROFILE: "" } })).toMatchObject({ code: 0 });
  });
});

describe("ingest of bad folders", () => {
  it.each([
    ["an empty folder", "empty", /contains no supported document.*\.md/],
    ["a missing folder", "nowhere", /nowhere does not exist.*Nothing was changed/],
  ])("%s is reported, and nothing is lost", async (_what, target, words) => {
    const sandbox = copy();
    mkdirSync(join(sandbox.folder, "empty"));
    expectFailure(await cli(sandbox, ["ingest", target, "--source", "documents"]), 1, words);
    await stillAnswers(sandbox);
  });

  it("says how many files are kept when a known folder is empty, and takes them out on --allow-empty", async () => {
    const sandbox = copy();
    rmSync(join(sandbox.folder, "documents"), { recursive: true });
    mkdirSync(join(sandbox.folder, "documents"));
    expectFailure(await cli(sandbox, reingest), 1, /4 .*files are kept.*--allow-empty/);
    await stillAnswers(sandbox);
    expect(await cli(sandbox, [...reingest, "--allow-empty"])).toMatchObject({ code: 0, stdout: expect.stringContaining("4 deleted") });
    expect(await ask(sandbox, LIBRARY_QUESTIONS[0].question)).toMatchObject({ refusal: { reason: "empty_corpus" } });
  });

  it.each([
    ["folder", "documents", 1, /cannot be read \(EACCES\).*Nothing was changed/, /^$/],
    ["folder inside", "documents/rooms", 4, /rooms.*cannot be read \(EACCES\)/, /0 deleted/],
    ["file", "documents/secret.md", 4, /failed secret\.md: .*EACCES/, /1 failed/],
  ])("an unreadable %s is reported, and what was read before is kept", async (_what, path, code, words, told) => {
    const sandbox = copy();
    if (path.endsWith(".md")) writeFiles(sandbox.folder, { [path]: "Nobody may read this." });
    openToAll(sandbox, "write");
    chmodSync(join(sandbox.folder, path), 0o000);
    const run = await cli(sandbox, reingest, { asNobody: true });
    chmodSync(join(sandbox.folder, path), 0o755);
    expect(run).toMatchObject({ code, stdout: expect.stringMatching(told), stderr: expect.stringMatching(words) });
    expect(isCivil(run)).toBe(true);
    await stillAnswers(sandbox);
  });
});

describe("a file that was read before", () => {
  const WOMBAT = "What does the wombat weigh in kilograms?";
  const library = async () => {
    const sandbox = fresh({ ...LIBRARY_DOCUMENTS, "wombat.md": "The wombat weighs 31 kilograms." });
    expect((await cli(sandbox, reingest)).code).toBe(0);
    return { sandbox, file: join(sandbox.folder, "documents/wombat.md") };
  };

  it.each<[string, (file: string) => void]>([
    ["may not be read", (file) => chmodSync(file, 0o000)],
    ["is half copied", (file) => writeFileSync(file, "---\ntitle: [a\n---\n# A\n")],
  ])("stands as it was while it %s, which is said, and is itself again afterwards", async (_how, spoil) => {
    const { sandbox, file } = await library();
    openToAll(sandbox, "write");
    spoil(file);
    for (let i = 0; i < 2; i++) {
      const run = await cli(sandbox, reingest, { asNobody: true });
      expect(run.code).toBe(4);
      expect(run.stderr).toMatch(/failed wombat\.md: .*\. The version read on \d{4}-\d\d-\d\d is kept\./);
      expect(run.stdout).toMatch(
        /4 unchanged.*0 deleted, 1 failed; unreadable now; the previous version is kept: wombat\.md \(\d{4}-\d\d-\d\d\)/,
      );
    }
    expect((await ask(sandbox, WOMBAT)).answer_plain).toContain("31 kilograms");
    expect((await ask(sandbox, UNANSWERABLE)).refusal?.searched.unreadable).toEqual([]);
    expect((await cli(sandbox, ["documents", "failed"])).stdout).toContain("is kept");
    chmodSync(file, 0o644);
    writeFileSync(file, "The wombat weighs 32 kilograms.");
    expect((await cli(sandbox, reingest)).stdout).toMatch(/1 changed, 4 unchanged.*0 failed;/);
    expect((await ask(sandbox, WOMBAT)).answer_plain).toContain("32 kilograms");
  });

  it("goes where it is not there any more, which is counted and named, also where what cannot be read has another name", async () => {
    const { sandbox, file } = await library();
    rmSync(file);
    writeFileSync(join(sandbox.folder, "documents/zebra.md"), "---\ntitle: [a\n---\n# A\n");
    const run = await cli(sandbox, [...reingest, "--dry-run"]);
    expect(run.stdout).toMatch(/1 deleted, 1 failed; vanished, and deleted with everything read from it: wombat\.md;/);
    const { stdout, stderr } = await cli(sandbox, reingest);
    expect(stderr).toMatch(/failed zebra\.md/);
    expect(stdout).toMatch(/1 deleted, 1 failed; vanished, and deleted with everything read from it: wombat\.md;/);
    expect((await cli(sandbox, reingest)).stdout).toMatch(/0 deleted, 1 failed; \d+ chunks?/);
    // It has no stored documents, so nothing is deleted.
    rmSync(join(sandbox.folder, "documents/zebra.md"));
    const { deleted, gone } = JSON.parse((await cli(sandbox, [...reingest, "--json"])).stdout);
    expect([deleted, gone]).toEqual([0, []]);
  });

  it("goes where it now belongs to another tenant, or another access label is given", async () => {
    const { sandbox, file } = await library();
    writeFileSync(file, "---\ntenant: bob\n---\nThe wombat weighs 31 kilograms.");
    expect((await cli(sandbox, reingest)).stdout).toMatch(/1 deleted, 1 failed;/);
    const other = await library();
    writeFileSync(other.file, "---\ntitle: [a\n---\n# A\n");
    expect((await cli(other.sandbox, [...reingest, "--access", "staff"])).stdout).toMatch(/1 deleted, 1 failed;/);
  });
});

describe("ingest of bad files", () => {
  it("another tenant's document is reported with its reason and exit code 4, and the rest goes in", async () => {
    const sandbox = fresh({ ...LIBRARY_DOCUMENTS, "x.md": "---\ntenant: bob\n---\nA text.\n" });
    const run = await cli(sandbox, reingest);
    expect(run.code).toBe(4);
    expect(run.stderr).toMatch(/belongs to tenant "bob"/);
    expect(run.stdout).toMatch(/4 added.*1 failed/);
    expect(isCivil(run)).toBe(true);
    await stillAnswers(sandbox);
    expect((await ask(sandbox, UNANSWERABLE)).refusal?.searched.unreadable).toHaveLength(1);
  });

  it("gives the failures to scripts", async () => {
    const run = await cli(fresh({ ...LIBRARY_DOCUMENTS, "x.md": new Uint8Array([0]) }), [...reingest, "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ added: 4, failed: 1, failures: [{ path: "x.md", code: "binary_file" }] });
  });

  it("does not follow symbolic links, circular or leading out", async () => {
    const sandbox = copy();
    symlinkSync("..", join(sandbox.folder, "documents/rooms/up"));
    symlinkSync("/etc/hosts", join(sandbox.folder, "documents/hosts.md"));
    symlinkSync("nowhere", join(sandbox.folder, "documents/dangling.md"));
    const run = await cli(sandbox, reingest);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/0 added, 0 changed, 4 unchanged/) });
    expect(run.stderr).toMatch(/skipped rooms\/up: symbolic link: not followed/);
    await stillAnswers(sandbox);
  });

  it("reads folders nested deeply, and reports those nested too deeply", async () => {
    const path = (depth: number) => `${Array.from({ length: depth }, (_, i) => `f${i}`).join("/")}/deep.md`;
    const sandbox = fresh({ [path(60)]: "A deep text about walruses.", [path(70).replace("f0/", "g0/")]: "Another text about narwhals." });
    const run = await cli(sandbox, ["ingest", "documents"]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("1 added") });
    expect(run.stderr).toMatch(/nested deeper than 64 folders/);
  });

  it("counts pictures without text in the summary, and names them by file where the file is shown", async () => {
    const sandbox = fresh({
      "a.md": "Walruses.\n\n![](a.png)\n",
      "b.html": "<main><p>Narwhals.</p><img src=b><img src=c></main>",
      "c.ppt": "x",
    });
    const run = await cli(sandbox, ["ingest", "documents"]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("3 pictures without text") });
    expect(run.stderr).not.toContain("pictures");
    expect(run.stderr).toContain("c.ppt: format .ppt is not supported: open it, and save it as PPTX");
    expect((await cli(sandbox, ["documents", "show", "b.html"])).stdout).toContain("2 pictures or charts have no alternative text");
  });

  it("takes file names with line breaks, emoji, quotes, escape sequences and blanks, and shows them harmlessly", async () => {
    const odd = ["new\nline", "📚 books", `it's "quoted"`, "esc\u001B[31mred", " blanks ", "100%#?", "-rf", "a\\b"];
    const names = odd.map((name) => `${name}.md`);
    const sandbox = fresh(Object.fromEntries(names.map((name, i) => [name, `The number of the wombat is ${i + 100}.`])));
    const run = await cli(sandbox, ["ingest", "documents"]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("8 added") });
    expect(isCivil(run)).toBe(true);
    expect(run.stderr).toMatch(/^(?:.*\d files: .*\n)*$/);
    const questions = names.map((_, i) => `Is the number of the wombat ${i + 100}?`);
    const answers = await askAll(sandbox, questions);
    // "#" separates a file from an entry in it, so a "#" in a file name is percent-encoded.
    for (const [i, name] of names.entries())
      expect(answers[i]?.citations.map(({ original }) => original.path)).toContain(name.replace("#", "%23"));
    const shown = await cli(sandbox, ["ask", "Is the number of the wombat 103?"]);
    expect(isCivil(shown)).toBe(true);
  });

  it("shows a document's escape sequences harmlessly", async () => {
    const sandbox = fresh({ "a.md": '---\ntitle: "Wombat \\e[2J"\n---\nThe wombat \u001B]0;owned\u0007 weighs 30 \u009B31m kilograms.\n' });
    await cli(sandbox, ["ingest", "documents"]);
    const run = await cli(sandbox, ["ask", "What weighs the wombat in kilograms?"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("weighs 30");
    expect(run.stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("reports a file that vanished between listing and reading, and takes the rest", async () => {
    const sandbox = fresh({
      ...LIBRARY_DOCUMENTS,
      ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`z${i}.md`, `Item ${i}.`])),
    });
    const running = start(sandbox, reingest);
    await running.shows(/\d files: /);
    for (let i = 0; i < 300; i++) unlinkSync(join(sandbox.folder, `documents/z${i}.md`));
    const run = await running.finished;
    expect([0, 4]).toContain(run.code);
    expect(isCivil(run)).toBe(true);
    await stillAnswers(sandbox);
    const again = await cli(sandbox, reingest);
    expect(again.code).toBe(0);
    expect((await ask(sandbox, UNANSWERABLE)).refusal?.searched).toMatchObject({ documents: 4, unreadable: [] });
  });
});

describe("a data folder that cannot be used", () => {
  it("read-only: says so and what to set", async () => {
    const sandbox = copy();
    openToAll(sandbox);
    const run = await apart(sandbox, ["ask", LIBRARY_QUESTIONS[0].question], { asNobody: true });
    expectFailure(run, 1, /is not writable.*SOURCEBOUND_DATA_DIR/);
    await stillAnswers(sandbox);
  });

  it("a read-only database in a folder that can be written: says so", async () => {
    const sandbox = copy();
    openToAll(sandbox);
    chmodSync(join(sandbox.folder, "data"), 0o777);
    chmodSync(databaseOf(sandbox), 0o444);
    const run = await apart(sandbox, ["ask", LIBRARY_QUESTIONS[0].question], { asNobody: true });
    expectFailure(run, 1, /cannot be (opened for writing|written)/);
    chmodSync(databaseOf(sandbox), 0o644);
    await stillAnswers(sandbox);
  });

  it("a file in the place of the folder: says so", async () => {
    const sandbox = copy();
    const run = await cli(sandbox, ["ask", "x", "--data-dir", "documents/cards.md"]);
    expectFailure(run, 1, /cards\.md is not writable/);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["with overwritten pages", (bytes) => bytes.fill(0xa5, 4096 * 2)],
    ["cut in half", (bytes) => bytes.subarray(0, bytes.length / 2)],
  ])("a database %s: says so wherever it is noticed", async (_, spoil) => {
    const sandbox = copy();
    for (const ending of ["-wal", "-shm"]) rmSync(databaseOf(sandbox) + ending, { force: true });
    writeFileSync(databaseOf(sandbox), spoil(readFileSync(databaseOf(sandbox))));
    expectFailure(await cli(sandbox, ["ask", LIBRARY_QUESTIONS[0].question]), 1, /damaged|malformed/);
    expectFailure(await cli(sandbox, reingest), 1, /damaged|malformed/);
  });

  it("a database of zero bytes is an empty one, and is filled anew", async () => {
    const sandbox = copy();
    for (const ending of ["-wal", "-shm"]) rmSync(databaseOf(sandbox) + ending, { force: true });
    truncateSync(databaseOf(sandbox), 0);
    expect(await ask(sandbox, "x")).toMatchObject({ refusal: { reason: "empty_corpus" } });
    expect(await cli(sandbox, reingest)).toMatchObject({ code: 0 });
    await stillAnswers(sandbox);
  });

  it("a log that was cut off loses its last writes at most, and the database opens", SEVERAL, async () => {
    const sandbox = copy();
    const running = start(sandbox, ["serve", "--port", "0"]);
    await running.shows(/Listening/);
    writeFiles(join(sandbox.folder, "documents"), { "new.md": "Umbrellas are lent for 4 days." });
    await apart(sandbox, reingest);
    running.child.kill("SIGKILL");
    await running.finished;
    const log = `${databaseOf(sandbox)}-wal`;
    expect(existsSync(log)).toBe(true);
    truncateSync(log, Math.floor(statSync(log).size / 2));
    await stillAnswers(sandbox);
    expect(await cli(sandbox, reingest)).toMatchObject({ code: 0 });
    expect((await ask(sandbox, "For how long are umbrellas lent?")).answer_plain).toContain("4 days");
  });
});

describe("several processes on one data folder", () => {
  it("two ingests at once both succeed, and every file is there once", SEVERAL, async () => {
    const sandbox = fresh({
      ...LIBRARY_DOCUMENTS,
      ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`z${i}.md`, `Item ${i}.`])),
    });
    const runs = await Promise.all([apart(sandbox, reingest), apart(sandbox, reingest), apart(sandbox, reingest)]);
    expect(runs.map(({ code, stderr }) => [code, stderr.replaceAll(/^(\d+\/\d+ files|vectors: ).*\n/gm, "")])).toEqual(
      [0, 0, 0].map((code) => [code, ""]),
    );
    const searched = (await ask(sandbox, UNANSWERABLE)).refusal?.searched;
    expect(searched).toMatchObject({ documents: 44, chunks: 44 });
    await stillAnswers(sandbox);
  });

  it("many first starts at once make one database", SEVERAL, async () => {
    const sandbox = fresh({});
    const runs = await Promise.all(Array.from({ length: 6 }, () => apart(sandbox, ["ask", "x"])));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [3, ""]));
  });
});

describe("being stopped", () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`z${i}.md`, `# Item ${i}\n\nItem ${i} has the number ${i}.\n`]));

  it("Ctrl-C during ingest: exit code 130, says that what was finished is kept, and a second run completes it", async () => {
    const sandbox = fresh({ ...LIBRARY_DOCUMENTS, ...many });
    const running = start(sandbox, reingest);
    await running.shows(/\d files: /);
    running.child.kill("SIGINT");
    const run = await running.finished;
    expect(run).toMatchObject({ code: 130, stdout: "" });
    expect(run.stderr).toMatch(/Cancelled\. Finished work is kept\. Run the same command again/);
    expect(isCivil(run)).toBe(true);
    const kept = (await ask(sandbox, UNANSWERABLE)).refusal?.searched.documents ?? 0;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(604);
    const again = await cli(sandbox, [...reingest, "--json"]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 604 - kept, unchanged: kept });
    await stillAnswers(sandbox);
  });

  it("stdout closed by the reader ends quietly", async () => {
    for (const args of [["profiles", "seven-layer"], ["ask", "--json", LIBRARY_QUESTIONS[0].question], ["--help"]]) {
      const running = start(seeded, args);
      running.child.stdout?.destroy();
      const run = await running.finished;
      expect(run.stderr).toBe("");
      expect(run.code).toBe(0);
    }
  });

  it("a full disk in place of stdout is said", async () => {
    if (!existsSync("/dev/full")) return;
    const { spawnSync } = await import("node:child_process");
    const shell = `"${process.execPath}" "${PROGRAM}" profiles > /dev/full`;
    const run = spawnSync("sh", ["-c", shell], { cwd: seeded.folder, env: { PATH: process.env.PATH, ...seeded.env }, encoding: "utf8" });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/ENOSPC/);
    expect(isCivil(run)).toBe(true);
  });
});

it("these tests ran without rights where rights would hide a fault", () => {
  expect(isRoot ? NOBODY : process.getuid?.()).not.toBe(0);
});

/** Lets an unprivileged process read a sandbox; `data` controls write access to the data folder. */
function openToAll({ folder }: Sandbox, data: "read" | "write" = "read"): void {
  chmodSync(folder, 0o755);
  for (const name of ["data", "documents", "documents/rooms", "domains", "domains/library"]) {
    chmodSync(join(folder, name), 0o755);
  }
  if (data === "read") return;
  chmodSync(join(folder, "data"), 0o777);
  for (const name of readdirSync(join(folder, "data"))) chmodSync(join(folder, "data", name), 0o666);
}

/** Returns whether `text` contains the letters and digits of `quote` in order; everything between them is markup. */
function holdsInOrder(text: string, quote: string): boolean {
  let at = 0;
  for (const letter of quote.replaceAll(/[^\p{L}\p{N}&]/gu, "")) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
