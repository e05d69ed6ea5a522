import { describe, expect, test } from "vitest";
import { parseRst } from "./rst.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const read = (source: string) => blocksOf(parseRst(source, "a"));

describe("reStructuredText", () => {
  test("footnotes and citations are paragraphs where they stand; comments and settings are left out", () => {
    expect(
      read("Hoses run at 9 [1]_.\n\n.. [1] Never during\n   a drought.\n.. [CIT2] A book.\n\n.. a comment\n   that goes\n\nThe end.\n"),
    ).toEqual([
      "paragraph Hoses run at 9 [1]_.",
      "paragraph [1] Never during a drought.",
      "paragraph [CIT2] A book.",
      "paragraph The end.",
    ]);
  });

  test("titles by their sign, lists, literal blocks and directives with words", () => {
    expect(
      read(
        "=====\nGuide\n=====\n\nPart\n----\n\n* One\n  more\n* Two\n\nCode::\n\n  a = 1\n\n  b = 2\n\n.. warning:: Hot.\n.. image:: x.png\n",
      ),
    ).toEqual([
      "heading1 Guide",
      "heading2 Part",
      "list-item1 One more",
      "list-item1 Two",
      "paragraph Code::",
      "code   a = 1⏎⏎  b = 2",
      "paragraph Hot.",
    ]);
  });
});
