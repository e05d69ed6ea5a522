import { describe, expect, it } from "vitest";
import { onlySaysThatItIsSo } from "../answer/check.ts";
import { sourcebound } from "../profiles/sourcebound.ts";
import { align } from "./alignment.ts";
import { checkSentence } from "./check.ts";
import { checkStrength } from "./claim-checks.ts";
import { createReader } from "./statements.ts";

const reader = createReader();

async function polarity(text: string, stated: string, above: readonly string[] = []): Promise<string | undefined> {
  const context = { settings: sourcebound.check, hosts: [], homePage: null, reader, question: "What holds?", support: null };
  const { results } = await checkSentence({ text, cited: [{ text: stated, above, url: null, exact: true }] }, context);
  return results.find(({ name }) => name === "polarity")?.verdict;
}

const GRILLS = "Charcoal grills are forbidden on balconies. Electric grills may be used until 21:00.";
const DRILLS = "Drilling is allowed on weekdays from 08:00 to 12:00. Drilling is forbidden on Sundays.";
const NOT_ALLOWED = "Drilling is allowed on weekdays from 08:00 to 12:00. Drilling is not allowed on Sundays.";

describe("a word and its opposite", () => {
  it.each([
    ["Grilling with charcoal is not allowed on balconies.", GRILLS],
    ["Charcoal grills are not allowed on balconies.", "Charcoal grills are forbidden on balconies. Gas grills are allowed on balconies."],
    ["Drilling is not allowed on Sundays.", DRILLS],
    ["Drilling is forbidden on Sundays.", NOT_ALLOWED],
    ["The price does not include breakfast.", "The price includes towels. The price excludes breakfast."],
  ])("are the same where one of them is denied: %s", async (text, stated) => {
    expect(await polarity(text, stated)).toBe("pass");
  });

  it.each([
    ["Charcoal grills are allowed on balconies.", GRILLS],
    ["Drilling is allowed on Sundays.", NOT_ALLOWED],
    ["Drilling is not allowed on Sundays.", "Drilling is not forbidden on Sundays, and allowed on weekdays."],
  ])("contradict where both or none are denied: %s", async (text, stated) => {
    expect(await polarity(text, stated)).toBe("fail");
  });
});

describe("what stands below a heading that denies", () => {
  const below = (text: string, stated: string, heading: string) => polarity(text, stated, ["Pool rules", heading]);

  it.each([
    ["Glass bottles are allowed.", "Glass bottles", "Not allowed"],
    ["Teeth whitening is included.", "Teeth whitening", "What is not included"],
  ])("is not affirmed: %s", async (text, stated, heading) => expect(await below(text, stated, heading)).toBe("fail"));

  it.each([
    ["Glass bottles are not allowed.", "Glass bottles", "Not allowed"],
    ["Glass bottles are allowed.", "Glass bottles", "Allowed"],
    ["Bringing glass bottles is prohibited.", "Glass bottles", "Do not bring"],
    ["Hold the card to the reader so that the gate opens.", "Hold the card to the reader for 5 seconds.", "The gate does not open"],
    ["Gift cards are excluded from refunds.", "Gift cards and vouchers.", "No refunds"],
    ["Water damage is covered after storms.", "Water damage is covered after a storm.", "What is not covered, and what is"],
    ["At nine the sauna opens.", "The sauna opens at nine.", "Not allowed"],
  ])("passes as it is said: %s", async (text, stated, heading) => expect(await below(text, stated, heading)).toBe("pass"));
});

describe("a claim that says more than its quote", () => {
  const reader = createReader();
  const beside = (claim: string, quote: string) =>
    align(reader.read(claim), reader.statements({ text: quote, url: null, exact: true, above: ["Rules"] }), new Set());
  const strength = (claim: string, quote: string) => checkStrength(beside(claim, quote), "remove").verdict;

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

describe("onlySaysThatItIsSo", () => {
  it.each([
    ["Why is only one suitcase allowed?", ["Only one suitcase is allowed per person."], true],
    ["why are selfie sticks not allowed", ["Tripods and selfie sticks are not allowed.", "In exhibitions photography is forbidden."], true],
    [
      "Why is only one suitcase allowed?",
      ["Only one suitcase is allowed, because the hold of the boat is small and others travel too."],
      false,
    ],
    ["Why is only one suitcase allowed?", ["The hold is small."], false],
    ["Is only one suitcase allowed?", ["Only one suitcase is allowed per person."], false],
    ["Why?", ["Only one suitcase is allowed."], false],
    ["Why is only one suitcase allowed?", [], false],
  ])("%s", (question, sentences, expected) => expect(onlySaysThatItIsSo(question, sentences)).toBe(expected));
});
