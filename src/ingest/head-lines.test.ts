import { describe, expect, test } from "vitest";
import { parseMarkdown } from "./formats/markdown.ts";
import { parseText } from "./formats/text.ts";
import { headBreaks } from "./line-breaks.ts";

const PAGE = [
  "What a berth costs",
  "Berths cost two pounds a day and night, whatever the length of the boat. Winter is free.",
  "",
  "Can I leave my boat on the slipway?",
  "Yes. The slipway is free for a night, and the harbour master moves what stands there longer.",
  "",
  "Lost keys",
  "A lost key costs nine pounds at the Harbour Office, which is open until noon.",
  "",
  "The outer mole is closed when the swell is high.",
  "",
  "Keys of visitors",
  "Visitors pay the same.",
];

function headsOf(lines: readonly string[]): string[] {
  const source = lines.join("\n");
  return [...headBreaks(source)].map((at) => source.slice(source.lastIndexOf("\n", at - 1) + 1, at));
}

describe("headBreaks", () => {
  test("a line like a title right above its text heads it, where a document is written so", () => {
    expect(headsOf(PAGE)).toEqual(["What a berth costs", "Can I leave my boat on the slipway?", "Lost keys", "Keys of visitors"]);
  });

  test("two such lines are no habit, and neither are three among many others", () => {
    expect(headsOf(PAGE.slice(0, 6))).toEqual([]);
    const others = Array.from({ length: 4 }, () => ["Whoever moors here shows his papers.", "Nobody is let in without them at night.", ""]);
    expect(headsOf([...others.flat(), ...PAGE.slice(0, 9)])).toEqual([]);
    expect(headsOf([...others.slice(0, 3).flat(), ...PAGE.slice(0, 9)])).toHaveLength(3);
  });

  test.each([
    ["a sentence", "Berths cost two pounds."],
    ["what announces", "A berth costs:"],
    ["bold words, which are told by their marks", "**What a berth costs**"],
    ["columns", "Berth     two pounds"],
    ["a value with its name", "Berth: 2 pounds a day"],
  ])("%s heads nothing", (_, line) => {
    expect(headsOf([line, ...PAGE.slice(1)])).not.toContain(line);
  });

  test("what a record calls its name is said, and heads nothing; a step with a number does", () => {
    const record = ["Boat: Grey Heron", "Owner: the widow of the second harbour master, who lives in Anstruther"];
    const step = ["Step 1: The papers", "Whoever moors here shows the papers of the boat and of its crew at once."];
    expect(headsOf([...record, "", ...PAGE, "", ...step])).toEqual([...headsOf(PAGE), step[0]]);
  });

  test("a line that is too long for a title heads nothing, however much longer its text is", () => {
    const long = `Berths ${"of boats that wait for the tide ".repeat(4)}in winter`;
    expect(headsOf([...PAGE, "", long, `They ${"wait and wait ".repeat(20)}until it is day.`])).toHaveLength(4);
  });

  test("neither does a line above figures or items, nor the first line of wrapped prose or of a verse", () => {
    const rows = ["Outer mole 12 9", "12.4 9.1"];
    const items = ["Bring with you", "- a key"];
    expect(headsOf([...PAGE, "", ...rows, "", ...items])).toHaveLength(4);
    const wrapped = [
      "The harbour master closes the outer mole when the swell is higher than three feet at noon in",
      "March. Boats are moved.",
    ];
    expect(headsOf([...PAGE, "", ...wrapped])).toHaveLength(4);
    const verse = ["A lantern on the mole", "And under it the black water"];
    expect(headsOf([...verse, "", ...verse, "", ...verse])).toEqual([]);
  });
});

describe("what is wrapped", () => {
  const wrapped = [
    "The outer mole is closed when the swell is high, and the boats of the",
    "Anstruther fleet lie in the inner basin until the wind has fallen",
    "again.",
  ];
  const heads = ["Berths", "Lost keys", "Visitors"];
  const page = heads.flatMap((head) => [
    head,
    "All that is paid for is paid at the Harbour Office, which opens",
    "when the tide does.",
    "",
  ]);

  test("is no head where a line had no room, though one line of the document is far longer", () => {
    const link = `See https://harbour.example/${"mole-".repeat(30)}`;
    expect(headsOf([...page, ...wrapped, "", link, "as well."])).toEqual(heads);
  });

  test("is no head behind other lines of its paragraph", () => {
    for (const line of ["<b>Nobody</b> is let in", "#harbour is what we write", "2. April is the first day"]) {
      const source = [
        ...PAGE,
        "",
        "It is closed when the swell is high and",
        line,
        "Keys of the mole",
        "They hang at the Harbour Office, which is open until noon.",
      ];
      const { text, blocks } = parseMarkdown(source.join("\n"), "harbour");
      const headings = blocks.filter(({ type }) => type === "heading").map(({ start, end }) => text.slice(start, end));
      expect(headings).toEqual(headsOf(PAGE));
    }
  });

  test("is no head within an item", () => {
    const item = ["- The keys of the mole", "", "  Where they hang", "  They hang at the Harbour Office, which is open until noon."];
    const { text, blocks } = parseMarkdown([...PAGE, "", ...item].join("\n"), "harbour");
    const headings = blocks.filter(({ type }) => type === "heading").map(({ start, end }) => text.slice(start, end));
    expect(headings).toEqual(headsOf(PAGE));
  });
});

describe("heads without marks", () => {
  for (const [name, parse] of [
    ["markdown", parseMarkdown],
    ["plain text", parseText],
  ] as const) {
    test(`are headings of their text in ${name}`, () => {
      const { text, blocks } = parse(`# Harbour\n\n${PAGE.join(" \n")}`, "harbour");
      const shown = blocks.map(({ type, level, start, end }) => `${type} ${level} ${text.slice(start, end)}`);
      expect(shown).toContain("heading 2 Can I leave my boat on the slipway?");
      expect(shown).toContain("paragraph 0 Visitors pay the same.");
      expect(shown).toContain("paragraph 0 The outer mole is closed when the swell is high.");
    });
  }

  test("stand at most six deep", () => {
    const { blocks } = parseMarkdown(`###### Berths\n\n${PAGE.join("\n")}`, "harbour");
    expect(Math.max(...blocks.map(({ level }) => level))).toBe(6);
  });
});
