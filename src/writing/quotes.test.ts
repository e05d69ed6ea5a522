import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { rounds } from "../../test/support/trials.ts";
import { openSharedReader } from "../cross-encoder/create-reader.ts";
import type { ReadTexts } from "../cross-encoder/reader.ts";
import { chunkDocument } from "../ingest/chunk.ts";
import { parseFile } from "../ingest/parse.ts";
import type { Evidence, Passage } from "../shared/types.ts";
import { type ChooseQuotesOptions, createQuoteChooser } from "../testing/choose-quotes.ts";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { unitsIn } from "../text/units.ts";
import { writeExtractive } from "./quotes.ts";

const chooseQuotesFrom = createQuoteChooser();

const reader = openSharedReader();
afterAll(() => reader.close());
const read: ReadTexts = (texts, signal) => reader.read(texts, signal);

const options: ChooseQuotesOptions = { limit: 12, maxCharacters: 1200 };
const choose = (question: string, segments: Parameters<typeof fakePassage>[0]["segments"], over = options) =>
  chooseQuotesFrom(question, [fakeEvidence(fakePassage({ segments }))], fakeWords(), over);
const texts = async (...args: Parameters<typeof choose>) => (await choose(...args)).map(({ quote }) => quote.text);
const heading = (text: string) => ({ type: "heading" as const, text });
const item = (text: string) => ({ type: "list-item" as const, text });
const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });

