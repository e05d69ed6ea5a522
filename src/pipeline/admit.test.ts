import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharedEncoder } from "../models/embedded-encoder.ts";
import { openInstructionFinder } from "../models/injection.ts";
import { readFilters } from "../retrieval/filters.ts";
import { RequestError } from "../shared/errors.ts";
import type { AskRequest, FilterRequest } from "../shared/types.ts";
import cases from "./admit.cases.json" with { type: "json" };
import { admitQuestion, assertSelection, leansOnHistory, questionParts, resolveFollowUp } from "./admit.ts";

const request = (question: string): AskRequest => ({
  question,
  scope: { domain: "d", tenant: null, access: ["public"] },
  profile: "p",
  detail: "normal",
  sessionId: null,
  selection: null,
});
const isInstruction = openInstructionFinder(sharedEncoder);
const admit = (question: string, maxCharacters = 500) => admitQuestion(request(question), [], { maxCharacters, isInstruction });
const codeOf = (question: string) => {
  try {
    admit(question);
    return null;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe("admitQuestion", () => {
  it("trims, and replaces line breaks and tabs by spaces", () => {
    expect(admit("\n What\tdoes it\r\ncost? ").text).toBe("What does it cost?");
  });

  it("accepts exactly the limit, counted after trimming", () => {
    expect(admit(`  ${"a".repeat(500)}\n`).text).toHaveLength(500);
    expect(() => admit("a".repeat(501))).toThrow("The question has 501 characters; the limit is 500.");
    expect(() => admit("abcd", 3)).toThrow(expect.objectContaining({ code: "question_too_long", data: { characters: 4, limit: 3 } }));
  });

  it.each(["", " ", "\n\t\r\n", "\u00A0\u3000"])("rejects %j as empty", (question) => {
    expect(codeOf(question)).toBe("question_empty");
  });

  it.each([0x00, 0x07, 0x1b, 0x7f, 0x85, 0x9b, 0x200b, 0x2028, 0x202e, 0x2060, 0x2066, 0xd83d, 0xfeff])(
    "rejects the character %i",
    (code) => {
      expect(codeOf(`a${String.fromCodePoint(code)}b`)).toBe("question_control_characters");
    },
  );

  it.each(["Was kostet das?", "👩‍👩‍👧‍👦?", "כמה זה עולה?", "费用是多少?", "naïve café?", "ZWNJ: می‌خواهم"])(
    "accepts %s unchanged",
    (question) => {
      expect(admit(question)).toMatchObject({ text: question, resolved: question, injectionSignals: [] });
    },
  );

  it("includes history and resolves follow-ups, but displays the original question", () => {
    const history = [{ question: "What is the pension?", answer: "Money." }];
    const asked = (text: string) => admitQuestion(request(text), history, { maxCharacters: 500, isInstruction });
    expect(asked("And then?")).toMatchObject({ history, text: "And then?", resolved: "And then? (pension)" });
    expect(asked("Who pays the dental care?")).toMatchObject({ history, resolved: "Who pays the dental care?" });
  });

  it("does not resolve a question about a selection by earlier turns", () => {
    const history = [{ question: "How is a pension applied for?", answer: "By letter." }];
    const selection = { documentId: "waiting", start: 0, end: 31 };
    const asked = (chosen: AskRequest["selection"]) =>
      admitQuestion({ ...request("And how long is that?"), selection: chosen }, history, { maxCharacters: 500, isInstruction }).resolved;
    expect(asked(selection)).toBe("And how long is that?");
    expect(asked(null)).not.toBe("And how long is that?");
  });

  it("returns a text without control characters or throws one of its errors", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        try {
          const { text: admitted } = admit(text);
          expect(admitted.length).toBeGreaterThan(0);
          expect(admitted.length).toBeLessThanOrEqual(500);
          expect(admitted).not.toMatch(/\p{Cc}/u);
        } catch (error) {
          expect(String((error as { code?: string }).code)).toMatch(/^question_/);
        }
      }),
    );
  });
});

const document = { text: "Ten letters" };
const of = (start: number, end: number) => ({ documentId: "d", start, end });

