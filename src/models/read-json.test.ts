import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { readJson } from "./read-json.ts";

describe("readJson", () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['```json\n{"a": [1, "]}"]}\n```', { a: [1, "]}"] }],
    ['Here you go: {"a": "\\"{"} Hope it helps!', { a: '"{' }],
    ['[{"a": 1}, {"a": 2}]', [{ a: 1 }, { a: 2 }]],
    ['I saw [passage one] and {braces}. Then:\n{"a": 1}', { a: 1 }],
    ['Maybe {"a": 0}? No.</think>{"a": 1}', { a: 1 }],
  ])("parses %s", (reply, value) => expect(readJson(reply)).toEqual(value));

  it.each(["", "no", "{", '{"a": 1', '{"a": 1} or {"a": 2}', "{{{{", "[see above]", '{"a": 1}]}'.slice(0, 6)])(
    "finds none in %s",
    (reply) => expect(readJson(reply)).toBeUndefined(),
  );

  it.each(["[", '{"a": "[{'])("rejects %s without end in linear time", (piece) =>
    expectLinearTime(1_000_000, (n) => piece.repeat(n / piece.length), readJson),
  );
});
