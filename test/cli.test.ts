import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { readRankingWeights } from "../src/ranking/features.ts";
import { askResponseSchema } from "../src/wire/index.ts";
import { isCivil, runCli } from "./support/cli.ts";
import { cli, databaseOf, expectFailure, fresh, ingestedForAll } from "./support/cli-library.ts";
import { LIBRARY_QUESTIONS, UNANSWERABLE, writeFiles } from "./support/library.ts";

const library = ingestedForAll();
/** The bundled threshold, for tests of refusals. */
const SURE = { env: { SOURCEBOUND_ANSWER_FROM: String(readRankingWeights().threshold.minimum) } };

describe("reports", () => {
  it("explain an empty list, and name the filters that may cause it", async () => {
    const sandbox = library.copy();
    const empty = await cli(sandbox, ["reports"]);
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    expect(empty.stdout).toMatch(/There are no reports in domain "library" from the last 90 days.*\n\s+sourcebound ask/);
    expect((await cli(sandbox, ["reports", "--domain", "library"])).stdout).toContain("sourcebound ask --domain library");
    const narrowed = await cli(sandbox, ["reports", "--topic", "cards", "--since", "2020-01-01"]);
    expect(narrowed.stdout).toContain("Omit --topic and --since");
    expect(JSON.parse((await cli(sandbox, ["reports", "--json"])).stdout)).toEqual({ total: 0, topics: [], reports: [] });
  });

  it("group unanswered questions, and show one in full, also as JSON", async () => {
    const sandbox = library.copy();
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
    expectFailure(await cli(sandbox, ["reports", "show", id, "--tenant", "alice"]), 2, /unknown_report.*was not found in domain/);
  });

  it.each([
    [["reports", "--since", "2026-02-30"], /Use a day such as/],
    [["reports", "--limit", "-1"], /whole number/],
    [["reports", "--topic", "card"], /Did you mean "cards"/],
    [["reports", "--tenant", "alic"], /Did you mean "alice"/],
    [["reports", "show"], /missing required argument/],
    [["reports", "show", "nothing"], /unknown_report.*sourcebound reports/],
  ])("reject %j with the reason", async (args, words) => {
    expectFailure(await cli(library.sandbox, args), 2, words);
  });
});