describe("assertSelection", () => {
  it("accepts any part of a document, up to its end", () => {
    for (const [start, end] of [
      [0, 11],
      [0, 1],
      [10, 11],
      [3, 9999],
    ] as const)
      expect(() => assertSelection(of(start, end), document)).not.toThrow();
  });

  it("rejects a document that the asker may not see", () => {
    expect(() => assertSelection(of(0, 1), undefined)).toThrow(expect.objectContaining({ code: "unknown_document" }));
  });

  it.each([
    [5, 5, /empty/],
    [11, 12, /begins after the last character of the document, which has 11 characters/],
    [-1, 4, /whole numbers/],
    [0.5, 4, /whole numbers/],
  ])("refuses %d to %d with the reason", (start, end, message) => {
    expect(() => assertSelection(of(start, end), document)).toThrow(
      expect.objectContaining({ code: "selection_invalid", message: expect.stringMatching(message) }),
    );
  });
});

describe("readFilters", () => {
  it("parses names and pages", () => {
    expect(readFilters({ document: "  Moby\n Dick ", page: "12 – 15" })).toEqual({
      document: "Moby Dick",
      chapter: null,
      section: null,
      pages: { first: 12, last: 15 },
    });
    expect(readFilters({ page: 7 })?.pages).toEqual({ first: 7, last: 7 });
    expect(readFilters({ document: [" A ", "B"] })?.document).toEqual(["A", "B"]);
    expect(readFilters({ page: 1e9 })?.pages).toEqual({ first: 1e9, last: 1e9 });
  });

  it.each([null, undefined, {}, { chapter: undefined }])("%j filters nothing", (request) => {
    expect(readFilters(request)).toBeNull();
  });

  it.each<[unknown, RegExp]>([
    [{ chapter: "" }, /"chapter" is empty/],
    [{ chapter: " \n\t" }, /"chapter" is empty/],
    [{ section: "x".repeat(301) }, /301 characters; the limit is 300/],
    [{ document: "a\u202eb" }, /invisible/],
    [{ document: "a\u0000b" }, /control/],
    [{ document: [] }, /has 0 names: give 1 to 100/],
    [{ document: ["A", null] }, /"document" is empty/],
    [{ document: "\ud800" }, /invisible/],
    [{ chapter: 32 }, /"chapter" must be a string/],
    [{ page: 0 }, /page numbers start at 1/],
    [{ page: "0-3" }, /page numbers start at 1/],
    [{ page: -3 }, /cannot use "-3"/],
    [{ page: 1.5 }, /cannot use /],
    [{ page: 1e300 }, /cannot use /],
    [{ page: "15-12" }, /so write 12-15/],
    [{ page: "twelve" }, /such as 12-15/],
    [{ page: "1-2-3" }, /cannot use /],
    [{ page: null }, /cannot use /],
    [{ page: "٣" }, /cannot use /],
    [{ page: "9".repeat(400) }, /cannot use /],
  ])("refuses %j", (request, message) => {
    expect(() => readFilters(request as FilterRequest)).toThrow(message);
  });

  it("names the invalid type of a page", () => {
    const bare = Object.create(null) as unknown as number;
    expect(() => readFilters({ page: bare })).toThrow('cannot use "an object"');
  });

  it("parses anything or explains the error", () => {
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.constant(undefined), fc.object());
    fc.assert(
      fc.property(fc.record({ document: value, chapter: value, section: value, page: value }), (request) => {
        try {
          const filters = readFilters(request as FilterRequest);
          if (filters?.pages) expect(filters.pages.first).toBeLessThanOrEqual(filters.pages.last);
          for (const name of [filters?.document, filters?.chapter, filters?.section]) expect(name).not.toBe("");
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError);
          expect(error).toMatchObject({ code: "filter_invalid" });
        }
      }),
    );
  });
});

const embed = (texts: readonly string[]) => sharedEncoder().embedSync(texts);
const turn = (question: string, answer = "You can.", titles?: string[]) => ({ question, answer, titles });

