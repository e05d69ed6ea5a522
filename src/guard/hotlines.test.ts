import { describe, expect, it } from "vitest";
import { openSharedReader } from "../cross-encoder/create-reader.ts";
import { loadDomain } from "../engine/domain.ts";
import { createReaderKeeper, openCrisisFinder, type ReaderKeeper } from "../engine/local-models.ts";
import { sharedEncoder } from "../models/embedded-encoder.ts";
import { fakeReadTexts } from "../testing/fake-reader.ts";
import { asksAnything, createCrisisFinder, createHotlineFinder, createQuietFinder } from "./hotlines.ts";

/** Test messages contain their scores: `g9` is a first-stage score of .9, `r3` a cross-encoder score of .3. */
function finderOf({ reads = true } = {}) {
  const said = (text: string, letter: string) => Number(`0.${text.match(new RegExp(`${letter}(\\d)`))?.[1] ?? 0}`);
  const texts: string[][] = [];
  const find = createCrisisFinder({
    firstStage: { probability: ([first]) => first ?? 0, readFrom: 0.2, cuts: { possible: 0.55, likely: 0.85 } },
    read: { probability: (vector) => vector[0] ?? 0, cuts: { possible: 0.45, likely: 0.75 } },
    encoder: { embedSync: (all) => all.map((text) => Float32Array.of(said(text, "g"))) },
    reader: reads
      ? async (all, signal) => {
          texts.push(all.map(String));
          return fakeReadTexts((text) => ({ vector: Float32Array.of(said(String(text), "r")) }))(all, signal);
        }
      : null,
  });
  return { find, texts };
}

describe("emergency detection", () => {
  it("runs the cross-encoder only on sentences with a high first-stage score", async () => {
    const { find, texts } = finderOf();
    expect(await find("g1 r9")).toBe("no");
    expect(texts).toEqual([]);
    expect(await find("g2 r9")).toBe("likely");
    expect(texts).toEqual([["g2 r9"]]);
  });

  it("uses the cross-encoder's score instead of the first-stage score", async () => {
    const { find } = finderOf();
    expect(await find("g9 r1")).toBe("no");
    expect(await find("g3 r5")).toBe("possible");
    expect(await find("g3 r8")).toBe("likely");
  });

  it("uses the highest score of any sentence", async () => {
    const { find, texts } = finderOf();
    expect(await find("g1 hello. g3 r8 there! g2 r1 and more")).toBe("likely");
    // The message as a whole is scored too.
    expect(texts[0]).toHaveLength(2);
  });

  it("scores a bounded number of sentences, those with the highest first-stage score first", async () => {
    const { find, texts } = finderOf();
    expect(await find(`${"g3 r1. ".repeat(40)}g8 r9. ${"g3 r1. ".repeat(4_000)}`)).toBe("likely");
    expect(texts[0]?.length).toBeLessThanOrEqual(8);
    expect(texts[0]?.[0]).toContain("g8 r9");
  });

  it("uses the first-stage score without a cross-encoder", async () => {
    const { find } = finderOf({ reads: false });
    expect(await find("g5 r9")).toBe("no");
    expect(await find("g6 r0")).toBe("possible");
    expect(await find("g9 r0")).toBe("likely");
  });
});

it("recognises a question by its mark or its first words", () => {
  expect(["what is due", "ok so can i go", "is it?", "the form?"].map(asksAnything)).toEqual([true, true, true, true]);
  expect(["i am so tired", "nothing matters whatever i do", ""].map(asksAnything)).toEqual([false, false, false]);
});

describe("the bundled detector", () => {
  const reading = async <T>(use: (reader: ReaderKeeper) => Promise<T>): Promise<T> => {
    const reader = createReaderKeeper();
    try {
      return await use(reader);
    } finally {
      await reader.close();
    }
  };

  it("was trained with the bundled cross-encoder", async () => {
    const warnings: string[] = [];
    const reader = createReaderKeeper(openSharedReader, (message) => warnings.push(message));
    expect(await openCrisisFinder(sharedEncoder, reader)("He told me goodbye and that the kids will be fine without him.")).not.toBe("no");
    await reader.close();
    expect(warnings).toEqual([]);
  });

  it("distinguishes messages about oneself from others with the same words", async () => {
    const asked = {
      crisis: ["There is no point in going on, my family would be better off.", "he says he is done and he has a gun in the car"],
      other: ["How do I end my lease early?", "What kills mould on a wall?"],
    };
    await reading(async (reader) => {
      const find = openCrisisFinder(sharedEncoder, reader);
      for (const text of asked.crisis) expect(`${text} ${await find(text)}`).not.toMatch(/ no$/);
      for (const text of asked.other) expect(`${text} ${await find(text)}`).toMatch(/ no$/);
    });
  });

  it("uses the first-stage score if the cross-encoder fails", async () => {
    let fails = true;
    await reading(async (shipped) => {
      const reader: Pick<ReaderKeeper, "of"> = {
        of: (weights) => {
          const read = shipped.of(weights);
          return async (texts, signal) => {
            if (fails) throw new TypeError("a fault of ours");
            return (await read?.(texts, signal)) ?? null;
          };
        },
      };
      const find = openCrisisFinder(sharedEncoder, reader);
      const message = "My dad has a loaded gun next to him and nobody knows";
      const firstStage = await openCrisisFinder(sharedEncoder, { of: () => null })(message);
      expect(await find(message)).toBe(firstStage);
      fails = false;
      expect(await find("i feel like nothing matters since he died")).toBe("likely");
    });
  });

  it("uses the first-stage score and the listed phrases if the cross-encoder cannot be opened", async () => {
    const reader: Pick<ReaderKeeper, "of"> = { of: () => null };
    const find = openCrisisFinder(sharedEncoder, reader);
    const { hotlines } = loadDomain("veterans");
    expect(await find("I have a loaded gun next to me and nobody knows")).not.toBe("no");
    expect(await createHotlineFinder(hotlines, find)("i feel suicidal")).not.toEqual([]);
    expect(await createQuietFinder([], find)("I have a loaded gun next to me and nobody knows")).toBe(false);
  });
});
