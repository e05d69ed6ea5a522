import { describe, expect, it } from "vitest";
import { nearSpelled } from "../../test/support/near-spelled.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { compareSlots } from "./compare-slots.ts";
import { createLikeness } from "./likeness.ts";
import { createSlotVocabulary } from "./slot-vocabulary.ts";
import { readSlots } from "./slots.ts";

const vocabulary = createSlotVocabulary();
const frames = {
  medicine: [(word: string) => `Does Cleviprex cause ${word}?`, (word: string) => `is ${word} a side effect of Cleviprex`],
  money: [(word: string) => `What is the fee for ${word} accounts?`, (word: string) => `how much do ${word} accounts pay in fees`],
  engineering: [(word: string) => `How do I set the ${word} option?`, (word: string) => `setting the option called ${word}`],
};
/** As the cache compares words. */
const context = { likeness: createLikeness(SHARED_PARTS.embedded()) };

describe("two words that are spelled nearly alike", () => {
  it(`are two things, in one wording and in two, in ${nearSpelled.length} pairs`, () => {
    expect(nearSpelled.length).toBeGreaterThanOrEqual(200);
    const served = nearSpelled.flatMap(({ domain, one, other }) => {
      const [asked, reworded] = frames[domain];
      const pairs = [
        [asked?.(one), asked?.(other)],
        [asked?.(other), asked?.(one)],
        [asked?.(one), reworded?.(other)],
        [reworded?.(other), asked?.(one)],
      ];
      return pairs.filter(([a = "", b = ""]) => compareSlots(readSlots(a, vocabulary), readSlots(b, vocabulary), context).same);
    });
    expect(served).toEqual([]);
  });
});
