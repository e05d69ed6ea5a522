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

/** Lines of records and lists at columns that may or may not fit. */
const NESTED_LINE = fc
  .tuple(
    fc.constantFrom(0, 0, 2, 2, 2, 4, 1),
    fc.constantFrom("", "", "", "- ", "- ", "-  ", "- - "),
    fc.constantFrom("a: b", "b:", "b:", "c: 1", "/a/b-c", "§ 4", "2 words", 'd: "q: r"', "3-12", "1e5", "", "e: [f]", "words # c"),
    fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n"),
  )
  .map(([indent, mark, text, end]) => " ".repeat(indent) + mark + text + end);

test.each([
  ["keys and words", fc.array(fc.constantFrom(...PIECES), { maxLength: 12 })],
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
  ["title: one\n  two", null],
  ["title: \"it's\"\ntitle: 'last'", { title: "last" }],
  ["title: A\naliases:\n  - /a/b/\n  - c\nb:", { title: "A", aliases: ["/a/b/", "c"], b: null }],
  ["a:\n- b: c\n  d:\n  - e\n- f", { a: [{ b: "c", d: ["e"] }, "f"] }],
  ["a:\n  b:\n    c: § 4.1 words\nd: 3-12", { a: { b: { c: "§ 4.1 words" } }, d: "3-12" }],
  ["a:\n    b: c\n  d: e", null],
  ["a:\n  - b\n    c", null],
  ["a: b\n  c", null],
  ["a:\n  - - b", null],
  ["a: 1e5", null],
])("reads %j", (yaml, values) => {
  expect(readPlainYaml(yaml)).toEqual(values);
});
