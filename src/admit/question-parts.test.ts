import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionParts } from "./follow-up.ts";

describe("questionParts", () => {
  it.each([
    ["How thick is the rope, and how much can it hold?", "How thick is the rope", "how much can it hold?"],
    ["When do you open? Is there parking?", "When do you open?", "Is there parking?"],
    ["which kite is cheaper and why", "which kite is cheaper", "why"],
    ["Whom do I tell about the leak, and by when?", "Whom do I tell about the leak", "by when?"],
    ["What are the fees, and who leads the course?", "What are the fees", "who leads the course?"],
    ["What happened to her studio and why did it close?", "What happened to her studio", "why did it close?"],
    ["How much is a card, and are dogs allowed?", "How much is a card", "are dogs allowed?"],
    ["Should I pay now, and if so, how much is it?", "Should I pay now, and if so", "how much is it?"],
    ["how many passengers were there and how many crew", "how many passengers were there", "how many crew"],
    ["Has anyone drowned in the lake, and how deep is it?", "Has anyone drowned in the lake", "how deep is it?"],
    ["do dogs need a ticket and what does it cost", "do dogs need a ticket", "what does it cost"],
    ["What did the mill cost you and how many people work there?", "What did the mill cost you", "how many people work there?"],
    ["whats the parrot called and hows it fed", "whats the parrot called", "hows it fed"],
    ["how much is a ticket & when does the last boat go", "how much is a ticket", "when does the last boat go"],
    ["Who kept the tin? And in which year was he hanged?", "Who kept the tin?", "in which year was he hanged?"],
    [
      "I sing tenor and have a cold. Who do I tell, and what if it gets worse?",
      "I sing tenor and have a cold. Who do I tell",
      "what if it gets worse?",
    ],
  ])("parts %s", (message, first, second) => {
    expect(questionParts(message).map(({ text }) => text)).toEqual([first, second]);
  });

  it.each([
    "How much is the licence?",
    "My knee only bends to 30 degrees, what percent is that",
    "Is the extra added or combined?",
    "Can it be started at home, or do I have to come in?",
    "Was in Mexico, took out cash with my card. What do you charge me for that?",
    "Our aunt, who lives abroad, has a pond. Do we need a licence?",
    "Is my dog, who is old, allowed?",
    "Can you tell me when the sauna opens? Thanks! What a great service.",
    "Please answer in one sentence: when does the sauna open? Do not explain.",
    "May 5 is my day off. When does the sauna open?",
    "When you are there, what do you do?",
    "When the lamp is red, is the pump on?",
    "How much, if anything, do I owe?",
    "What, if my cat is ill, do I do?",
    "Should I pay it if so?",
    "Where is the office, is it in the centre?",
    "How kind of you! How do I pay?",
    "What great service! When do you open?",
    "What great service. When do you open?",
    "What this means is, is it free?",
    "parking and opening hours",
    "",
  ])("finds one question in %j", (message) => {
    expect(questionParts(message)).toEqual([]);
  });

  it("gives a part that leans on the others their topics, and one that stands alone nothing", () => {
    const [first, second] = questionParts("What did the coin on the mast show, and what was it worth?");
    expect(first?.resolved).toBe("What did the coin on the mast show");
    expect(second?.resolved).toMatch(/^what was it worth\? \(.*coin.*\)$/u);
    expect(questionParts("Is dinner on the ferry included? Where does the night bus stop?").map(({ resolved }) => resolved)).toEqual([
      "Is dinner on the ferry included?",
      "Where does the night bus stop?",
    ]);
  });

  it("leaves a message that asks a dozen things as it is", () => {
    expect(questionParts("What is it? ".repeat(12))).toEqual([]);
  });

  it("takes words of the message alone, in their order, whatever the message is", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("how much", "and", "or", ",", "?", ".", "is it", "who", "by when", "the rope", "I am ill", "–", "\n", "é"),
          { maxLength: 30 },
        ),
        (pieces) => {
          const message = pieces.join(" ");
          let at = 0;
          for (const { text, resolved } of questionParts(message)) {
            const found = message.indexOf(text, at);
            expect(found).toBeGreaterThanOrEqual(at);
            at = found + text.length;
            expect(resolved.startsWith(text)).toBe(true);
            expect(text).toMatch(/^\S(?:.*\S)?$/su);
          }
        },
      ),
    );
  });
});
