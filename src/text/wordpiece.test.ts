import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SHIPPED_WEIGHTS } from "../reader/create-reader.ts";
import { loadReaderWeights, piecesOf } from "../reader/weights.ts";
import { createWordpiece } from "./wordpiece.ts";

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
    ["leaves out accents, of one character or of two", "CAFÉ cafe\u0301s $\u0301\u0302.", ["cafe", "cafe", "##s", "$", "."]],
    ["takes an ideograph for a word", "🅰️𝒳 a漢b 🙂", ["[UNK]", "a", "漢", "b", "[UNK]"]],
    ["drops controls, halves of characters and what joins, and never cuts there", "to\u0000\u200bday\ud800 \ufffd\u0085", ["to", "##day"]],
    ["takes special pieces in a text for its characters", "[SEP]", ["[", "[UNK]", "]"]],
    ["gives one unknown piece for a word that no pieces make up", "aж a", ["[UNK]", "a"]],
    ["and for one of more than a hundred characters", `${"a".repeat(101)}.`, ["[UNK]", "."]],
    ["however long it is", "x".repeat(2_000_000), ["[UNK]"]],
  ])("%s", (_what, text, wanted) => {
    expect(read(text)).toEqual(wanted);
  });

  it("splits a word of a hundred characters", () => {
    expect(read("a".repeat(100), undefined, [...pieces, "##a"])).toHaveLength(100);
  });

  it("stops at the limit", () => {
    expect(read("today today", 3)).toEqual(["to", "##day", "to"]);
    expect(read("today", 1)).toEqual(["to"]);
    expect(read("", 5)).toEqual([]);
  });

  it("gives a character that no piece covers a row behind the pieces, the same each time", () => {
    const wordpiece = createWordpiece(pieces, { hashRows: 7 });
    const rows = (text: string) => [...wordpiece.ids.subarray(0, wordpiece.encode(text))];
    const [a, other, same] = [rows("a"), rows("жж"), rows("ж")];
    expect(a).toEqual([pieces.indexOf("a")]);
    expect(other).toEqual([same[0], same[0]]);
    expect(same[0]).toBeGreaterThanOrEqual(pieces.length);
    expect(same[0]).toBeLessThan(pieces.length + 7);
  });
});

describe.skipIf(!existsSync(SHIPPED_WEIGHTS))("with the vocabulary that ships", () => {
  it("gives the ids of BertTokenizer (lab/train/reader/golden_tokens.py)", () => {
    const shipped = piecesOf(loadReaderWeights(SHIPPED_WEIGHTS, 1));
    const wordpiece = createWordpiece(shipped, { piece: shipped.indexOf("[UNK]") });
    const golden = z
      .array(z.strictObject({ text: z.string(), ids: z.array(z.int()) }))
      .parse(JSON.parse(readFileSync(join(import.meta.dirname, "..", "reader", "parity", "tokens.json"), "utf8")));
    expect(golden.length).toBeGreaterThan(50);
    for (const { text, ids } of golden) expect([text, ...wordpiece.ids.slice(0, wordpiece.encode(text))]).toEqual([text, ...ids]);
  });
});
