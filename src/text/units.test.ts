import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { chunkDocument } from "../ingest/chunk.ts";
import { parseFirst } from "../ingest/testing/first-document.ts";
import type { PlacedUnit } from "../shared/types.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { SENTENCE_MAX_CHARS, splitSentences } from "./sentences.ts";
import cases from "./units.cases.json" with { type: "json" };
import { aboveUnit, nameCells, readCells, unitAt, unitsIn } from "./units.ts";

const read = (source: string, path = "a.md") => parseFirst(path, source);

function unitOf(source: string, words: string, path?: string): PlacedUnit {
  const document = read(source, path);
  const unit = unitsIn(document).find(({ start }) => document.text.startsWith(words, start));
  if (unit === undefined) throw new Error(`no unit begins with "${words}"`);
  return unit;
}

const GARDEN = `# Garden tools

## Spades

A spade weighs 2 kg.

### Care

Oil the handle.

## Rakes

A rake weighs 1 kg. It has 14 teeth.
`;

test("every unit has its own headings, not those of the passage's beginning", () => {
  expect(unitOf(GARDEN, "A spade").headingPath).toEqual(["Garden tools", "Spades"]);
  expect(unitOf(GARDEN, "Oil").headingPath).toEqual(["Garden tools", "Spades", "Care"]);
  expect(unitOf(GARDEN, "It has").headingPath).toEqual(["Garden tools", "Rakes"]);
  expect(unitOf(GARDEN, "Rakes").headingPath).toEqual(["Garden tools", "Rakes"]);
});

test("sentences after a run-in heading are below it, and the first is quoted with it", () => {
  const document = read(
    "**Throwing large.** Taught by Ben. Three Sundays, $195.\n\n**Never** dry them in the sun. They crack.\n\n**Bold. All of it.**",
  );
  const shown = unitsIn(document).map(({ start, end, leadIn }) => [document.text.slice(start, end), leadIn?.text ?? ""]);
  expect(shown).toEqual([
    ["Throwing large. Taught by Ben.", ""],
    ["Three Sundays, $195.", "Throwing large."],
    ["Never dry them in the sun.", ""],
    ["They crack.", ""],
    ["Bold.", ""],
    ["All of it.", ""],
  ]);
});

test("a run-in heading outside the bounds is omitted", () => {
  const document = read("**Fees:** Ten a month. None in May.");
  const start = document.text.indexOf("None");
  const part = { start, end: document.text.length };
  expect(unitsIn(document, part)).toMatchObject([{ leadIn: { text: "Fees:" } }]);
  expect(unitsIn(document, part, part)).toMatchObject([{ leadIn: null }]);
});

test("list items have the introducing sentence, nested items their parent item", () => {
  const source =
    "Bring to the appointment:\n\n- Your passport\n- Papers of the car\n  - the certificate\n- Money\n\nWe close at 5.\n\n- Loose item";
  expect(unitOf(source, "Your passport").leadIn?.text).toBe("Bring to the appointment:");
  expect(unitOf(source, "the certificate").leadIn?.text).toBe("Papers of the car");
  expect(unitOf(source, "Money").leadIn?.text).toBe("Bring to the appointment:");
  expect(unitOf(source, "Loose item").leadIn).toBeNull();
  expect(unitOf(source, "We close").leadIn).toBeNull();
});

const FARES = `## Adults

Fares from March.

| Zone | Fare |
| --- | --- |
| A | $3 |
| By night: | |
| A | $5 |

## Children

| Zone | Fare |
| --- | --- |
| B | $1 |
`;

test("a row has its header, its caption, its group label and its table's heading", () => {
  const document = read(FARES);
  const rows = unitsIn(document).filter(({ type }) => type === "table-row");
  const above = rows.map((row) => [document.text.slice(row.start, row.end), ...aboveUnit(row)]);
  expect(above).toEqual([
    ["Zone | Fare", "Adults", "Fares from March."],
    ["A | $3", "Adults", "Fares from March.", "Zone | Fare"],
    ["By night:", "Adults", "Fares from March.", "Zone | Fare"],
    ["A | $5", "Adults", "Fares from March.", "By night:", "Zone | Fare"],
    ["Zone | Fare", "Children"],
    ["B | $1", "Children", "Zone | Fare"],
  ]);
});

