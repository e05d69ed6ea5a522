import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHIPPED_DOMAINS } from "../src/engine/domain.ts";
import { createEngine, type Engine } from "../src/engine/engine.ts";
import { createClaimJudge } from "../src/grading/claim-judge.ts";
import { readGoldenSet } from "../src/grading/golden-set.ts";
import { runGolden } from "../src/grading/run-golden.ts";
import { type Config, configSchema } from "../src/shared/config.ts";
import { isCivil, runCli, startCli } from "./support/cli.ts";
import { folderOfFile, writeIn } from "./support/folders.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

const run = promisify(execFile);
const cwd = folderOfFile();
beforeAll(() => {
  writeIn(cwd, "papers/fees.md", "# Fees\n\n## What does a mooring cost?\n\nA mooring costs 9 dollars a night.\n");
});

describe("a pack with tenants", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine(configSchema.parse({ data_dir: join(cwd, "data"), domain: "retail" }), SHARED_PARTS);
    for await (const _ of engine.ingestDomain("retail"));
  });
  afterAll(() => engine.close());

  it("gives each tenant the shared documents and its own, and nobody else a tenant's", async () => {
    const paths = async (tenant?: string) =>
      (await engine.store.documents.outlines(engine.scope({ domain: "retail", tenant }))).map(({ path }) => path);
    const [nobody, nova, shelf] = [await paths(), await paths("novamart"), await paths("shelfwise")];
    expect(nobody.length).toBeGreaterThanOrEqual(4);
    expect(nobody.filter((path) => path.startsWith("tenants/"))).toEqual([]);
    expect(nova.filter((path) => path.startsWith("tenants/shelfwise/"))).toEqual([]);
    expect(shelf.filter((path) => path.startsWith("tenants/novamart/"))).toEqual([]);
    expect(Math.min(nova.length, shelf.length)).toBeGreaterThanOrEqual(36);
  });

  it("answers each tenant by its own rules", async () => {
    const quotes = async (tenant: string, question: string) =>
      (await engine.answer(question, { tenant })).citations.map(({ quote }) => quote).join("\n");
    expect(await quotes("novamart", "how much is next day delivery")).toContain("$11.90");
    expect(await quotes("shelfwise", "how much is next day delivery")).not.toContain("$11.90");
    expect(await quotes("shelfwise", "how much is evening delivery")).toContain("$8");
    expect(await quotes("novamart", "how much is evening delivery")).not.toContain("$8");
    const leave = "When does store staff hand in wishes for summer leave?";
    expect(await quotes("novamart", leave)).toContain("until February 15");
    expect(await quotes("shelfwise", leave)).toContain("by March 1");
  });

  it("shows a tenant's contact to that tenant only", async () => {
    const contacts = async (tenant?: string) =>
      (await engine.answer("How do I renew my passport abroad?", { tenant })).refusal?.contacts.map(({ name }) => name) ?? [];
    expect(await contacts("novamart")).toEqual(["NovaMart service line"]);
    expect(await contacts("shelfwise")).toEqual(["ShelfWise information point"]);
    expect(await contacts()).toEqual([]);
  });

  it("asks each golden question as its tenant", async () => {
    const folder = join(SHIPPED_DOMAINS, "retail");
    const whole = readGoldenSet({ name: "retail", corpus: folder, golden: join(folder, "golden") });
    const about = (text: string) => whole.answerable.filter(({ question }) => question.includes(text));
    const set = {
      ...whole,
      documents: join(folder, "documents"),
      tenants: { novamart: join(folder, "tenants/novamart"), shelfwise: join(folder, "tenants/shelfwise") },
      answerable: [...about("next day delivery"), ...about("evening delivery")],
      // The contradiction is located in all documents, including the entries of `features.yaml`.
      unanswerable: whole.unanswerable.filter(({ question }) => question.includes("novapoints for cash")),
    };
    const judge = createClaimJudge(null);
    const options = {
      // A low threshold, so that the false premise is answered with its contradiction.
      config: configSchema.parse({ answer_from: 0.05 }),
      domain: "retail",
      signal: new AbortController().signal,
      openEngine: (own: Config) => createEngine(own, SHARED_PARTS),
      judge,
    };
    for await (const event of runGolden(set, options)) {
      if (event.type !== "judged") continue;
      expect(event.asked.map(({ item: { id, right } }) => [id, right])).toEqual([
        ["novamart-a-005", true],
        ["shelfwise-a-004", true],
        ["novamart-u-008", true],
      ]);
    }
  });
});

