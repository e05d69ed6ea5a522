import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isCivil, isRoot, NOBODY, PROGRAM } from "./support/cli.ts";
import {
  apart,
  ask,
  askAll,
  cli,
  databaseOf,
  expectFailure,
  fresh,
  ingestedForAll,
  REINGEST,
  start,
  stillAnswers,
} from "./support/cli-library.ts";
import { LIBRARY_DOCUMENTS, LIBRARY_QUESTIONS, type Sandbox, UNANSWERABLE, writeFiles } from "./support/library.ts";

const library = ingestedForAll();
const { copy } = library;

/** Tests with several processes for seconds each; they run with `--all` only. */
const SEVERAL = { tags: ["all/kill"] };

describe("ingest of invalid folders", () => {
  it.each([
    ["an empty folder", "empty", /contains no document in a supported format.*\.md/],
    ["a missing folder", "nowhere", /nowhere does not exist.*Nothing was changed/],
  ])("reports %s and loses nothing", async (_what, target, words) => {
    const sandbox = copy();
    mkdirSync(join(sandbox.folder, "empty"));
    expectFailure(await cli(sandbox, ["ingest", target, "--source", "documents"]), 1, words);
    await stillAnswers(sandbox);
  });

  it("refuses an empty known folder with the number of kept files, and deletes them with --allow-empty", async () => {
    const sandbox = copy();
    rmSync(join(sandbox.folder, "documents"), { recursive: true });
    mkdirSync(join(sandbox.folder, "documents"));
    expectFailure(await cli(sandbox, REINGEST), 1, /4 files ingested from it before are kept.*--allow-empty/);
    await stillAnswers(sandbox);
    expect(await cli(sandbox, [...REINGEST, "--allow-empty"])).toMatchObject({ code: 0, stdout: expect.stringContaining("4 deleted") });
    expect(await ask(sandbox, LIBRARY_QUESTIONS[0].question)).toMatchObject({ refusal: { reason: "empty_corpus" } });
  });

  it.each([
    ["folder", "documents", 1, /cannot be read \(EACCES\).*Nothing was changed/, /^$/],
    ["folder inside", "documents/rooms", 4, /rooms.*cannot be read \(EACCES\)/, /0 deleted/],
    ["file", "documents/secret.md", 4, /failed secret\.md: .*EACCES/, /1 failed/],
  ])("reports an unreadable %s and keeps its ingested documents", async (_what, path, code, words, told) => {
    const sandbox = copy();
    if (path.endsWith(".md")) writeFiles(sandbox.folder, { [path]: "Nobody may read this." });
    openToAll(sandbox, "write");
    chmodSync(join(sandbox.folder, path), 0o000);
    const run = await cli(sandbox, REINGEST, { asNobody: true });
    chmodSync(join(sandbox.folder, path), 0o755);
    expect(run).toMatchObject({ code, stdout: expect.stringMatching(told), stderr: expect.stringMatching(words) });
    expect(isCivil(run)).toBe(true);
    await stillAnswers(sandbox);
  });
});

