import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { compareSlots } from "./compare-slots.ts";
import { createLikeness } from "./likeness.ts";
import { createSlotVocabulary } from "./slot-vocabulary.ts";
import { readSlots } from "./slots.ts";

const vocabulary = createSlotVocabulary();
const context = { likeness: createLikeness(SHARED_PARTS.embedded()) };
const verdict = (asked: string, stored: string) => compareSlots(readSlots(asked, vocabulary), readSlots(stored, vocabulary), context);

describe("arguments that change places, in other words too", () => {
  it.each([
    ["railway", "How do I change a ticket from Oslo to one from Bergen?", "How do I change a ticket to Oslo to one from Bergen?"],
    ["pharmacy", "How do I switch a patient from warfarin to apixaban?", "How is a patient on apixaban moved over to warfarin from it?"],
    ["pharmacy", "Can insulin be moved to the freezer from the fridge?", "Can insulin be moved from the freezer into the fridge?"],
    [
      "library",
      "May I carry a loan over to the branch library from the main library?",
      "May I carry a loan from the branch over to the main library?",
    ],
    ["software", "How do I convert from JSON into YAML?", "How can YAML be converted to JSON?"],
    ["shop", "Can I move store credit from my gift card to my account?", "Can I move store credit to my gift card out from my account?"],
  ])("%s: %s | %s", (_domain, one, other) => {
    expect(verdict(one, other)).toMatchObject({ same: false, rule: "direction" });
    expect(verdict(other, one)).toMatchObject({ same: false, rule: "direction" });
  });

  it.each([
    ["Can I transfer money from savings to checking?", "Can money be transferred to checking from savings?"],
    ["How long does the train ride take from Oslo to Bergen?", "How long does the train ride to Bergen take from Oslo?"],
  ])("are in their places in %s | %s", (one, other) => {
    const compared = verdict(one, other);
    expect(compared.same ? "" : compared.rule).not.toBe("direction");
    expect(verdict(one, one).same).toBe(true);
  });
});