describe("ask", () => {
  it.each(LIBRARY_QUESTIONS)("answers with the source: $question", async ({ question, path, holds }) => {
    const run = await cli(library.sandbox, ["ask", question]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(holds);
    expect(run.stdout).toMatch(/\[1\]/);
    expect(run.stdout).toContain("Sources");
    expect(run.stdout).toContain(`${path}, characters`);
    expect(isCivil(run)).toBe(true);
  });

  it("refuses with exit code 3, what was searched, and whom to ask", async () => {
    const run = await cli(library.sandbox, ["ask", UNANSWERABLE]);
    expect(run).toMatchObject({ code: 3, stderr: "" });
    expect(run.stdout).toContain("Searched 4 documents");
    expect(run.stdout).toContain("Front desk: 555-0100");
  });

  it.each(LIBRARY_QUESTIONS)("returns JSON whose quotes equal document and file: $question", async ({ question }) => {
    const run = await cli(library.sandbox, ["ask", "--json", question]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const answer = askResponseSchema.parse(JSON.parse(run.stdout));
    expect(answer.status).toBe("ok");
    expect(answer.citations.length).toBeGreaterThan(0);
    const database = new DatabaseSync(databaseOf(library.sandbox), { readOnly: true });
    // Other tests write to the same database concurrently.
    database.exec("pragma busy_timeout = 10000");
    for (const { quote, start, end, original, document_id } of answer.citations) {
      const row = database.prepare("select text from documents where id = ?").get(document_id) as { text: string };
      expect(row.text.slice(start, end)).toBe(quote);
      const file = readFileSync(join(library.sandbox.folder, "documents", original.path), "utf8").slice(original.start, original.end);
      expect(holdsInOrder(file.replaceAll("&amp;", "&"), quote)).toBe(true);
      expect(file.length).toBeLessThan(quote.length + 80);
    }
    database.close();
  });

  it("shows stages on stderr with --verbose, and only the answer on stdout", async () => {
    const run = await cli(library.sandbox, ["ask", "--json", "--verbose", UNANSWERABLE]);
    expect(askResponseSchema.safeParse(JSON.parse(run.stdout)).success).toBe(true);
    expect(run.stderr).toMatch(/retrieve-end .* ms/);
    expect(run.stderr).toMatch(/notice/);
    expect(run.stderr).toMatch(/"first":"\d\.\d\d \(cross-encoder (?:not asked|-?\d+\.\d\d), first stage -?\d+\.\d\d\) /);
  });

  it("says that no documents are ingested", async () => {
    const run = await cli(fresh({}), ["ask", "How much does a library card cost?"]);
    expect(run).toMatchObject({ code: 3, stderr: "" });
    expect(run.stdout).toContain("this domain has no documents that you may see");
  });

  it("returns an error as JSON with --json", async () => {
    const run = await cli(library.sandbox, ["ask", "--json", ""]);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: "question_empty" } });
  });

  it.each([
    ["a refusal", ["kill myself"], 3],
    ["an error of the question", [`kill myself ${"x".repeat(500)}`], 2],
    ["an error before the engine is open", ["kill myself", "--data-dir", "/dev/null/x"], 1],
    ["a domain that cannot be found", ["kill myself", "--domain", "libary"], 2],
  ])("prints the hotline once on stdout before %s, and adds it to the JSON", async (_, args, code) => {
    const help = "You are not alone: call 988 at any hour.";
    const run = await cli(library.sandbox, ["ask", ...args]);
    expect(run.code).toBe(code);
    expect(run.stdout.startsWith(`! ${help}\n`)).toBe(true);
    expect(run.stdout.split(help)).toHaveLength(2);
    const { error, warnings } = JSON.parse((await cli(library.sandbox, ["ask", "--json", ...args])).stdout);
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
  ] as const)("%j explains the error and the correction", async (args, words) => {
    const run = await cli(library.sandbox, args);
    expect([1, 2]).toContain(run.code);
    expectFailure(run, run.code as number, words);
  });

  it("a profile that needs an encoder names the settings to change", async () => {
    const sandbox = fresh({});
    writeFiles(sandbox.folder, { "sourcebound.config.yaml": "embeddings: none\n" });
    const run = await cli(sandbox, ["ask", "x", "--profile", "seven-layer"]);
    expectFailure(
      run,
      1,
      /embeddings: "embedded", or SOURCEBOUND_EMBEDDINGS_HUB[\s\S]*SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL/,
    );
  });

  it("says that --write has no effect without a model", async () => {
    const { stderr } = await cli(library.sandbox, ["ask", "--write", "answer", LIBRARY_QUESTIONS[0].question]);
    expect(stderr).toContain("--write has no effect, because no language model is configured");
  });

  it("shows the command name as it was typed, but does not change document text", async () => {
    const env = { SOURCEBOUND_COMMAND: "./run" };
    const help = (await cli(library.sandbox, ["ask", "--help"], { env })).stdout;
    expect(help).toMatch(/^Usage: \.\/run ask /);
    expect(help).toContain('  ./run ask "What is');
    expect(help).not.toContain("sourcebound ask");
    expect((await cli(library.sandbox, ["reports", "show", "nothing"], { env })).stderr).toContain("`./run reports` lists the reports");
    expect((await cli(fresh({}), ["ask", "How much is a card?"], { env })).stdout).toContain("./run ingest FOLDER");
    expect((await cli(library.sandbox, ["ask", LIBRARY_QUESTIONS[0].question], { env })).stdout).toMatch(
      /\nthe sources match .*`\.\/run calibrate --risk \.05` with labelled questions\), quoted verbatim, \d+ ms\n$/,
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
  ])("rejects %s, and changes no file", async (_what, files, env, words) => {
    const sandbox = fresh({});
    writeFiles(sandbox.folder, files);
    expectFailure(await cli(sandbox, question, { env }), 2, words);
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(sandbox.folder, name), "utf8")).toBe(text);
  });

  it("ignores an empty file and empty variables", async () => {
    const folder = join(library.sandbox.folder, "config-empty");
    writeFiles(folder, { "sourcebound.config.yaml": "# nothing yet\n" });
    expect(await runCli(question, { cwd: folder, env: { ...library.sandbox.env, SOURCEBOUND_PROFILE: "" } })).toMatchObject({ code: 0 });
  });
});

/** Returns whether `text` contains the letters and digits of `quote` in order; everything between them is markup. */
function holdsInOrder(text: string, quote: string): boolean {
  let at = 0;
  for (const letter of quote.replaceAll(/[^\p{L}\p{N}&]/gu, "")) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
