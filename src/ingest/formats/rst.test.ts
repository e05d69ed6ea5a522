import { describe, expect, test } from "vitest";
import { parseRst } from "./rst.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

const read = (source: string) => blocksOf(parseRst(source, "a"));

describe("footnotes and citations", () => {
  test("stand behind the paragraph or list that calls them, with their sign", () => {
    const notes = ".. [1] Never during\n   a drought.\n\n   Nor in May.\n.. [#w] But the well [1]_.\n.. [CIT2] A book.\n";
    expect(read(`Hoses run at 9. [1]_ Wells are open [#w]_.\n\n- See [CIT2]_\n- and more\n\nThe end.\n\n${notes}`)).toEqual([
      "paragraph Hoses run at 9.[1] Wells are open [w].",
      "paragraph [1] Never during a drought.",
      "paragraph Nor in May.",
      "paragraph [w] But the well [1].",
      "list-item1 See [CIT2]",
      "list-item1 and more",
      "paragraph [CIT2] A book.",
      "paragraph The end.",
    ]);
  });

  test("without a name are called in their order, by numbers that no other has", () => {
    expect(read("One [#]_ two [1]_ three [#]_ four [*]_.\n\n.. [#] A.\n.. [1] B.\n.. [#] C.\n.. [*] D.\n")).toEqual([
      "paragraph One [2] two [1] three [3] four [*].",
      "paragraph [2] A.",
      "paragraph [1] B.",
      "paragraph [3] C.",
      "paragraph [*] D.",
    ]);
  });

  test("that nothing calls, or another alone, stay where they stand", () => {
    expect(read("Text.\n\n.. [1] See [2]_.\n.. [2] See [1]_.\n\nMore ``[1]_`` of [3]_.\n")).toEqual([
      "paragraph Text.",
      "paragraph [1] See [2].",
      "paragraph [2] See [1].",
      "paragraph More ``[1]_`` of [3]_.",
    ]);
  });

  test("take no comment with them, nor code", () => {
    expect(read("Text [1]_::\n\n  code [1]_\n\n.. a comment\n   that goes\n\n.. [1] Note.\n\n.. warning:: Hot.\n")).toEqual([
      "paragraph Text [1]::",
      "paragraph [1] Note.",
      "code   code [1]_",
      "paragraph Hot.",
    ]);
  });
});
