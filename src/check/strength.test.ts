import { describe, expect, it } from "vitest";
import { align } from "./alignment.ts";
import { checkStrength } from "./claim-checks.ts";
import { createReader } from "./statements.ts";

const reader = createReader();
const beside = (claim: string, quote: string) =>
  align(reader.read(claim), reader.statements({ text: quote, url: null, exact: true, above: ["Rules"] }), new Set());
const strength = (claim: string, quote: string) => checkStrength(beside(claim, quote), "remove").verdict;

describe("a claim that says more than its quote", () => {
  it.each([
    ["All ferries carry cars.", "Some ferries carry cars."],
    ["The captain will cancel the crossing.", "The captain may cancel the crossing."],
    ["The crossing always takes an hour.", "The crossing usually takes an hour."],
    ["Pay with both cash and card.", "Pay with cash or card."],
    ["Dogs are never admitted.", "Dogs are not admitted, except guide dogs."],
    ["Every cabin has a window.", "Every cabin has a window, apart from those on deck two."],
  ])("falls: %s", (claim, quote) => expect(strength(claim, quote)).toBe("fail"));

  it.each([
    ["All ferries carry cars.", "Every ferry carries cars. Some ferries carry buses."],
    ["Some ferries carry cars.", "Most ferries carry cars."],
    ["The captain may cancel every crossing.", "The captain may cancel crossings."],
    ["All dogs but guide dogs stay ashore; exceptions exist, except none.", "Dogs are not admitted, except guide dogs."],
    ["Guide dogs are admitted.", "Dogs are not admitted, except guide dogs."],
    ["", ""],
  ])("stands: %s", (claim, quote) => expect(strength(claim, quote)).toBe("pass"));
});
