import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMarkdown } from "./formats/markdown.ts";
import { parseText } from "./formats/text.ts";
import { headBreaks, rowBreaks } from "./line-breaks.ts";
import { unitsOf } from "./parse.ts";

const PARSERS = [
  ["markdown", parseMarkdown],
  ["plain text", parseText],
] as const;

const TIDES = ["Harbour tides, feet above datum, spring and neap", "Outer mole 12.4 9.1", "Fish quay 11.8 8.7", "Slipway 10.2 7.9"].join(
  "\n",
);

const PROSE = [
  "The harbour master may close the outer mole when the swell is higher than three",
  "feet. Boats that lie there are then moved to the fish quay, and their owners pay",
  "nothing for the move. Whoever refuses pays the fee for two days, and the boat is",
  "moved all the same.",
].join("\n");

function linesOf(text: string): string[] {
  const breaks = rowBreaks(text);
  return [...text]
    .map((char, at) => (char === "\n" && !breaks.has(at) ? " " : char))
    .join("")
    .split("\n");
}

describe("rowBreaks", () => {
  test("rows of a table formatted by white space stay separate", () => {
    expect(linesOf(TIDES)).toHaveLength(4);
  });

  test("wrapped prose is joined, even if its last line is short", () => {
    expect(rowBreaks(PROSE).size).toBe(0);
  });

  test("numbered clauses on their own lines stay separate", () => {
    const clauses =
      "1.4 Who drives without being named pays all damage.\n1.5 Dogs travel in the boot.\n1.6 Nobody smokes.\n1.7 Keys go into the box.";
    expect(linesOf(clauses)).toHaveLength(4);
  });

  test("lines within one sentence are joined, however short", () => {
    const verse = "a lantern on the mole,\nand under it the water,\nblack as the inside of a hat,\nwaits";
    expect(rowBreaks(verse).size).toBe(0);
  });

  test("a sentence with a line break stays whole among lines that end a sentence", () => {
    const broken = [
      "Berths are let for a year.",
      "Boats that moor here fill in the",
      "`--berth` form, which lies beside the tide tables that everybody reads.",
      "Whoever has none asks at the",
      "Harbour Office for it.",
    ];
    expect(linesOf(broken.join("\n"))).toEqual([broken[0], `${broken[1]} ${broken[2]}`, `${broken[3]} ${broken[4]}`]);
  });

  test("among lines that end a sentence, rows with figures and titles stay separate", () => {
    const rows = [
      "7203 Mole of stone:",
      "Permitting small boats only 80",
      "Moderate swell 30",
      "Note: Dependent on the degree of swell.",
      "As seen at low tide.",
    ];
    expect(linesOf(rows.join("\n"))).toEqual(rows);
    const titled = [
      "Each boat has a number.",
      "Boats and Their Papers",
      "Whoever moors here shows the papers of the boat and of its crew at once.",
    ];
    expect(linesOf(titled.join("\n"))).toEqual(titled);
  });

  test("code, lists, quotes, table rows and markup have no row breaks", () => {
    const lines = ["alpha beta gamma delta", "One 1", "Two 2", "Three 3"];
    for (const wrap of ["- ", "> ", "| ", "    ", "<p>", "# "]) expect(rowBreaks(lines.map((line) => wrap + line).join("\n")).size).toBe(0);
    expect(rowBreaks(["```", ...lines, "```"].join("\n")).size).toBe(0);
  });

  test("prose wrapped at any width is joined", () => {
    // Capitalised words, so that no lower-case letter marks a continuation line.
    const word = fc.stringMatching(/^[A-Z][a-z]{0,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 20, maxLength: 80 }), fc.integer({ min: 20, max: 90 }), (words, width) => {
        const lines: string[] = [];
        for (const one of words) {
          const last = lines.at(-1);
          if (last !== undefined && last.length + 1 + one.length <= width) lines[lines.length - 1] = `${last} ${one}`;
          else lines.push(one);
        }
        expect(rowBreaks(lines.join("\n")).size).toBe(0);
      }),
    );
  });
});

describe("rows in a paragraph", () => {
  test.each(PARSERS)("are quoted line by line from %s, and prose beside them sentence by sentence", (_, parse) => {
    const source = `# Tides\n\n${PROSE}\n\n${TIDES}\n`;
    const { text, blocks } = parse(source, "tides");
    const units = unitsOf(text, blocks).map(({ start, end }) => text.slice(start, end));
    expect(units).toContain("Fish quay 11.8 8.7");
    expect(units).toContain("Boats that lie there are then moved to the fish quay, and their owners pay nothing for the move.");
  });
});

describe("head-lines", () => {
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
    test("a line like a title right above its text is a heading, if the document uses such lines regularly", () => {
      expect(headsOf(PAGE)).toEqual(["What a berth costs", "Can I leave my boat on the slipway?", "Lost keys", "Keys of visitors"]);
    });

    test("such a line may begin with a number in plain text, but in Markdown that is a list item", () => {
      const minutes = ["Slipway", "Repairs", "Guests"].flatMap((title, i) => [
        `${i + 1}. ${title}`,
        `The chair reported on the matter of the ${title.toLowerCase()} at length.`,
        "",
      ]);
      const headings = (parse: typeof parseText) => {
        const { text, blocks } = parse(minutes.join("\n"), "minutes");
        return blocks.filter(({ type }) => type === "heading").map(({ start, end }) => text.slice(start, end));
      };
      expect(headings(parseText)).toEqual(["1. Slipway", "2. Repairs", "3. Guests"]);
      expect(headings(parseMarkdown)).toEqual([]);
    });

    test("two such lines, or three among many others, are not regular", () => {
      expect(headsOf(PAGE.slice(0, 6))).toEqual([]);
      const others = Array.from({ length: 4 }, () => [
        "Whoever moors here shows his papers.",
        "Nobody is let in without them at night.",
        "",
      ]);
      expect(headsOf([...others.flat(), ...PAGE.slice(0, 9)])).toEqual([]);
      expect(headsOf([...others.slice(0, 3).flat(), ...PAGE.slice(0, 9)])).toHaveLength(3);
    });

    test.each([
      ["a sentence", "Berths cost two pounds."],
      ["an introduction", "A berth costs:"],
      ["bold words, which their markup marks", "**What a berth costs**"],
      ["a line in columns", "Berth     two pounds"],
      ["a name with its value", "Berth: 2 pounds a day"],
    ])("%s is not a heading", (_, line) => {
      expect(headsOf([line, ...PAGE.slice(1)])).not.toContain(line);
    });

    test("neither is a line above figures or items, nor the first line of wrapped prose or of a verse", () => {
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

  describe("headings without marks", () => {
    test.each(PARSERS)("are headings of their text in %s", (_, parse) => {
      const { text, blocks } = parse(`# Harbour\n\n${PAGE.join(" \n")}`, "harbour");
      const shown = blocks.map(({ type, level, start, end }) => `${type} ${level} ${text.slice(start, end)}`);
      expect(shown).toContain("heading 2 Can I leave my boat on the slipway?");
      expect(shown).toContain("paragraph 0 Visitors pay the same.");
      expect(shown).toContain("paragraph 0 The outer mole is closed when the swell is high.");
    });
  });
});
