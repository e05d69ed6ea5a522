import { describe, expect, it } from "vitest";
import { answerSpans } from "./asked-values.ts";

const marked = (question: string, ...sentences: string[]) =>
  answerSpans(question, sentences).map(({ sentence, start, end }) => `${sentence}: ${sentences[sentence]?.slice(start, end)}`);

describe("answerSpans", () => {
  it("marks the one value of the kind that is asked for, in the first sentence that holds one", () => {
    expect(
      marked("How long do I have to appeal?", "Appeals go to a board.", "You have 1 year from the letter.", "Others have 60 days."),
    ).toEqual(["1: 1 year"]);
    expect(marked("How much does a card cost?", "A library card costs $5 per year.")).toEqual(["0: $5"]);
    expect(marked("Which form do I need?", "Use VA Form 20-0996 to ask for a review.")).toEqual(["0: Form 20-0996"]);
  });

  it("marks nothing where two values compete, or none is there", () => {
    expect(marked("How much does a card cost?", "A card costs $5, or $9 with music.")).toEqual([]);
    expect(marked("How much does a card cost?", "Cards are sold at the desk.")).toEqual([]);
  });

  it("does not take a value that the question names for its answer", () => {
    expect(marked("How long is a card that costs $5 valid?", "A card that costs $5 is valid for 2 years.")).toEqual(["0: 2 years"]);
    expect(marked("How long may I stay after 20 minutes?", "After 20 minutes you may stay 40 minutes.")).toEqual(["0: 40 minutes"]);
  });

  it("marks nothing for reasons, names and places, nor in a question without an answer", () => {
    expect(marked("Why is the hall closed?", "It is closed for 3 weeks.")).toEqual([]);
    expect(marked("Who may enter?", "Ann may enter on 3 May.")).toEqual([]);
    expect(marked("How much is it?")).toEqual([]);
  });

  it("stands hostile and huge texts", () => {
    expect(marked(`How much? ${"$".repeat(5_000)}`, "9".repeat(100_000))).toEqual([]);
  });
});
