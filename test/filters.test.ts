import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "../src/client/index.ts";
import { createRandom } from "../src/grading/metrics.ts";
import type { AnswerEvent } from "../src/shared/events.ts";
import type { FilterRequest } from "../src/shared/types.ts";
import { askResponseSchema } from "../src/wire/index.ts";
import { runCli } from "./support/cli.ts";
import { answerOf, openInTest } from "./support/engine.ts";
import { serveInTest } from "./support/keyed-app.ts";
import { writeFiles } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

/** A low threshold, for tests that do not depend on confidence. */
const UNSURE = { answer_from: 0.05 };

/** Generates a book whose sentences state their chapter, section and page. Page breaks occur anywhere, also within sentences. */
function writeBook(seed: number): { text: string; chapters: number; pages: number } {
  const random = createRandom(seed);
  const chapters = 2 + Math.floor(random() * 3);
  let page = 1;
  let text = "# The keepers\n";
  for (let c = 1; c <= chapters; c++) {
    text += `\n## Chapter ${c}. Of keepers\n`;
    for (let s = 1; s <= 1 + Math.floor(random() * 3); s++) {
      text += `\n### Section ${s}\n\n`;
      for (let n = Math.floor(random() * 14); n >= 0; n--) {
        const chance = random();
        if (chance < 0.1) {
          text += `The keeper of chapter c${c} section s${s} page p${page} counts\n\f${Math.floor(random() * 900)} lamps, now on page p${page + 1}. `;
          page++;
        } else text += `The keeper of chapter c${c} section s${s} page p${page} counts ${Math.floor(random() * 900)} lamps at night. `;
        if (chance > 0.85) text += "\n\n";
        if (chance > 0.95) {
          text += "\f";
          page++;
        }
      }
    }
  }
  return { text, chapters, pages: page };
}

/** Returns all text of documents in an answer's events. */
function shownTexts(events: readonly AnswerEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "sentence") return [event.sentence.text, ...event.citations.flatMap(({ quote, context }) => [quote, context])];
    if (event.type !== "answer") return [];
    const { citations, evidence } = event.answer;
    return [...citations.flatMap(({ quote, context }) => [quote, context]), ...evidence.map(({ passage }) => passage.text)];
  });
}

const marks = (text: string, mark: string) => [...text.matchAll(new RegExp(`\\b${mark}(\\d+)\\b`, "g"))].map(([, n]) => Number(n));

const BOOKS = rounds({ all: 6, usually: 2 });

