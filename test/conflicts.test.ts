import { afterAll, describe, expect, it } from "vitest";
import { answerToWire, askResponseSchema } from "../src/wire/index.ts";
import ownConflicts from "./own-conflicts.json" with { type: "json" };
import { type Finished, runCli } from "./support/cli.ts";
import { openInTest } from "./support/engine.ts";
import { createSandbox, LIBRARY_DOCUMENTS, LIBRARY_PACK, type Sandbox, writeFiles } from "./support/library.ts";

describe("sources that contradict each other", () => {
  const DOCUMENTS = {
    "documents/fees.md": "# Card fees\n\nA replacement library card costs $5 for every adult member.\n",
    "documents/prices.md": "# Card prices\n\nA replacement library card costs $8 for every adult member.\n",
    "documents/roof.md": "# Roof\n\nThe roof of the reading room was repaired in spring.\n",
  };

  it("are shown side by side with a warning, and the answer is not cached", async () => {
    const library = await openInTest({ documents: DOCUMENTS });
    const answer = await library.ask("What does a replacement library card cost?");
    expect(answer.status).toBe("ok");
    expect(answer.conflicts).toHaveLength(1);
    expect(answer.conflicts[0]?.sides.map(({ value }) => value).sort()).toEqual(["$5", "$8"]);
    const warning = answer.warnings.find(({ code }) => code.startsWith("conflict"));
    for (const value of ["$5", "$8"]) expect(warning?.message).toContain(value);
    expect(askResponseSchema.safeParse(answerToWire(answer)).error).toBeUndefined();
    expect((await library.ask("What does a replacement library card cost?")).conflicts).toHaveLength(1);
  });
});

/** Maximum missed contradictions per field. The product misses "free" against an amount, "all" against "only", and "noon" against an hour. */
const MISSED_AT_MOST = 2;

/** By field: real conflicts, and similar sentences about two different things, each in two documents with the same title. */
it.each(Object.entries(ownConflicts))("%s: finds the contradictions and nothing else", async (_field, { real, alike }) => {
  const pages = [...real, ...alike].flatMap(({ title, one, other }, i) => [
    [`${i}-handbook.md`, `# ${title}\n\n${one} Ask the staff about anything else.\n`],
    [`${i}-leaflet.md`, `# ${title}\n\nThis leaflet was printed for guests. ${other}\n`],
  ]);
  const library = await openInTest({ documents: Object.fromEntries(pages) });
  const found = (await Array.fromAsync(library.engine.conflicts())).flatMap((event) =>
    event.type === "conflicts" ? event.conflicts.flatMap(({ sides }) => sides.map(({ title }) => title)) : [],
  );
  expect(alike.filter(({ title }) => found.includes(title))).toEqual([]);
  expect(real.filter(({ title }) => !found.includes(title)).length).toBeLessThanOrEqual(MISSED_AT_MOST);
});

describe("conflicts of documents on the command line", () => {
  const OLD = "---\ntitle: Card fees\nas_of: 2024-05-01\n---\n# Card fees\n\nA replacement reader pass costs $5 for every adult member.\n";
  const NEW =
    "---\ntitle: Card prices\nas_of: 2026-01-15\n---\n# Card prices\n\nA replacement reader pass costs $8 for every adult member.\n";
  const DOCUMENTS = { "fees.md": OLD, "prices.md": NEW, "roof.md": "# Roof\n\nThe roof of the reading room was repaired in spring.\n" };

  const sandboxes: Sandbox[] = [];
  afterAll(() => {
    for (const sandbox of sandboxes) sandbox.remove();
  });

  function cli({ folder, env }: Sandbox, ...args: string[]): Promise<Finished> {
    return runCli(args, { cwd: folder, env });
  }

  /** @param pack lines appended to the domain pack */
  async function ingested(documents: Readonly<Record<string, string>>, pack = ""): Promise<Sandbox> {
    const sandbox = createSandbox(documents);
    sandboxes.push(sandbox);
    writeFiles(sandbox.folder, { "domains/library/domain.yaml": `${LIBRARY_PACK}${pack}` });
    const { code, stderr } = await cli(sandbox, "ingest", "documents");
    if (code !== 0) throw new Error(stderr);
    return sandbox;
  }

  describe("conflicts", { concurrent: true }, () => {
    it("lists both sides with their places, and says that no rule decides", async () => {
      const run = await cli(await ingested(DOCUMENTS), "conflicts", "--domain", "library");
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/^1\. value, certainty 0\.\d\d$/m);
      for (const part of [
        "$5 – Card fees, as of 2024-05-01",
        "$8 – Card prices, as of 2026-01-15",
        "No rule decides which source takes precedence",
      ])
        expect(run.stdout).toContain(part);
      expect(run.stdout).toMatch(/^Conflicts found: 1, among \d+ statements of 3 documents \(\d+ pairs compared\)\.$/m);
    });

    it("gives every field as JSON on stdout, progress on stderr, and the deciding rule", async () => {
      const run = await cli(await ingested(DOCUMENTS, "precedence: [newer]\n"), "conflicts", "--json");
      expect(run.code).toBe(0);
      const report = JSON.parse(run.stdout);
      expect(report).toMatchObject({ documents: 3, statements: expect.any(Number), compared: expect.any(Number) });
      expect(report.conflicts).toHaveLength(1);
      const [conflict] = report.conflicts;
      expect(conflict).toMatchObject({ kind: "value", resolved_by: { rule: "newer" } });
      expect(conflict.certainty).toBeGreaterThan(0);
      const sides: { sid: string; value: string; quote: string; as_of: string; document_id: string; start: number; end: number }[] =
        conflict.sides;
      expect(sides.map(({ value, as_of }) => [value, as_of]).sort()).toEqual([
        ["$5", "2024-05-01"],
        ["$8", "2026-01-15"],
      ]);
      expect(sides.find(({ sid }) => sid === conflict.resolved_by.holds)?.value).toBe("$8");
      for (const { quote, value, start, end, document_id } of sides) {
        expect(quote).toContain(value);
        expect(end - start).toBe(quote.length);
        expect(document_id).not.toBe("");
      }
    });
  });

  describe("an answer whose sources conflict", { concurrent: true }, () => {
    const QUESTION = "What does a replacement reader pass cost?";

    it("names the declared rule and the side that it supports", async () => {
      const sandbox = await ingested({ ...LIBRARY_DOCUMENTS, ...DOCUMENTS }, "precedence: [newer]\n");
      const run = await cli(sandbox, "ask", QUESTION);
      expect(run.code).toBe(0);
      expect(run.stdout).toContain("$8 – Card prices, as of 2026-01-15 (holds)");
      expect(run.stdout).toContain("Decided by: the newer source");
      const answer = JSON.parse((await cli(sandbox, "ask", "--json", QUESTION)).stdout);
      expect(answer.conflicts[0].resolved_by.rule).toBe("newer");
      const warning = answer.warnings.find(({ code }: { code: string }) => code === "conflict_resolved");
      expect(warning.message).toContain('by the declared rule "the newer source"');
    });
  });
});
