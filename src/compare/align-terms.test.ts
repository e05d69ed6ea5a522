import { describe, expect, it } from "vitest";
import { compareSlots } from "./compare-slots.ts";
import { createSlotVocabulary } from "./slot-vocabulary.ts";
import { readSlots } from "./slots.ts";

const vocabulary = createSlotVocabulary();
const same = (a: string, b: string) => compareSlots(readSlots(a, vocabulary), readSlots(b, vocabulary), {}).same;
const asked = (word: string) => `How long is the ${word} kept in the store?`;

describe("words of one stem", () => {
  it.each(["silicon/silicone", "tort/torte", "probate/probation", "notary/notarial", "soffit/soffite"])(
    "are two where they are no forms of one word: %s",
    (pair) => {
      const [one = "", other = ""] = pair.split("/");
      expect([same(asked(one), asked(other)), same(asked(other), asked(one))]).toEqual([false, false]);
    },
  );

  it.each(["parcel/parcels", "battery/batteries", "stored/storing", "stop/stopped"])("are one where they are forms of one: %s", (pair) => {
    const [one = "", other = ""] = pair.split("/");
    expect(same(asked(one), asked(other))).toBe(true);
  });
});