describe("new-domain and doctor", () => {
  it("show a proposal with --dry-run, write it, and refuse to overwrite it", async () => {
    const dry = await runCli(["new-domain", "harbour", "papers", "--dry-run"], { cwd });
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining("name: harbour")]);
    expect(existsSync(join(cwd, "domains"))).toBe(false);
    const written = await runCli(["new-domain", "harbour", "papers", "--title", "Our harbour", "--json"], { cwd });
    const { pack, written: path } = JSON.parse(written.stdout);
    expect([written.code, pack.title, path]).toEqual([0, "Our harbour", join(cwd, "domains", "harbour", "domain.yaml")]);
    const again = await runCli(["new-domain", "harbour", "papers"], { cwd });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('The pack "harbour" already')]);
    const doctor = await runCli(["doctor", "harbour"], { cwd, env: { SOURCEBOUND_DOMAINS_DIR: join(cwd, "domains") } });
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining("Our harbour: 1 documents")]);
  });

  it("ingests the folder and serves the page on it until interrupted", async () => {
    const { child, shows, finished } = startCli(["new-domain", "quay", "papers", "--port", "0"], { cwd });
    const [, url = ""] = await shows(/running at (http:\S+)/);
    const body = JSON.stringify({ question: "What does a mooring cost?" });
    const headers = { "content-type": "application/json" };
    const asked = await fetch(`${url}/v1/ask`, { method: "POST", headers, body });
    expect(await asked.text()).toContain("9 dollars a night");
    expect(await (await fetch(`${url}/v1/domains`)).text()).toContain("quay");
    child.kill("SIGTERM");
    expect((await finished).stdout).toContain('ask --domain quay "What does a mooring cost?"');
  });

  it.each([
    [["new-domain", "Harbour!", "papers"], "is not a valid domain name"],
    [["new-domain", "harbour2", "nowhere"], "nowhere"],
    [["doctor", "retial"], 'Did you mean "retail"?'],
    [["doctor", "--documents", "papers"], "applies to one pack"],
  ])("%j explains the error", async (args, told) => {
    const finished = await runCli(args, { cwd });
    expect(finished.code).not.toBe(0);
    expect(finished.stderr).toContain(told);
    expect(isCivil(finished)).toBe(true);
  });

  it("exits with 5 for a fault in a pack, with --strict also for a warning, and lists all findings as JSON", async () => {
    const folder = join(cwd, "broken", "shop");
    writeIn(folder, "documents/a.md", "# Cards\n\nA card costs 5 dollars.\n");
    const env = { SOURCEBOUND_DOMAINS_DIR: join(cwd, "broken") };
    const pack = "name: shop\ntitle: Shop\ntopics: [{ slug: zoo, name: Zoo, keywords: [giraffe] }]\n";
    writeFileSync(join(folder, "domain.yaml"), pack);
    expect((await runCli(["doctor", "shop"], { cwd, env })).code).toBe(0);
    mkdirSync(join(cwd, "data"), { recursive: true });
    for (const [mode, says] of [
      [0o755, true],
      [0o700, false],
    ] as const) {
      chmodSync(join(cwd, "data"), mode);
      const { code, stderr } = await runCli(["doctor", "shop"], { cwd, env: { ...env, SOURCEBOUND_DATA_DIR: join(cwd, "data") } });
      expect([code, stderr.includes("other users of this machine can read the data folder")]).toEqual([0, says]);
    }
    expect((await runCli(["doctor", "shop", "--strict"], { cwd, env })).code).toBe(5);
    writeFileSync(join(folder, "domain.yaml"), `${pack}hostlines: []\n`);
    const broken = await runCli(["doctor", "shop", "--json"], { cwd, env });
    expect(broken.code).toBe(5);
    expect(JSON.parse(broken.stdout)).toMatchObject([{ name: "shop", ok: false, findings: [{ level: "fault", check: "schema" }] }]);
  });
});

describe("make-documents of the book pack", () => {
  const script = join(SHIPPED_DOMAINS, "book", "make-documents.mjs");
  const words = "It was a long and quiet day by the river, and nobody came. ".repeat(5);

  it("writes one file per chapter, without licence text and table of contents, and never into a used folder", async () => {
    const book = `Licence text\n*** START OF THE BOOK ***\nCONTENTS\nCHAPTER I. Morning\nCHAPTER II. Evening\n\nCHAPTER I. Morning\n\n${words}\n\nCHAPTER II. Evening\n\n${words}\n*** END OF THE BOOK ***\nMore licence\n`;
    writeFileSync(join(cwd, "book.txt"), book.replaceAll("\n", "\r\n"));
    const out = join(cwd, "river");
    await run(process.execPath, [script, "--file", join(cwd, "book.txt"), "--title", 'The "River"', "--out", out]);
    expect(readdirSync(out)).toEqual(["chapter-001.md", "chapter-002.md"]);
    const first = readFileSync(join(out, "chapter-001.md"), "utf8");
    expect(first).toBe(`---\ntitle: "The \\"River\\": CHAPTER I. Morning"\n---\n\n# CHAPTER I. Morning\n\n${words.trim()}\n`);
    await expect(run(process.execPath, [script, "--file", join(cwd, "book.txt"), "--out", out])).rejects.toMatchObject({ code: 2 });
  });

  it.each([[[]], [["--file", "none.txt", "--out", "x"]], [["--file", "a", "--package", "b", "--out", "x"]], [["--frobnicate"]]])(
    "rejects %j with its usage",
    async (args) => {
      await expect(run(process.execPath, [script, ...args], { cwd })).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining("Usage:"),
      });
    },
  );
});
