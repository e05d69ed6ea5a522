import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { tokenize } from "../text/tokens.ts";
import { answerSpans } from "./answer-spans.ts";
import { countNegators, createWordReader, deniesAsVerb, isNegator, verbOf } from "./content-words.ts";
import { readQuestion } from "./question.ts";
import { mayCover, namedTime } from "./units.ts";
import { codesIn } from "./values.ts";

describe("codesIn", () => {
  it.each([
    ["VA Form 21-526EZ", ["21-526ez"]],
    ["rating under DC 6260 or diagnostic code 7101", ["dc6260", "dc7101"]],
    ["38 CFR 4.25 and § 3.309", ["cfr4.25", "cfr3.309"]],
    ["form 10182", ["10182"]],
    ["form 21-22 or 21-22a", ["21-22", "21-22a"]],
  ])("finds the codes of %s", (text, codes) => {
    expect(codesIn(text)).toEqual(expect.arrayContaining(codes));
  });

  it.each(["in 1970 I paid $1,200", "70% for 2 years", "1-800-827-1000", "9/11", "600 extra", "aged 21-22"])("finds none in %s", (text) => {
    expect(codesIn(text)).toEqual([]);
  });
});

const marked = (question: string, ...sentences: string[]) =>
  answerSpans(question, sentences).map(({ sentence, start, end }) => `${sentence}: ${sentences[sentence]?.slice(start, end)}`);

describe("answerSpans", () => {
  it("marks the only value of the requested kind, in the first sentence that contains one", () => {
    expect(
      marked("How long do I have to appeal?", "Appeals go to a board.", "You have 1 year from the letter.", "Others have 60 days."),
    ).toEqual(["1: 1 year"]);
    expect(marked("How much does a card cost?", "A library card costs $5 per year.")).toEqual(["0: $5"]);
    expect(marked("Which form do I need?", "Use VA Form 20-0996 to ask for a review.")).toEqual(["0: Form 20-0996"]);
  });

  it("marks nothing if two values compete, or none is there", () => {
    expect(marked("How much does a card cost?", "A card costs $5, or $9 with music.")).toEqual([]);
    expect(marked("How much does a card cost?", "Cards are sold at the desk.")).toEqual([]);
  });

  it("does not mark a value of the question", () => {
    expect(marked("How long is a card that costs $5 valid?", "A card that costs $5 is valid for 2 years.")).toEqual(["0: 2 years"]);
    expect(marked("How long may I stay after 20 minutes?", "After 20 minutes you may stay 40 minutes.")).toEqual(["0: 40 minutes"]);
  });

  it("marks nothing for reasons, names and places, or without an answer", () => {
    expect(marked("Why is the hall closed?", "It is closed for 3 weeks.")).toEqual([]);
    expect(marked("Who may enter?", "Ann may enter on 3 May.")).toEqual([]);
    expect(marked("How much is it?")).toEqual([]);
  });
});

const covers = (text: string, word: string) => {
  const time = namedTime(word);
  return time === null ? null : mayCover(text, time);
};

describe("mayCover", () => {
  it.each([
    ["Open from Monday to Friday.", "Tuesday", true],
    ["Open from Monday to Friday.", "Sunday", false],
    ["Closed between 1 October and 15 March.", "January", true],
    ["Closed between 1 October and 15 March.", "July", false],
    ["Staffed on Monday and Wednesday.", "Tuesday", false],
    ["The market is open in July from 9 am to 5 pm.", "December", false],
    ["Fees are paid back until the end of March.", "February", true],
    ["They march at noon, and may rest.", "February", false],
    ["", "May", false],
  ])("%s: %s: %s", (text, word, expected) => expect(covers(text, word)).toBe(expected));

  it("recognises lower-case words as times only if they are unambiguous", () => {
    expect(["july", "Mar", "mar", "may", "May", "sun", "Sun", "tuesday"].map((word) => namedTime(word)?.number ?? null)).toEqual([
      ...[7, 3, null, null, 5, null, 7, 2],
    ]);
  });

  it.each(["from ", "Monday to "])("takes linear time for repeated %j", (piece) =>
    expectLinearTime(
      40_000,
      (n) => piece.repeat(n),
      (text) => covers(text, "May"),
    ),
  );
});