describe("filters", () => {
  it("exclude everything outside from quotes and evidence, whatever the question", async () => {
    let answered = 0;
    for (let seed = 1; seed <= BOOKS; seed++) {
      const { text, chapters, pages } = writeBook(seed);
      const { engine } = await openInTest({
        documents: { "keepers.md": text, "other.md": "# Other\n\nThe keeper of chapter c9 counts 7 lamps." },
      });
      const number = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: undefined });
      const filters = fc.record({
        chapter: number(chapters),
        section: number(3),
        from: number(pages),
        length: fc.integer({ min: 0, max: 3 }),
        profile: fc.constantFrom("sourcebound", "seven-layer", "validator", "book"),
        question: fc.constantFrom(
          "How many lamps does the keeper count?",
          "lamps of the keeper of chapter c1 section s1",
          `What does the keeper of page p${pages} count?`,
        ),
      });
      await fc.assert(
        fc.asyncProperty(filters, async ({ chapter, section, from, length, profile, question }) => {
          fc.pre(chapter !== undefined || section !== undefined || from !== undefined);
          const to = (from ?? 0) + length;
          const request: FilterRequest = {
            document: "keepers.md",
            ...(chapter === undefined ? {} : { chapter: `Chapter ${chapter}` }),
            ...(section === undefined ? {} : { section: `section ${section}` }),
            ...(from === undefined ? {} : { page: `${from}-${to}` }),
          };
          let run: AnswerEvent[];
          try {
            run = [];
            for await (const event of engine.ask(question, { filters: request, profile, detail: "more" })) run.push(event);
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^unknown_(section|page)$/) });
            return;
          }
          for (const shown of shownTexts(run)) {
            for (const c of marks(shown, "c")) expect(c).toBe(chapter ?? c);
            for (const s of marks(shown, "s")) expect(s).toBe(section ?? s);
            for (const p of marks(shown, "p")) {
              expect(p).toBeGreaterThanOrEqual(from ?? p);
              expect(p).toBeLessThanOrEqual(from === undefined ? p : to);
            }
            expect(shown).not.toContain("c9");
          }
          for (const { headingPath } of answerOf(run).citations) {
            if (chapter !== undefined) expect(headingPath.join("/")).toContain(`Chapter ${chapter}.`);
          }
          if (answerOf(run).status === "ok") answered++;
        }),
        { numRuns: 25, seed },
      );
    }
    // A filter that excludes everything would pass the checks above.
    expect(answered).toBeGreaterThan(5 * BOOKS);
  });

  it("find passages that an unfiltered search ranks far below", async () => {
    const filler = Array.from(
      { length: 40 },
      (_, i) => `## Part ${i + 1}\n\nThe toll of the bridge is ${i + 100} coins. The toll is paid to the toll keeper.`,
    );
    const { ask } = await openInTest({
      documents: { "bridge.md": `# Bridge\n\n${filler.join("\n\n")}\n`, "road.md": "# Road\n\nThe toll of the road is 5 coins.\n" },
    });
    const answer = await ask("What is the toll of the bridge?", { filters: { section: "Part 27" } });
    expect(answer.citations.map(({ quote }) => quote).join(" ")).toContain("126 coins");
    expect(answer.citations.map(({ quote }) => quote).join(" ")).not.toMatch(/12[57] coins/);
    expect(answer.filters).toMatchObject({ section: "Part 27", searchedIn: 'section "Part 27" of "Bridge"' });
    expect(answer.citations[0]?.headingPath).toEqual(["Bridge", "Part 27"]);
  });

  it("also apply to passages with a code of the question", async () => {
    const { ask } = await openInTest({
      documents: { "a.md": "# A\n\nForm 20-0996 costs 3 dollars.\n", "b.md": "# B\n\nForm 20-0996 costs 8 dollars.\n" },
    });
    for (const [document, holds] of [
      ["A", "3 dollars"],
      ["B", "8 dollars"],
    ] as const) {
      const answer = await ask("What does form 20-0996 cost?", { filters: { document } });
      expect(answer.citations.map(({ quote }) => quote)).toEqual([expect.stringContaining(holds)]);
    }
  });

  it("reveal in errors only names that the asker may see", async () => {
    const { ask, ingest, sandbox } = await openInTest();
    writeFiles(join(sandbox.folder, "bobs"), { "secret.md": "# Secret ledger\n\n## Hidden drawer\n\nThe drawer holds 7 keys.\n" });
    await ingest("bobs", { tenant: "bob" });
    const filters = { section: "Hidden drawer" };
    const refused = async (options: object) => ask("How many keys does the drawer hold?", options).catch((error: Error) => error);
    for (const tenant of [undefined, "alice"]) {
      const error = await refused({ filters, tenant });
      expect(error).toMatchObject({ code: "unknown_section" });
      // The error repeats the requested name, but nothing else of another tenant.
      expect((error as Error).message.replace('section "Hidden drawer"', "")).not.toMatch(/Hidden|Secret/);
      expect(await refused({ filters: { document: "Secret ledgers" }, tenant })).toMatchObject({
        message: expect.not.stringMatching(/"Secret ledger"/),
      });
    }
    expect(await refused({ filters, tenant: "bob" })).toMatchObject({ status: "ok" });
  });

  it("apply to a follow-up in a session", async () => {
    const { ask } = await openInTest();
    const options = { sessionId: "s", filters: { document: "Library cards" } };
    expect((await ask("How much does a library card cost?", options)).status).toBe("ok");
    const next = await ask("And how much does replacing a lost one cost?", options);
    expect(next.citations.map(({ title }) => title)).toContain("Library cards");
    expect(next.citations.map(({ quote }) => quote).join(" ")).toContain("3 dollars");
    expect((await ask("And how long may films be kept?", options)).citations.every(({ title }) => title === "Library cards")).toBe(true);
  });

  it("combine with a selection", async () => {
    const text = "# Days\n\n## One\n\nThe gate opens at 6. The gate shuts at 7.\n\n## Two\n\nThe gate opens at 8. The gate shuts at 9.\n";
    const { ask } = await openInTest({ documents: { "days.md": text }, settings: UNSURE });
    const { citations } = await ask("When does the gate open?");
    const documentId = citations[0]?.documentId as string;
    const selected = (start: number, end: number, section: string) =>
      ask("When does the gate open?", { selection: { documentId, start, end }, filters: { section } });
    expect((await selected(0, 9_999, "Two")).citations.map(({ quote }) => quote)).toEqual(["The gate opens at 8.", "The gate shuts at 9."]);
    expect((await selected(0, 40, "Two")).status).toBe("insufficient_context");
  });
});

describe("filters over HTTP and on the command line", () => {
  it("are accepted over HTTP, and an invalid one gives a clear error", async () => {
    const { engine } = await openInTest({ settings: { "server.port": 0 } });
    const client = createClient({ baseUrl: (await serveInTest(engine)).url });
    const answer = await client.ask({ question: "What does replacing a card cost?", filters: { section: "Lost cards" } });
    expect(askResponseSchema.parse(answer).filters).toEqual({
      document: null,
      chapter: null,
      section: "Lost cards",
      page: null,
      searched_in: 'section "Lost cards" of "Library cards"',
    });
    expect(answer.citations.map(({ quote }) => quote).join(" ")).toContain("3 dollars");
    const wrong: [object, number, string, RegExp][] = [
      [{ chapter: "  " }, 400, "filter_invalid", /"chapter" is empty/],
      [{ section: 4 }, 400, "invalid_request", /"filters\.section".*expected string/],
      [{ section: "Lost card" }, 404, "unknown_section", /Most similar: "Lost cards"/],
    ];
    for (const [filters, status, code, told] of wrong) {
      const asked = client.ask({ question: "What does a card cost?", filters });
      await expect(asked).rejects.toMatchObject({ status, code, message: expect.stringMatching(told) });
    }
    // A stream is refused before it begins.
    await expect(client.stream({ question: "x", filters: { section: "nope" } }).next()).rejects.toMatchObject({ status: 404 });
  });

  it("are options of `ask`", async () => {
    const library = await openInTest();
    const { folder, env } = library.sandbox;
    const ask = (...flags: string[]) => runCli(["ask", ...flags, "What does replacing a card cost?"], { cwd: folder, env });
    const found = await ask("--section", "lost CARDS", "--document", "cards.md");
    expect(found).toMatchObject({ code: 0 });
    expect(found.stdout).toContain("3 dollars");
    expect(found.stdout).toContain('searched in section "Lost cards" of "Library cards"');
    const refused = await ask("--document", "loans.md");
    expect(refused.code).toBe(3);
    expect(refused.stdout).toMatch(/Searched 1 document \(.*, only /);
    const wrong = await ask("--section", "Lost card");
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain('"Lost cards"');
    expect(await ask("--page", "0")).toMatchObject({ code: 2 });
  });
});