describe("resolveFollowUp", () => {
  it.each([
    ["How long does it take?", "What is a Higher-Level Review?", "Higher-Level Review"],
    ["And for my spouse?", "Can I get CHAMPVA coverage?", "CHAMPVA coverage"],
    ["What about online classes?", "How much is the housing allowance?", "housing allowance"],
    ["Who qualifies?", "Tell me about the clothing allowance", "clothing allowance"],
    ["Is that taxable?", "How much is the burial allowance?", "burial allowance"],
    ["When?", "When is the pension paid?", "pension"],
  ])("resolves %s after %s", (question, before, topic) => {
    const { text, added } = resolveFollowUp(question, [turn(before)]);
    expect(text.startsWith(question)).toBe(true);
    expect(added.join(" ")).toContain(topic);
  });

  it.each([
    "How do I appeal a disability decision?",
    "Is there a deadline for the GI Bill application?",
    "My brother went to prison for a felony. Does that change his compensation?",
    "I bought a house with a VA loan. Can I rent it out?",
    "Is it possible to get dental care after discharge?",
    "What form do I need that proves my service in Vietnam?",
    "champva application deadline",
  ])("does not change %s", (question) => {
    expect(resolveFollowUp(question, [turn("What is a Higher-Level Review?")])).toEqual({ text: question, added: [] });
  });

  it("changes nothing without history", () => {
    expect(resolveFollowUp("How long does it take?", [])).toEqual({ text: "How long does it take?", added: [] });
  });

  it("uses the cited title when the question had no topic", () => {
    const { added } = resolveFollowUp("How do I apply for it?", [
      turn("I can't work because of my back", "You may get it.", ["Individual Unemployability"]),
    ]);
    expect(added).toContain("Individual Unemployability");
  });

  it("prefers the last turn to earlier ones", () => {
    const { added } = resolveFollowUp("How long does it take?", [turn("What is the pension?"), turn("What is a board appeal?")]);
    expect(added[0]).toContain("board appeal");
  });

  it.each([
    ["And for the ferry?", "How much does a ticket for the tram cost?", ["ticket"]],
    ["and on Sundays", "When does the library close on Saturdays?", ["library close"]],
    ["And for sponge cake?", "Which oven temperature do you recommend for rye bread?", ["oven temperature recommend"]],
    ["what about 400 kg", "What is the surcharge on 250 kg?", ["surcharge"]],
  ])("does not add what %j replaces in %j", (question, before, kept) => {
    expect(resolveFollowUp(question, [turn(before, "It is.", ["Notice 7"])], embed).added).toEqual(kept);
  });

  it("replaces a phrase of a question that was itself a follow-up", () => {
    const history = [turn("When does the library close on Saturdays?"), turn("and on Sundays")];
    expect(resolveFollowUp("and on Mondays?", history, embed).text).toBe("and on Mondays? (library close)");
  });

  it.each([
    ["What about cats?", "May I bring dogs into the greenhouse?"],
    ["And the tower?", "How high is it?"],
    ["And when is that due?", "How much does a ticket for the tram cost?"],
    ["And is there a fee for the ferry?", "How much does a ticket for the tram cost?"],
  ])("replaces nothing for %j after %j without a clear match", (question, before) => {
    expect(resolveFollowUp(question, [turn(before)], embed)).toEqual(resolveFollowUp(question, [turn(before)]));
  });

  it("adds only words of the conversation, and keeps the question as asked", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), (question, before, answer) => {
        const { text, added } = resolveFollowUp(question, [turn(before, answer)], embed);
        if (added.length === 0) expect(text).toBe(question);
        for (const phrase of added) {
          for (const word of phrase.split(" ")) expect(`${before} ${answer}`.replaceAll(/[’‘ʼ]/g, "'")).toContain(word);
        }
        expect(text.startsWith(question.trim()) || text === question).toBe(true);
      }),
    );
  });

  it("treats a short question without a topic as a follow-up", () => {
    expect(leansOnHistory("How much?")).toBe(true);
    expect(leansOnHistory("CHAMPVA?")).toBe(false);
  });
});

describe("questionParts", () => {
  it.each(cases.parts)("splits %s", (message, first, second) => {
    expect(questionParts(message).map(({ text }) => text)).toEqual([first, second]);
  });

  it.each(cases.whole)("finds one question in %j", (message) => {
    expect(questionParts(message)).toEqual([]);
  });

  it("gives a dependent part the topics of the others, and a standalone one nothing", () => {
    const [first, second] = questionParts("What did the coin on the mast show, and what was it worth?");
    expect(first?.resolved).toBe("What did the coin on the mast show");
    expect(second?.resolved).toMatch(/^what was it worth\? \(.*coin.*\)$/u);
    expect(questionParts("Is dinner on the ferry included? Where does the night bus stop?").map(({ resolved }) => resolved)).toEqual([
      "Is dinner on the ferry included?",
      "Where does the night bus stop?",
    ]);
  });

  it("does not split a message with a dozen questions", () => {
    expect(questionParts("What is it? ".repeat(12))).toEqual([]);
  });

  it("uses only words of the message, in order, for any message", () => {
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