describe("createWordReader", () => {
  const read = createWordReader();
  const names = (text: string) => read(text).flatMap(({ text: word, name }) => (name ? [word] : []));

  it("identifies a word by its stem, and skips function words and numbers", () => {
    const [a, b] = ["remarried", "remarriage"].map((word) => read(word)[0]?.root);
    expect(a).toBe(b);
    expect(read("You would also have to, within 30 days")).toMatchObject([{ text: "days" }]);
  });

  it("distinguishes names from capitalised words", () => {
    expect(names("Veterans who get TRICARE or the Fry Scholarship call the Board of Appeals")).toEqual([
      "tricare",
      "fry",
      "scholarship",
      "board",
      "appeals",
    ]);
    expect(names("The Veteran applied in May")).toEqual([]);
  });
});

describe("readQuestion", () => {
  it.each([
    ["How much does a headstone cost?", "how-much"],
    ["how long do I have to file an appeal", "how-long"],
    ["how many dependents count", "how-many"],
    ["When is the payment made?", "when"],
    ["Who can sign for me?", "who"],
    ["Where do I mail it?", "where"],
    ["Which VA form do I need to add my wife?", "which-form"],
    ["Can I work while I get it?", "can-i"],
    ["How do I apply?", "how-do-i"],
    ["What are the kinds of reviews?", "list"],
    ["Why was it denied?", "why"],
    ["What is tinnitus?", "definition"],
    ["Define presumptive condition.", "definition"],
    ["What is the funding fee for a second loan?", "what"],
    ["", "other"],
    ["كم تبلغ الرسوم؟", "other"],
    ["is my brother, who lives abroad, covered", "who"],
    ["roughly how long do I wait, and where do I send it?", "how-long"],
  ])("%s asks %s", (question, type) => {
    expect(readQuestion(question).type).toBe(type);
  });

  it.each([
    ["Tell me about the GI Bill", ["gi", "bill"]],
    ["How long does a Higher-Level Review take?", ["higher", "level", "review"]],
    ["What’s the deadline for an appeal, please?", ["deadlin", "appeal"]],
  ])("keeps the content of %s", (question, tokens) => {
    expect(tokenize(readQuestion(question).content)).toEqual(expect.arrayContaining(tokens));
    expect(tokenize(readQuestion(question).content)).not.toEqual(expect.arrayContaining(["long"]));
  });

  it("keeps the whole question if it has no content words", () => {
    expect(readQuestion("How much?").content).toBe("How much?");
    expect(readQuestion("").content).toBe("");
  });

  it("adds no word", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const written = new Set(tokenize(text.replaceAll(/[’‘ʼ]/g, "'")));
        for (const token of tokenize(readQuestion(text).content)) {
          if (!/\d/.test(token)) expect(written).toContain(token);
        }
      }),
    );
  });

  it.each(["do a ", "how "])("takes linear time for repeated %j", (piece) =>
    expectLinearTime(20_000, (n) => piece.repeat(n), readQuestion),
  );
});

describe("negation", () => {
  it.each([...["not", "Never", "cannot", "can't", "can’t", "cant", "doesnt", "wouldn't", "unable"], ...["no", "none", "without"]])(
    "%s negates",
    (word) => {
      expect(isNegator(word)).toBe(true);
    },
  );

  it.each(["want", "front", "consonant", "note", "nonsense", "knot", "content"])("%s negates nothing", (word) => {
    expect([isNegator(word), deniesAsVerb(word), countNegators(word)]).toEqual([false, false, 0]);
  });

  it.each([
    ["can't", "can"],
    ["won’t", "will"],
    ["doesnt", "does"],
    ["not", "not"],
  ])("%s without its negation is %s", (word, verb) => {
    expect(verbOf(word)).toBe(verb);
  });

  it.each([
    ["An illness that's not on the list need not be reported.", 2],
    ["A non-resident is ineligible without a permit.", 3],
    ["The pump cant lift it and doesnt stop.", 2],
    ["Nobody may enter, and nothing is sold.", 2],
  ])("%s: %i", (text, count) => {
    expect(countNegators(text)).toBe(count);
  });

  it("takes linear time for a hostile length", () => expectLinearTime(40_000, (n) => "can't no non-".repeat(n), countNegators));
});