describe("a file that was ingested before", () => {
  const WOMBAT = "What does the wombat weigh in kilograms?";
  const withWombat = async () => {
    const sandbox = fresh({ ...LIBRARY_DOCUMENTS, "wombat.md": "The wombat weighs 31 kilograms." });
    expect((await cli(sandbox, REINGEST)).code).toBe(0);
    return { sandbox, file: join(sandbox.folder, "documents/wombat.md") };
  };

  it.each<[string, (file: string) => void]>([
    ["may not be read", (file) => chmodSync(file, 0o000)],
    ["is half copied", (file) => writeFileSync(file, "---\ntitle: [a\n---\n# A\n")],
  ])("keeps its ingested version while it %s, reports that, and is updated afterwards", async (_how, spoil) => {
    const { sandbox, file } = await withWombat();
    openToAll(sandbox, "write");
    spoil(file);
    for (let i = 0; i < 2; i++) {
      const run = await cli(sandbox, REINGEST, { asNobody: true });
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
    expect((await cli(sandbox, REINGEST)).stdout).toMatch(/1 changed, 4 unchanged.*0 failed;/);
    expect((await ask(sandbox, WOMBAT)).answer_plain).toContain("32 kilograms");
  });

  it("is deleted with its documents when it no longer exists, also beside another unreadable file", async () => {
    const { sandbox, file } = await withWombat();
    rmSync(file);
    writeFileSync(join(sandbox.folder, "documents/zebra.md"), "---\ntitle: [a\n---\n# A\n");
    const run = await cli(sandbox, [...REINGEST, "--dry-run"]);
    expect(run.stdout).toMatch(/1 deleted, 1 failed; vanished, and deleted with everything read from it: wombat\.md;/);
    const { stdout, stderr } = await cli(sandbox, REINGEST);
    expect(stderr).toMatch(/failed zebra\.md/);
    expect(stdout).toMatch(/1 deleted, 1 failed; vanished, and deleted with everything read from it: wombat\.md;/);
    expect((await cli(sandbox, REINGEST)).stdout).toMatch(/0 deleted, 1 failed; \d+ chunks?/);
    // It has no stored documents, so nothing is deleted.
    rmSync(join(sandbox.folder, "documents/zebra.md"));
    const { deleted, gone } = JSON.parse((await cli(sandbox, [...REINGEST, "--json"])).stdout);
    expect([deleted, gone]).toEqual([0, []]);
  });

  it("is deleted when it belongs to another tenant, or when another access label is given", async () => {
    const { sandbox, file } = await withWombat();
    writeFileSync(file, "---\ntenant: bob\n---\nThe wombat weighs 31 kilograms.");
    expect((await cli(sandbox, REINGEST)).stdout).toMatch(/1 deleted, 1 failed;/);
    const other = await withWombat();
    writeFileSync(other.file, "---\ntitle: [a\n---\n# A\n");
    expect((await cli(other.sandbox, [...REINGEST, "--access", "staff"])).stdout).toMatch(/1 deleted, 1 failed;/);
  });
});

describe("ingest of invalid files", () => {
  it("reports another tenant's document with its reason and exit code 4, and ingests the others", async () => {
    const sandbox = fresh({ ...LIBRARY_DOCUMENTS, "x.md": "---\ntenant: bob\n---\nA text.\n" });
    const run = await cli(sandbox, REINGEST);
    expect(run.code).toBe(4);
    expect(run.stderr).toMatch(/belongs to tenant "bob"/);
    expect(run.stdout).toMatch(/4 added.*1 failed/);
    expect(isCivil(run)).toBe(true);
    await stillAnswers(sandbox);
    expect((await ask(sandbox, UNANSWERABLE)).refusal?.searched.unreadable).toHaveLength(1);
  });

  it("lists failures as JSON", async () => {
    const run = await cli(fresh({ ...LIBRARY_DOCUMENTS, "x.md": new Uint8Array([0]) }), [...REINGEST, "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ added: 4, failed: 1, failures: [{ path: "x.md", code: "binary_file" }] });
  });

  it("does not follow symbolic links, neither circular nor external ones", async () => {
    const sandbox = copy();
    symlinkSync("..", join(sandbox.folder, "documents/rooms/up"));
    symlinkSync("/etc/hosts", join(sandbox.folder, "documents/hosts.md"));
    symlinkSync("nowhere", join(sandbox.folder, "documents/dangling.md"));
    const run = await cli(sandbox, REINGEST);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/0 added, 0 changed, 4 unchanged/) });
    expect(run.stderr).toMatch(/skipped rooms\/up: it is a symbolic link/);
    await stillAnswers(sandbox);
  });

  it("reads deeply nested folders, and reports those nested too deeply", async () => {
    const path = (depth: number) => `${Array.from({ length: depth }, (_, i) => `f${i}`).join("/")}/deep.md`;
    const sandbox = fresh({ [path(60)]: "A deep text about walruses.", [path(70).replace("f0/", "g0/")]: "Another text about narwhals." });
    const run = await cli(sandbox, ["ingest", "documents"]);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("1 added") });
    expect(run.stderr).toMatch(/it lies more than 64 folders deep/);
  });

  it("counts pictures without text in the summary, and describes them for the shown file", async () => {
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

  it("accepts file names with line breaks, emoji, quotes, escape sequences and spaces, and displays them safely", async () => {
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

  it("displays escape sequences of a document safely", async () => {
    const sandbox = fresh({ "a.md": '---\ntitle: "Wombat \\e[2J"\n---\nThe wombat \u001B]0;owned\u0007 weighs 30 \u009B31m kilograms.\n' });
    await cli(sandbox, ["ingest", "documents"]);
    const run = await cli(sandbox, ["ask", "What weighs the wombat in kilograms?"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("weighs 30");
    expect(run.stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("reports a file that disappears between listing and reading, and ingests the others", async () => {
    const sandbox = fresh({
      ...LIBRARY_DOCUMENTS,
      ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`z${i}.md`, `Item ${i}.`])),
    });
    const running = start(sandbox, REINGEST);
    await running.shows(/\d files: /);
    for (let i = 0; i < 300; i++) unlinkSync(join(sandbox.folder, `documents/z${i}.md`));
    const run = await running.finished;
    expect([0, 4]).toContain(run.code);
    expect(isCivil(run)).toBe(true);
    await stillAnswers(sandbox);
    const again = await cli(sandbox, REINGEST);
    expect(again.code).toBe(0);
    expect((await ask(sandbox, UNANSWERABLE)).refusal?.searched).toMatchObject({ documents: 4, unreadable: [] });
  });
});

describe("a data folder that cannot be used", () => {
  it("read-only: names the setting to change", async () => {
    const sandbox = copy();
    openToAll(sandbox);
    const run = await apart(sandbox, ["ask", LIBRARY_QUESTIONS[0].question], { asNobody: true });
    expectFailure(run, 1, /is not writable.*SOURCEBOUND_DATA_DIR/);
    await stillAnswers(sandbox);
  });

  it("a read-only database in a writable folder: is reported", async () => {
    const sandbox = copy();
    openToAll(sandbox);
    chmodSync(join(sandbox.folder, "data"), 0o777);
    chmodSync(databaseOf(sandbox), 0o444);
    const run = await apart(sandbox, ["ask", LIBRARY_QUESTIONS[0].question], { asNobody: true });
    expectFailure(run, 1, /cannot be (opened for writing|written)/);
    chmodSync(databaseOf(sandbox), 0o644);
    await stillAnswers(sandbox);
  });

  it("a file instead of the folder: is reported", async () => {
    const sandbox = copy();
    const run = await cli(sandbox, ["ask", "x", "--data-dir", "documents/cards.md"]);
    expectFailure(run, 1, /cards\.md is not writable/);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["with overwritten pages", (bytes) => bytes.fill(0xa5, 4096 * 2)],
    ["cut in half", (bytes) => bytes.subarray(0, bytes.length / 2)],
  ])("a database %s: is reported by every command", async (_, spoil) => {
    const sandbox = copy();
    for (const ending of ["-wal", "-shm"]) rmSync(databaseOf(sandbox) + ending, { force: true });
    writeFileSync(databaseOf(sandbox), spoil(readFileSync(databaseOf(sandbox))));
    expectFailure(await cli(sandbox, ["ask", LIBRARY_QUESTIONS[0].question]), 1, /damaged|malformed/);
    expectFailure(await cli(sandbox, REINGEST), 1, /damaged|malformed/);
  });

  it("an empty database file is filled again", async () => {
    const sandbox = copy();
    for (const ending of ["-wal", "-shm"]) rmSync(databaseOf(sandbox) + ending, { force: true });
    truncateSync(databaseOf(sandbox), 0);
    expect(await ask(sandbox, "x")).toMatchObject({ refusal: { reason: "empty_corpus" } });
    expect(await cli(sandbox, REINGEST)).toMatchObject({ code: 0 });
    await stillAnswers(sandbox);
  });

  it("a truncated log loses at most its last writes, and the database opens", SEVERAL, async () => {
    const sandbox = copy();
    const running = start(sandbox, ["serve", "--port", "0"]);
    await running.shows(/Listening/);
    writeFiles(join(sandbox.folder, "documents"), { "new.md": "Umbrellas are lent for 4 days." });
    await apart(sandbox, REINGEST);
    running.child.kill("SIGKILL");
    await running.finished;
    const log = `${databaseOf(sandbox)}-wal`;
    expect(existsSync(log)).toBe(true);
    truncateSync(log, Math.floor(statSync(log).size / 2));
    await stillAnswers(sandbox);
    expect(await cli(sandbox, REINGEST)).toMatchObject({ code: 0 });
    expect((await ask(sandbox, "For how long are umbrellas lent?")).answer_plain).toContain("4 days");
  });
});

describe("several processes on one data folder", () => {
  it("ingests at the same time all succeed and store every file once", SEVERAL, async () => {
    const sandbox = fresh({
      ...LIBRARY_DOCUMENTS,
      ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`z${i}.md`, `Item ${i}.`])),
    });
    const runs = await Promise.all([apart(sandbox, REINGEST), apart(sandbox, REINGEST), apart(sandbox, REINGEST)]);
    expect(runs.map(({ code, stderr }) => [code, stderr.replaceAll(/^(\d+\/\d+ files|vectors: ).*\n/gm, "")])).toEqual(
      [0, 0, 0].map((code) => [code, ""]),
    );
    const searched = (await ask(sandbox, UNANSWERABLE)).refusal?.searched;
    expect(searched).toMatchObject({ documents: 44, chunks: 44 });
    await stillAnswers(sandbox);
  });

  it("first starts at the same time create one database", SEVERAL, async () => {
    const sandbox = fresh({});
    const runs = await Promise.all(Array.from({ length: 6 }, () => apart(sandbox, ["ask", "x"])));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [3, ""]));
  });
});

