import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SHIPPED_WEIGHTS } from "./create-reader.ts";
import { piecesOf } from "./shared-weights.ts";
import { loadReaderWeights } from "./weights.ts";
import { createWordpiece } from "./wordpiece.ts";

const SPECIAL = ["[PAD]", "[unused0]", "[unused1]", "[unused2]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const pieces = [...SPECIAL, ..."abcdefghijklmnopqrstuvwxyz0123456789.,|[]$", "cafe", "un", "##able", "##s", "to", "##day", "漢", "ss"];
const wordpiece = createWordpiece(pieces);

/** Each piece with the text that it stands for. */
function read(text: string, limit?: number): [string | undefined, string][] {
  const { ids, starts, ends } = wordpiece.encode(text, limit);
  return Array.from(ids, (id, i) => [pieces[id], text.slice(starts[i], ends[i])]);
}

describe("createWordpiece", () => {
  it("takes the longest pieces, in lower case", () => {
    expect(read("Today.")).toEqual([
      ["to", "To"],
      ["##day", "day"],
      [".", "."],
    ]);
    expect(read("UNABLE  a\tb").map(([piece]) => piece)).toEqual(["un", "##able", "a", "b"]);
  });

  it("gives a letter its accents, written as one character or as two", () => {
    expect(read("CAFÉ a")).toEqual([
      ["cafe", "CAFÉ"],
      ["a", "a"],
    ]);
    expect(read("cafe\u0301s")).toEqual([
      ["cafe", "cafe\u0301"],
      ["##s", "s"],
    ]);
    expect(read("$\u0301\u0302.")).toEqual([
      ["$", "$\u0301\u0302"],
      [".", "."],
    ]);
  });

  it("counts in UTF-16 units behind characters of two", () => {
    expect(read("🅰️𝒳 a漢b 🙂")).toEqual([
      ["[UNK]", "🅰️𝒳"],
      ["a", "a"],
      ["漢", "漢"],
      ["b", "b"],
      ["[UNK]", "🙂"],
    ]);
  });

  it("drops controls, halves of characters and what joins, and never cuts there", () => {
    expect(read("to\u0000\u200bday\ud800 \ufffd\u0085")).toEqual([
      ["to", "to"],
      ["##day", "day"],
    ]);
  });

  it("takes special pieces in a text for its characters", () => {
    expect(read("[SEP]").map(([piece]) => piece)).toEqual(["[", "[UNK]", "]"]);
  });

  it("gives one unknown piece for a word that no pieces make up, and for one of more than a hundred characters", () => {
    expect(read("aж a")).toEqual([
      ["[UNK]", "aж"],
      ["a", "a"],
    ]);
    const long = "a".repeat(101);
    expect(read(`${long}.`)).toEqual([
      ["[UNK]", long],
      [".", "."],
    ]);
    expect(createWordpiece([...pieces, "##a"]).encode("a".repeat(100)).ids).toHaveLength(100);
    expect(wordpiece.encode("x".repeat(2_000_000)).ends).toEqual(Int32Array.of(2_000_000));
  });

  it("stops at the limit", () => {
    expect(read("today today", 3).map(([piece]) => piece)).toEqual(["to", "##day", "to"]);
    expect(read("today", 1)).toEqual([["to", "To".toLowerCase()]]);
    expect(read("", 5)).toEqual([]);
  });

  it("covers any text in order, without overlap, and cuts no character in two", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { ids, starts, ends } = wordpiece.encode(text);
        for (let i = 0; i < ids.length; i++) {
          expect(starts[i]).toBeLessThan(ends[i] as number);
          if (i > 0) {
            const sameCharacter = starts[i] === starts[i - 1];
            expect(sameCharacter || (starts[i] as number) >= (ends[i - 1] as number)).toBe(true);
          }
          expect(text.slice(starts[i], ends[i]).isWellFormed() || !text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe.skipIf(!existsSync(SHIPPED_WEIGHTS))("with the vocabulary that ships", () => {
  it("gives the ids of BertTokenizer (lab/train/reader/golden_tokens.py)", () => {
    const shipped = createWordpiece(piecesOf(loadReaderWeights(SHIPPED_WEIGHTS, { threads: 1 })));
    const golden = z
      .array(z.strictObject({ text: z.string(), ids: z.array(z.int()) }))
      .parse(JSON.parse(readFileSync(join(import.meta.dirname, "parity", "tokens.json"), "utf8")));
    expect(golden.length).toBeGreaterThan(50);
    for (const { text, ids } of golden) expect([text, ...shipped.encode(text).ids]).toEqual([text, ...ids]);
  });
});
