import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { SHIPPED_WEIGHTS } from "../cross-encoder/create-reader.ts";
import { loadReaderWeights, piecesOf } from "../cross-encoder/weights.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { countTokens, createTokenCounter, RUN_LIMIT } from "./cl100k.ts";
import cases from "./tokens.cases.json" with { type: "json" };
import { createStemmer, tokenize, words } from "./tokens.ts";
import { createWordpiece } from "./wordpiece.ts";

describe("tokenize", () => {
  it.each(cases.tokens as [string, string, string[]][])("keeps %s", (_what, text, expected) => {
    expect(tokenize(text)).toEqual(expected);
  });

  it("is the same with a cached stemmer", () => {
    const text = "Veterans rated at 70 percent may file appeals, appealing ratings";
    expect(tokenize(text, createStemmer())).toEqual(tokenize(text));
  });

  it.each(["a", "1", "1-", "§ ", "dc ", "'", "\u0301", "😀", "١"])("takes linear time for repeated %j", (piece) =>
    expectLinearTime(
      100_000,
      (n) => piece.repeat(n),
      (text) => tokenize(text),
    ),
  );
});

describe("words", () => {
  it("marks words with digits as codes", () => {
    expect(words("Form 10182")).toEqual([
      { text: "form", code: false },
      { text: "10182", code: true },
    ]);
  });
});

/** Counts by gpt-tokenizer 4.0.0 with special tokens as plain text. JSON cannot represent half of a surrogate pair. */
const COUNTS = [...(cases.counts as [string, number][]), ["\ud800 half a pair", 4] as const];
test.each(COUNTS)("counts like the reference encoder: %j", (text, tokens) => {
  expect(countTokens(text)).toBe(tokens);
});

test.each(["a", " ", "!", "é", "中", "\n"])("counts a long run of %j in pieces, in linear time", (char) => {
  expect(countTokens(char.repeat(400 * RUN_LIMIT))).toBe(400 * countTokens(char.repeat(RUN_LIMIT)));
});

const SPECIAL = ["[PAD]", "[unused0]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const pieces = [...SPECIAL, ..."abcdefghijklmnopqrstuvwxyz0123456789.,|[]$", "cafe", "un", "##able", "##s", "to", "##day", "漢", "ss"];

function read(text: string, limit?: number, of: readonly string[] = pieces): (string | undefined)[] {
  const wordpiece = createWordpiece(of, { piece: of.indexOf("[UNK]") });
  const count = wordpiece.encode(text, limit);
  return Array.from(wordpiece.ids.subarray(0, count), (id) => of[id]);
}

describe("createWordpiece", () => {
  it.each([
    ["takes the longest pieces, in lower case", "Today. UNABLE  a\tb", ["to", "##day", ".", "un", "##able", "a", "b"]],
    ["removes accents, composed or combining", "CAFÉ cafe\u0301s $\u0301\u0302.", ["cafe", "cafe", "##s", "$", "."]],
    ["treats an ideograph as a word", "🅰️𝒳 a漢b 🙂", ["[UNK]", "a", "漢", "b", "[UNK]"]],
    [
      "drops control characters, lone surrogates and joiners, and never cuts there",
      "to\u0000\u200bday\ud800 \ufffd\u0085",
      ["to", "##day"],
    ],
    ["treats special pieces in a text as plain characters", "[SEP]", ["[", "[UNK]", "]"]],
    ["gives one unknown piece for a word without known pieces", "aж a", ["[UNK]", "a"]],
    ["gives one unknown piece for a word of more than a hundred characters", `${"a".repeat(101)}.`, ["[UNK]", "."]],
    ["reads a very long text", "x".repeat(2_000_000), ["[UNK]"]],
  ])("%s", (_what, text, wanted) => {
    expect(read(text)).toEqual(wanted);
  });

  it("stops at the limit", () => {
    expect(read("today today", 3)).toEqual(["to", "##day", "to"]);
    expect(read("today", 1)).toEqual(["to"]);
    expect(read("", 5)).toEqual([]);
  });

  it("maps a character outside the vocabulary to a row after the pieces, always the same", () => {
    const wordpiece = createWordpiece(pieces, { hashRows: 7 });
    const rows = (text: string) => [...wordpiece.ids.subarray(0, wordpiece.encode(text))];
    const [a, other, same] = [rows("a"), rows("жж"), rows("ж")];
    expect(a).toEqual([pieces.indexOf("a")]);
    expect(other).toEqual([same[0], same[0]]);
    expect(same[0]).toBeGreaterThanOrEqual(pieces.length);
    expect(same[0]).toBeLessThan(pieces.length + 7);
  });
});

describe.skipIf(!existsSync(SHIPPED_WEIGHTS))("with the bundled vocabulary", () => {
  it("equals the ids of BertTokenizer (lab/train/reader/golden_tokens.py)", () => {
    const shipped = piecesOf(loadReaderWeights(SHIPPED_WEIGHTS, 1));
    const wordpiece = createWordpiece(shipped, { piece: shipped.indexOf("[UNK]") });
    const golden = z
      .array(z.strictObject({ text: z.string(), ids: z.array(z.int()) }))
      .parse(JSON.parse(readFileSync(join(import.meta.dirname, "..", "cross-encoder", "parity", "tokens.json"), "utf8")));
    expect(golden.length).toBeGreaterThan(50);
    for (const { text, ids } of golden) expect([text, ...wordpiece.ids.slice(0, wordpiece.encode(text))]).toEqual([text, ...ids]);
  });
});

const PIECES = [
  "word",
  " word",
  "’s",
  "'ll",
  "42",
  "1234567",
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  ".",
  "...",
  ")\n\n",
  ") ",
  "'",
  "/a",
  "-",
  "12 ",
  "٣",
  " | ",
  "é",
  "中文",
  "😀",
  "e\u0301",
  "x".repeat(300),
];

test("counts every part of a text like countTokens counts the slice", () => {
  const texts = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (pieces, a, b) => {
      const text = pieces.join("");
      const start = a % (text.length + 1);
      const end = start + (b % (text.length - start + 1));
      expect(createTokenCounter(text)({ start, end })).toBe(countTokens(text.slice(start, end)));
    }),
    { numRuns: 3_000 },
  );
});