describe("a program that is stopped", () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`z${i}.md`, `# Item ${i}\n\nItem ${i} has the number ${i}.\n`]));

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends an ingest with exit code 130 on %s, keeps what was finished, and completes it on a second run",
    async (signal) => {
      const sandbox = fresh({ ...LIBRARY_DOCUMENTS, ...many });
      const running = start(sandbox, REINGEST);
      await running.shows(/\d files: /);
      running.child.kill(signal);
      const run = await running.finished;
      expect(run).toMatchObject({ code: 130, stdout: "" });
      expect(run.stderr).toMatch(/Cancelled\. Finished work is kept\. Run the same command again/);
      expect(isCivil(run)).toBe(true);
      const kept = (await ask(sandbox, UNANSWERABLE)).refusal?.searched.documents ?? 0;
      expect(kept).toBeGreaterThan(0);
      expect(kept).toBeLessThan(604);
      const again = await cli(sandbox, [...REINGEST, "--json"]);
      expect(again.code).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ added: 604 - kept, unchanged: kept });
      await stillAnswers(sandbox);
    },
  );

  it("ends silently when the reader closes stdout", async () => {
    for (const args of [["profiles", "seven-layer"], ["ask", "--json", LIBRARY_QUESTIONS[0].question], ["--help"]]) {
      const running = start(library.sandbox, args);
      running.child.stdout?.destroy();
      const run = await running.finished;
      expect(run.stderr).toBe("");
      expect(run.code).toBe(0);
    }
  });

  it("reports a full disk behind stdout", async () => {
    if (!existsSync("/dev/full")) return;
    const { spawnSync } = await import("node:child_process");
    const shell = `"${process.execPath}" "${PROGRAM}" profiles > /dev/full`;
    const run = spawnSync("sh", ["-c", shell], {
      cwd: library.sandbox.folder,
      env: { PATH: process.env.PATH, ...library.sandbox.env },
      encoding: "utf8",
    });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/ENOSPC/);
    expect(isCivil(run)).toBe(true);
  });
});

it("these tests run without root privileges where those would hide a fault", () => {
  expect(isRoot ? NOBODY : process.getuid?.()).not.toBe(0);
});

/** Gives an unprivileged process access to a sandbox; `data` controls write access to the data folder. */
function openToAll({ folder }: Sandbox, data: "read" | "write" = "read"): void {
  chmodSync(folder, 0o755);
  for (const name of ["data", "documents", "documents/rooms", "domains", "domains/library"]) {
    chmodSync(join(folder, name), 0o755);
  }
  if (data === "read") return;
  chmodSync(join(folder, "data"), 0o777);
  for (const name of readdirSync(join(folder, "data"))) chmodSync(join(folder, "data", name), 0o666);
}