test("a row in a later part has its header and caption, unless they are out of bounds", () => {
  const document = read(FARES);
  const start = document.text.indexOf("A | $5");
  const range = { start, end: start + 6 };
  expect(unitsIn(document, range)).toMatchObject([{ header: { text: "Zone | Fare" }, caption: { text: "Fares from March." } }]);
  expect(unitsIn(document, range, range)).toMatchObject([{ header: null, caption: null, leadIn: null }]);
});

test.each([
  ["Under-3s are not admitted.", false],
  ["Under-3s are not admitted. Prices per person:", true],
  ["Prices per person", true],
  ["All prices hold until May.", true],
  ["The following table holds for members.", true],
  ["Table 3. For members of the club.", true],
])("the text above a table is its caption if it introduces the table: %s %s", (above, isCaption) => {
  const caption = unitOf(`# Spa\n\n${above}\n\n| Item | Price |\n| --- | --- |\n| Massage | 50 |\n`, "Massage").caption;
  expect(caption !== null && above.endsWith(caption.text)).toBe(isCaption);
});

test("units have their page, and none if the document has no pages", () => {
  const source = "Page one says this.\n\n\fPage two says that.\n\n\fPage three ends.";
  expect(unitOf(source, "Page one", "a.txt").page).toBe(1);
  expect(unitOf(source, "Page two", "a.txt").page).toBe(2);
  expect(unitOf(source, "Page three", "a.txt").page).toBe(3);
  expect(unitOf(GARDEN, "Oil").page).toBeNull();
});

const word = fc.constantFrom("oak", "runs", "12", "$5", "Blue:", "Part B.", "no", "água", "日本。", "🎈", "e.g.");
const words = fc.array(word, { minLength: 1, maxLength: 40 }).map((some) => some.join(" "));
const block = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 6 }), words).map(([level, text]) => `${"#".repeat(level)} ${text}`),
  words,
  words.map((text) => `${text}:`),
  fc
    .array(fc.tuple(fc.boolean(), words), { minLength: 1, maxLength: 6 })
    .map((items) => items.map(([deep, text]) => `${deep ? "  " : ""}- ${text}`).join("\n")),
  fc
    .array(fc.tuple(words, words), { minLength: 1, maxLength: 5 })
    .map((rows) => ["| a | b |", "| --- | --- |", ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join("\n")),
);
const documents = fc.array(block, { minLength: 1, maxLength: 25 }).map((blocks) => read([...blocks, ...blocks, ...blocks].join("\n\n")));

test("units of a chunk are ordered, do not overlap, stay within it and contain all its words", () => {
  fc.assert(
    fc.property(documents, (document) => {
      for (const chunk of chunkDocument(document)) {
        let at = chunk.start;
        const units = unitsIn(document, chunk);
        for (const unit of units) {
          expect(unit.start).toBeGreaterThanOrEqual(at);
          expect(document.text.slice(at, unit.start).trim()).toBe("");
          expect(unitAt({ units }, unit.start)).toBe(unit);
          at = unit.end;
        }
        expect(document.text.slice(at, chunk.end).trim()).toBe("");
        expect(at).toBeLessThanOrEqual(chunk.end);
      }
    }),
    { numRuns: 60 },
  );
});

test("a unit's place does not depend on the part in which it is read", () => {
  fc.assert(
    fc.property(documents, fc.nat(), (document, at) => {
      const all = unitsIn(document);
      const first = all[at % Math.max(1, all.length)];
      if (first === undefined) return;
      const part = unitsIn(document, { start: first.start, end: document.text.length });
      expect(part).toEqual(all.slice(all.indexOf(first)));
      for (const { leadIn, header, caption } of part) {
        for (const one of [leadIn, header, caption]) if (one !== null) expect(document.text.slice(one.start, one.end)).toBe(one.text);
      }
    }),
    { numRuns: 60 },
  );
});

test("the units of every passage of a long table take linear time", async () => {
  const make = (n: number) => {
    const rows = Array.from({ length: n }, (_, i) => `| ${i} | $${i} |`);
    const document = read(["| n | fee |", "| --- | --- |", ...rows].join("\n"));
    return { document, chunks: chunkDocument(document) };
  };
  const place = ({ document, chunks }: ReturnType<typeof make>) => chunks.map((chunk) => unitsIn(document, chunk));
  await expectLinearTime(20_000, make, place);
  expect(place(make(5_000)).at(-1)?.at(-1)?.header?.text).toBe("n | fee");
});