describe("chooseQuotes", () => {
  it("keeps all steps together only if steps are requested", async () => {
    const steps = ["To get a card:", ...Array.from({ length: 6 }, (_, i) => item(`step ${i} of the card ${"word ".repeat(24)}`.trim()))];
    expect((await texts("How do I get a card?", steps))[0]).toMatch(/^To get a card:\nstep 0[\s\S]*step 5/);
    expect((await texts("How much is a card?", steps))[0]).not.toContain("\n");
  });

  it("keeps what a colon announces without a list: the lines of an address, or one paragraph", async () => {
    const lines = ["Mail the card to:", "Card Office", "PO Box 7", "Springfield", "", `${"Opening hours differ. ".repeat(6)}`];
    const passage = fakePassage({ segments: lines.filter((line) => line !== "") });
    const [first] = await chooseQuotesFrom("where do I mail the card", [fakeEvidence(passage)], fakeWords(), options);
    expect(first?.quote.text).toBe("Mail the card to:\nCard Office\nPO Box 7\nSpringfield");
    const long = `The office that made it, ${"or any other office, ".repeat(6)}takes it.`;
    expect((await texts("who takes the card", ["Who takes the card:", long]))[0]).toBe(`Who takes the card:\n${long}`);
  });

  it("cites items of a long list with their introduction", async () => {
    const long = (n: number) => item(`${"word ".repeat(40)}card ${n}`);
    const [first] = await choose("card 3", ["These cards:", long(1), long(2), long(3), long(4), long(5)]);
    expect(first?.quote.text.endsWith("card 3")).toBe(true);
    expect(first?.context.map(({ text }) => text)).toEqual(["These cards:"]);
  });

  it("cites a table row with its header, never the header alone", async () => {
    const chosen = await choose("atlas period", [row("item | period"), row("atlas | 3 days"), row("map | 2 days")]);
    expect(chosen[0]?.quote).toMatchObject({ text: "atlas | 3 days", header: { start: 0, end: 13, text: "item | period" } });
    expect(chosen[0]?.context.map(({ text }) => text)).toEqual(["item | period"]);
    expect(chosen.map(({ quote }) => quote.text)).not.toContain("item | period");
  });

  it("does not quote a possible header row beside a row of its table", async () => {
    const maybe = { type: "table-row" as const, text: "service | notice by the employer" };
    const rows = [row("4 years | 1 month"), row("9 years | 3 months")];
    for (const question of ["notice after 9 years of service", "notice by the employer, service 9"]) {
      const chosen = await choose(question, [maybe, ...rows]);
      expect(chosen[0]?.quote.header?.text).toBe(maybe.text);
      expect(chosen.map(({ quote }) => quote.text)).not.toContain(maybe.text);
    }
    expect(await texts("notice by the employer of a service", [maybe, "Zebras."])).toContain(maybe.text);
  });

  it("omits rows beside the requested one, unless other words of the question match them", async () => {
    const hours = [
      row("day | pool | sauna"),
      row("Wednesday | 9 to 20 | 14 to 22"),
      row("Thursday | 9 to 20 | 15 to 22"),
      row("Friday | 9 to 20 | 16 to 23"),
    ];
    const rowsFor = async (question: string) => (await choose(question, hours)).map(({ quote }) => quote.text.split(" ")[0]).sort();
    expect(await rowsFor("sauna thursday")).toEqual(["Thursday"]);
    expect(await rowsFor("sauna thursday friday")).toEqual(["Friday", "Thursday"]);
    expect(await rowsFor("sauna hours")).toEqual(["Friday", "Thursday", "Wednesday"]);
    const parking = [row("place | free on"), row("Park North | Sunday"), row("Quay | Sunday"), row("Mole | Monday")];
    const places = (await choose("where to park on Sunday", parking)).map(({ quote }) => quote.text);
    expect(places.sort()).toEqual(["Park North | Sunday", "Quay | Sunday"]);
  });

  it("omits rows without the requested number, in every table with the same columns", async () => {
    const doses = [
      row("age | dose"),
      row("2 to 3 years | 8 ml up to 4 times"),
      row("4 to 5 years | 10 ml up to 4 times"),
      "In the stronger form:",
      { ...row("age | dose"), header: 4 },
      { ...row("6 to 7 years | 5 ml up to 4 times"), header: 4 },
    ];
    const rowsFor = async (question: string) => (await choose(question, doses)).map(({ quote }) => quote.text.split(" | ")[0]);
    expect(await rowsFor("dose for 4 years")).toEqual(["4 to 5 years"]);
    expect((await rowsFor("dose for 4 years and for 7 years")).sort()).toEqual(["4 to 5 years", "6 to 7 years"]);
    expect(await rowsFor("dose by years")).toHaveLength(3);
  });

  it("quotes a list or item without its heading, which is displayed as a label", async () => {
    const above = heading("Not allowed");
    const [list] = await choose("glass bottles", [above, item("Glass bottles"), item("Pistols")]);
    expect([list?.context, list?.quote.text]).toEqual([[], "Glass bottles\nPistols"]);
    const [one] = await choose("glass bottles", [above, "It is safer.", item("Glass bottles")]);
    expect([one?.context.map(({ text }) => text), one?.quote.text]).toEqual([[], "Glass bottles"]);
  });

  it.each(["However, a lost card costs 7.", "Exception: members pay nothing.", "This doesn’t apply to members."])(
    "keeps a condition after the quote: %s",
    async (condition) => {
      // Use the cross-encoder, as the product does. The first-stage score alone would also select a sentence about lost cards.
      const [first] = await choose("What does a card cost?", ["A card costs 5.", condition, "Zebras are striped."], { ...options, read });
      expect(first?.quote.text).toBe("A card costs 5.");
      expect(first?.conditions?.map(({ text }) => text)).toEqual([condition]);
    },
  );

  it("adds no condition from another section, and no other sentence", async () => {
    const apart = await choose("What does a card cost?", ["A card costs 5.", heading("Zebras"), "However, zebras cost more."]);
    expect(apart[0]?.conditions).toBeUndefined();
    const none = await choose("What does a card cost?", ["A card costs 5.", "Button colours differ."]);
    expect(none[0]?.conditions).toBeUndefined();
  });

  it('adds the previous sentence if the quote refers to it with words such as "this", "they" or "yes"', async () => {
    const context = async (segments: Parameters<typeof choose>[1]) =>
      (await choose("who pays a lost card", segments))[0]?.context.map(({ text }) => text);
    expect(await context(["Members sign a form.", "They pay for a lost card."])).toEqual(["Members sign a form."]);
    expect(await context(["Someone finds it.", "In that case nobody pays for a lost card."])).toEqual(["Someone finds it."]);
    expect(await context([heading("Do members pay for a lost card?"), "Yes, a lost card is paid by members."])).toEqual([]);
    expect(await context(["Members sign a form.", "Members pay for a lost card."])).toEqual([]);
    expect(await context(["They pay for a lost card."])).toEqual([]);
  });

  it("omits near-duplicates from other documents, but keeps sentences with another number or a negation", async () => {
    const from = (document: string, text: string) => fakeEvidence(fakePassage({ document, segments: [text] }));
    const said = "A lost library card costs members in good standing 5 dollars today";
    const chosen = async (other: string) =>
      (await chooseQuotesFrom("lost card", [from("a", said), from("b", other)], fakeWords(), options)).length;
    expect(await chosen(`${said} as well`)).toBe(1);
    expect(await chosen(said.replace("5", "6"))).toBe(2);
    expect(await chosen(said.replace("costs", "never costs"))).toBe(2);
  });

  it("never truncates: candidates longer than the limit are skipped", async () => {
    expect(await texts("card", [`card ${"x".repeat(50)}`, "card y"], { limit: 12, maxCharacters: 20 })).toEqual(["card y"]);
  });

  it("returns at most `limit` quotes, byte for byte, distinct and without overlaps", async () => {
    const sentence = fc
      .array(fc.constantFrom("card", "cost", "zoo", "lost", "5", "fee"), { minLength: 1, maxLength: 6 })
      .map((some) => `${some.join(" ")}.`);
    await fc.assert(
      fc.asyncProperty(fc.array(sentence, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (segments, limit) => {
        const passage = fakePassage({ segments });
        const chosen = await chooseQuotesFrom("lost card fee 5", [fakeEvidence(passage)], fakeWords(), { limit, maxCharacters: 1200 });
        expect(chosen.length).toBeLessThanOrEqual(limit);
        expect(new Set(chosen.map(({ quote }) => quote.text)).size).toBe(chosen.length);
        for (const { quote } of chosen) expect(passage.text.slice(quote.start, quote.end)).toBe(quote.text);
        const places = chosen.map(({ quote }) => quote).sort((a, b) => a.start - b.start);
        for (let i = 1; i < places.length; i++) expect(places[i]?.start).toBeGreaterThanOrEqual(places[i - 1]?.end ?? 0);
      }),
    );
  });
});

/** Ingests a file by the product's path and returns every chunk as evidence. */
function evidenceOf(path: string, source: string): { text: string; evidence: Evidence[] } {
  const [parsed] = parseFile({ path, bytes: Buffer.from(source) });
  if (parsed === undefined) return { text: "", evidence: [] };
  const template = fakePassage({ segments: ["x"] });
  const evidence = chunkDocument(parsed).map(({ start, end, headingPath, windows }, i): Evidence => {
    const passage: Passage = {
      ...template,
      chunkId: `d-${i}`,
      document: { ...template.document, blocks: parsed.blocks, sourceMap: parsed.sourceMap },
      headingPath,
      range: { start, end },
      window: windows[0] ?? { start, end },
      text: parsed.text.slice(start, end),
      units: unitsIn(parsed, { start, end }),
    };
    return fakeEvidence(passage);
  });
  return { text: parsed.text, evidence };
}

async function answer(question: string, path: string, source: string) {
  const { text, evidence } = evidenceOf(path, source);
  const candidates = await chooseQuotesFrom(question, evidence, fakeWords(), options);
  const drafts = writeExtractive(candidates, { quotes: 4, words: 100 });
  return { text, candidates, drafts };
}

describe("any document", () => {
  const word = fc.constantFrom(
    "card",
    "fee",
    "5",
    "lost",
    "This",
    "However,",
    "Unless",
    "Yes.",
    "a",
    "zoo",
    "“quoted”",
    "بطاقة",
    "𝒙",
    "|",
    "…",
  );
  const line = fc
    .tuple(
      fc.constantFrom("", "# ", "- ", "1. ", "> ", "| a | b |\n|---|---|\n| ", "    "),
      fc.array(word, { minLength: 1, maxLength: 12 }),
    )
    .chain(([mark, some]) => fc.constantFrom(".", ":", "?", "", " |", "\n").map((end) => `${mark}${some.join(" ")}${end}`));

  it("every sentence is a quote that equals the document's text, character for character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 25 }), fc.constantFrom("\n", "\n\n"), async (lines, gap) => {
        const { text, drafts, candidates } = await answer("How much is a lost card?", "d.md", lines.join(gap));
        for (const draft of drafts) {
          expect(draft.quotes).toHaveLength(1);
          for (const { start, end, text: quoted, header } of draft.quotes) {
            expect(quoted).toBe(draft.text);
            expect(text.slice(start, end)).toBe(quoted);
            if (header !== undefined) expect(text.slice(header.start, header.end)).toBe(header.text);
          }
        }
        for (const { context, conditions = [] } of candidates)
          for (const { start, end, text: quoted } of [...context, ...conditions]) expect(text.slice(start, end)).toBe(quoted);
      }),
      { numRuns: rounds({ all: 200, usually: 50 }) },
    );
  });

  it.each([
    ["one sentence of 100 kB", "d.txt", `lost card ${"x".repeat(100_000)}`],
    ["no sentence ends", "d.txt", "lost card fee ".repeat(8_000)],
    ["a list of 5,000 items", "d.md", `Fees:\n${Array.from({ length: 5_000 }, (_, i) => `- lost card ${i}`).join("\n")}`],
    ["conditions only", "d.txt", "However, a lost card costs 5. ".repeat(5_000)],
    ["nothing", "d.txt", ""],
  ])("%s: gives a bounded answer", async (_, path, source) => {
    const { evidence } = evidenceOf(path, source);
    const candidates = await chooseQuotesFrom("How much is a lost card?", evidence, fakeWords(), options);
    const drafts = writeExtractive(candidates, { quotes: 4, words: 100 });
    expect(drafts.length).toBeLessThanOrEqual(4 * 4);
    for (const { text } of drafts) expect(text.length).toBeLessThanOrEqual(1200);
  });
});
