import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../../test/support/shared-parts.ts";
import { readDifference } from "./difference.ts";
import { readEvidence, readSentence } from "./text.ts";
import { SupportVocabulary } from "./vocabulary.ts";

const vocabulary = new SupportVocabulary(SHARED_PARTS.embedded());
const differenceOf = (claim: string, ...evidence: string[]) =>
  readDifference(readSentence(claim, vocabulary), readEvidence(evidence, vocabulary));

describe("readDifference", () => {
  it("finds nothing between a sentence and itself", () => {
    const text = "Visitors may park in the yard if they hold a permit.";
    expect(differenceOf(text, "The yard is paved.", text)).toMatchObject({
      kept: 1,
      added: 0,
      lostInside: 0,
      lostOutside: 0,
      own: [],
      other: [],
    });
  });

  it.each([
    ["required", "Visitors must park in the yard.", "Visitors may park in the yard.", 1],
    ["possible", "Visitors must park in the yard.", "Visitors may park in the yard.", -1],
    ["universal", "All visitors pay.", "Some visitors pay.", 1],
    ["unless", "You pay unless you cancel.", "You pay if you cancel.", 1],
    ["negation", "The gate is not locked at night.", "The gate is locked at night.", 1],
    ["only", "Members enter by the gate.", "Members only enter by the gate.", -1],
  ] as const)("counts what was exchanged of the class %s", (name, claim, evidence, net) => {
    expect(differenceOf(claim, evidence)?.net[name]).toBe(net);
  });

  it("sees a condition that the claim leaves out", () => {
    const dropped = differenceOf("You can get the grant.", "You can get the grant if you served abroad.");
    expect(dropped?.conditionsOutside).toBeGreaterThanOrEqual(0);
    expect((dropped?.conditionsOutside ?? 0) + Math.abs(dropped?.net.if ?? 0)).toBe(1);
  });

  it("tells a name that was exchanged from one that was moved", () => {
    expect(differenceOf("The fair is held in Bonn.", "The fair is held in Ghent.")?.names).toEqual({ added: 1, lost: 1, moved: 0 });
    expect(differenceOf("Today Anna follows Berta.", "Today Berta follows Anna.")?.names).toMatchObject({ added: 0, lost: 0, moved: 1 });
  });

  it("is null where no word is shared", () => {
    expect(differenceOf("Dogs bark.", "Parking ends soon.")).toBeNull();
  });
});
