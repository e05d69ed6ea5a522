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

test("reads what it reads as the full parser does", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), (pieces) => {
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
])("reads %j", (yaml, values) => {
  expect(readPlainYaml(yaml)).toEqual(values);
});
