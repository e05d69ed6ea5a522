import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readPlainYaml } from "./plain-yaml.ts";

const PIECES = [
  ...["title", "a-b", "_k", "null", "12", ":", ": ", "\n", "\r\n", " ", "\t", "#", " # c", '"', "'", '"q"', "'r'", '"s: t"', "\\n"],
  ...[
    "- ",
    "? ",
    "[x]",
    "{y: z}",
    "&a",
    "*a",
    "!t",
    "|",
    ">",
    "%",
    "@",
    "`",
    "true",
    "No",
    "2019-04-30",
    "1.0",
    "~",
    "Words of it",
    "é",
    "http://a.b/c",
  ],
  ...[" : ", "title: ", "b: ", "c:\n", "---", "...", "\u2028", "\ufeff", "  d: e"],
];

/** Words, and what goes on with them or does not. */
const CONTINUED_LINE = fc
  .tuple(
    fc.constantFrom(0, 1, 2, 2, 3, 4),
    fc.constantFrom("", "", "", "- ", "a: ", "a b: ", "- c: "),
    fc.constantFrom(
      ...["words", "§ 4 of it", "2 words", "1990-b", "0x1f", "0o7", "1_000", "12:30", "1e5", "3.", "true", "$5", "“q”", "öl", "- d"],
      ...["C#", "# c", "d #c", "e:", "e: f", '"q"', "[g]", "...", "---", "~", "+1", ".5", "-x", ""],
    ),
    fc.constantFrom("\n", "\n", "\n", " \n", "\r\n", "\n\n", "\n  \n", "\n# c\n"),
  )
  .map(([indent, mark, text, end]) => " ".repeat(indent) + mark + text + end);

/** Lines of records and lists at columns that may or may not fit. */
const NESTED_LINE = fc
  .tuple(
    fc.constantFrom(0, 0, 2, 2, 2, 4, 1),
    fc.constantFrom("", "", "", "- ", "- ", "-  ", "- - "),
    fc.constantFrom("a: b", "b:", "b:", "c: 1", "/a/b-c", "§ 4", "2 words", 'd: "q: r"', "3-12", "1e5", "", "e: [f]", "words # c"),
    fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n", "\n  \n", "\n# c\n", " \n   #c: d\r\n"),
  )
  .map(([indent, mark, text, end]) => " ".repeat(indent) + mark + text + end);

test.each([
  ["keys and words", fc.array(fc.constantFrom(...PIECES), { maxLength: 12 })],
  ["words that go on", fc.array(CONTINUED_LINE, { minLength: 1, maxLength: 5 }).map((lines) => ["g:\n", ...lines])],
  ["records and lists in each other", fc.array(NESTED_LINE, { minLength: 1, maxLength: 6 }).map((lines) => ["g:\n", ...lines])],
])("reads what it reads as the full parser does: %s", (_, texts) => {
  let read = 0;
  fc.assert(
    fc.property(texts, (pieces) => {
      const yaml = pieces.join("");
      const plain = readPlainYaml(yaml);
      if (plain === null) return;
      read++;
      const document = parseDocument(yaml, { prettyErrors: false, schema: "core", uniqueKeys: false, logLevel: "silent" });
      expect(document.errors).toEqual([]);
      expect({ ...plain }).toEqual(document.toJS({ maxAliasCount: 100 }));
    }),
    { numRuns: 20_000 },
  );
  expect(read).toBeGreaterThan(150);
});

test.each([
  ["title: What you need: forms", null],
  ["title: Words # and a comment", null],
  ["title: C#\nurl: https://a.b/#c", { title: "C#", url: "https://a.b/#c" }],
  ["as_of: 2019-04-30\r\ntopic:\r\n", { as_of: "2019-04-30", topic: null }],
  ["title: True", null],
  ["title: true\norder: 10", { title: true, order: 10 }],
  ["order: 010", null],
  ["title: one\n  two\n three", { title: "one two three" }],
  ["title: one\n\n  two", null],
  ["title: one\n  # two\n  three", null],
  ["title: one\n  two: three", null],
  ["# c\na long key: 526EZ-claims\n  \n  # c\nb: 12:30", { "a long key": "526EZ-claims", b: "12:30" }],
  ["title: $600 of öl\nb: 0x1f", null],
  ["title: $600 of öl\nb: 1_000", { title: "$600 of öl", b: "1_000" }],
  ["title: \"it's\"\ntitle: 'last'", { title: "last" }],
  ["title: A\naliases:\n  - /a/b/\n  - c\nb:", { title: "A", aliases: ["/a/b/", "c"], b: null }],
  ["a:\n- b: c\n  d:\n  - e\n- f", { a: [{ b: "c", d: ["e"] }, "f"] }],
  ["a:\n  b:\n    c: § 4.1 words\nd: 3-12", { a: { b: { c: "§ 4.1 words" } }, d: "3-12" }],
  ["a:\n    b: c\n  d: e", null],
  ["a:\n  - b\n    c", { a: ["b c"] }],
  ["a:\n  - b\n  c", null],
  ["a:\n  - - b", null],
  ["a: 1e5", null],
])("reads %j", (yaml, values) => {
  expect(readPlainYaml(yaml)).toEqual(values);
});