const PAGE =
  "<h1>Ferry</h1><h2>Dogs</h2><details><summary>Big</summary><h2>Fees</h2><p>Ten.</p><details><summary>Groups</summary><p>Nine.</p></details></details><p>On a lead.</p><h3>Small</h3><p>Five.</p>";

describe("the end of a section without a following heading", () => {
  const document = read(`<title>T</title>${PAGE}`, "a.html");
  const units = unitsIn(document);
  const pathOf = (text: string) => units.find(({ start, end }) => document.text.slice(start, end) === text)?.headingPath.join(" > ");

  test("restores the headings before it", () => {
    expect(["Ten.", "Nine.", "On a lead.", "Five."].map(pathOf)).toEqual([
      "Ferry > Fees",
      "Ferry > Fees > Groups",
      "Ferry > Dogs",
      "Ferry > Dogs > Small",
    ]);
  });
});

describe("nameCells", () => {
  it("names every cell by its column", () => {
    expect(nameCells("Form | Deadline", "10182 | 1 year")).toEqual([
      { name: "Form", text: "10182" },
      { name: "Deadline", text: "1 year" },
    ]);
  });

  it("omits empty cells and keeps the places of the others", () => {
    expect(nameCells("| 2019 | 2018 | 2017", "Sales | | 4")).toEqual([
      { name: "", text: "Sales" },
      { name: "2018", text: "4" },
    ]);
  });

  it.each([
    ["a | b", "1 | 2 | 3"],
    ["a | b", "one cell"],
    ["a | b", ""],
    ["a | b", "| |"],
    ["", "1 | 2"],
  ])("does not guess: header %j, row %j", (header, row) => expect(nameCells(header, row)).toBeNull());
});

describe("readCells", () => {
  it("writes a row in one line", () => {
    expect(readCells(nameCells("| Form | Form", "Board | 10182 | Form") ?? [])).toBe("Board; Form: 10182; Form");
  });
});

function sentencesOf(text: string): string[] {
  return splitSentences(text).map(({ start, end }) => text.slice(start, end));
}

test.each(cases.sentences as [string, string[], string][])("splits %j (%#)", (text, expected) => {
  expect(sentencesOf(text)).toEqual(expected);
});

test("ranges are trimmed and ordered, cover all text, and split no character", () => {
  const text = fc.array(
    fc.oneof(fc.constantFrom(". ", "! ", "No. ", "U.S. ", "\n", "😀", "a", "B ", "1", "”", ") "), fc.string({ unit: "grapheme" })),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join("");
      let at = 0;
      for (const { start, end } of splitSentences(joined)) {
        expect(joined.slice(at, start).trim()).toBe("");
        expect(end).toBeGreaterThan(start);
        expect(joined.slice(start, end)).toBe(joined.slice(start, end).trim());
        at = end;
      }
      expect(joined.slice(at).trim()).toBe("");
    }),
  );
});

test.each([
  ["text without full stops", "word "],
  ["text without spaces", "😀"],
  ["only full stops", "."],
  ["only abbreviations", "U.S. "],
  ["only quotes", '."'],
])("takes linear time and limits the length for %s", async (_, piece) => {
  await expectLinearTime(100_000 / piece.length, (n) => piece.repeat(n), splitSentences);
  const text = piece.repeat(20_000);
  for (const range of splitSentences(text)) {
    expect(range.end - range.start).toBeLessThanOrEqual(SENTENCE_MAX_CHARS);
    expect(text.slice(range.start, range.end)).not.toMatch(/\p{Cs}/u);
  }
});

describe("rows of one cell", () => {
  const leadIns = (source: string) => unitsIn(read(source, "a.csv")).map(({ leadIn }) => leadIn?.text ?? null);

  it("are group labels in a table that begins with one", () => {
    expect(leadIns("Time,Price\nCanoe,\nHour,5\nDay,20\nRaft,\nHour,7\n")).toEqual([null, null, "Canoe", "Canoe", null, "Raft"]);
  });

  it("are rows with empty cells in another table", () => {
    expect(leadIns("Time,Price\nHour,5\nDay,\nWeek,70\n")).toEqual([null, null, null, null]);
  });
});
