import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMarkdown } from "./formats/markdown.ts";
import { parseText } from "./formats/text.ts";
import { rowBreaks } from "./line-breaks.ts";
import { unitsOf } from "./parse.ts";

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
  test("rows of a table that only white space lays out stay apart", () => {
    expect(linesOf(TIDES)).toHaveLength(4);
  });

  test("wrapped prose is joined, also where its last line is short", () => {
    expect(rowBreaks(PROSE).size).toBe(0);
  });

  test("numbered clauses on lines of their own stay apart", () => {
    const clauses =
      "1.4 Who drives without being named pays all damage.\n1.5 Dogs travel in the boot.\n1.6 Nobody smokes.\n1.7 Keys go into the box.";
    expect(linesOf(clauses)).toHaveLength(4);
  });

  test("lines that run on within a sentence are one, however short", () => {
    const verse = "a lantern on the mole,\nand under it the water,\nblack as the inside of a hat,\nwaits";
    expect(rowBreaks(verse).size).toBe(0);
  });

  test("a sentence that its author broke within stays whole among lines that end one", () => {
    const broken = [
      "Berths are let for a year.",
      "Boats that moor here fill in the",
      "`--berth` form, which lies beside the tide tables that everybody reads.",
      "Whoever has none asks at the",
      "Harbour Office for it.",
    ];
    expect(linesOf(broken.join("\n"))).toEqual([broken[0], `${broken[1]} ${broken[2]}`, `${broken[3]} ${broken[4]}`]);
  });

  test("among lines that end a sentence, rows with figures stay apart, and so does a title", () => {
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

  test("two lines are no table", () => {
    expect(rowBreaks("Fee\nTwo pounds a day and night for boats").size).toBe(0);
  });

  test("code, lists, quotes, pipes and markup are read as what they are", () => {
    const lines = ["alpha beta gamma delta", "One 1", "Two 2", "Three 3"];
    for (const wrap of ["- ", "> ", "| ", "    ", "<p>", "# "]) expect(rowBreaks(lines.map((line) => wrap + line).join("\n")).size).toBe(0);
    expect(rowBreaks(["```", ...lines, "```"].join("\n")).size).toBe(0);
  });

  test("wraps of any prose at any width are joined, by their width alone", () => {
    // Capitals as well: no small letter at the head of a line tells that it runs on.
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

  test("a paragraph of half a million rows is read in this thread too", () => {
    const rows = Array.from({ length: 500_000 }, (_, i) => `Berth ${i} takes ${i % 9}`);
    expect(rowBreaks(["Harbour list of all berths and what they take", ...rows].join("\n")).size).toBe(500_000);
  });

  test("offsets are those of the whole source, from where the body begins", () => {
    const head = "---\ntitle: Tides\n---\n";
    expect([...rowBreaks(head + TIDES, head.length)]).toEqual([...rowBreaks(TIDES)].map((at) => at + head.length));
  });
});

describe("rows in a paragraph", () => {
  for (const [name, parse] of [
    ["markdown", parseMarkdown],
    ["plain text", parseText],
  ] as const) {
    test(`are quoted line by line from ${name}, and prose beside them sentence by sentence`, () => {
      const source = `# Tides\n\n${PROSE}\n\n${TIDES}\n`;
      const { text, blocks } = parse(source, "tides");
      const units = unitsOf(text, blocks).map(({ start, end }) => text.slice(start, end));
      expect(units).toContain("Fish quay 11.8 8.7");
      expect(units).toContain("Boats that lie there are then moved to the fish quay, and their owners pay nothing for the move.");
    });
  }
});
