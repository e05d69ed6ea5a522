import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";
import { renderAnswer } from "../cli/render.ts";
import { explainRefusal, REFUSAL_TEXTS } from "../pipeline/refuse.ts";
import { profiles } from "../profiles/index.ts";
import type { Quote, Refusal } from "../shared/types.ts";
import { sampleAnswer } from "../testing/answers.ts";
import { fakeEvidence, fakePassage, fakeQuestion, fakeWords } from "../testing/passages.ts";

const counts = { documents: 2, chunks: 3, revision: 4, asOf: { from: "2024-01-01", to: "2026-02-01", undated: 0 }, unreadable: ["x.md"] };
const contacts = [
  { name: "Desk", contact: "1", when: [] },
  { name: "Fines", contact: "2", when: ["fine"] },
];
const parts = { words: fakeWords(), contacts, isCommon: () => false };
const refuse = (question: string, evidence: Parameters<typeof explainRefusal>[3] = [], over: object = {}) =>
  explainRefusal(fakeQuestion(question), "evidence_too_weak", "No.", evidence, { ...counts, ...over }, parts);

describe("what a refusal tells", () => {
  it("names the part to which a selection or filters limited the search, for any reason", () => {
    const within = 'the selected text of "Whale"';
    const ofPart = (reason: Refusal["reason"], text = "x") => {
      const question = { ...fakeQuestion("x"), text };
      return explainRefusal(question, reason, "Nothing in the book.", [], { ...counts, within }, parts).message;
    };
    for (const reason of ["nothing_relevant", "evidence_too_weak", "not_reliable"] as const) {
      expect(ofPart(reason)).toContain(within);
      expect(ofPart(reason)).not.toContain("book");
      expect(ofPart(reason, "And x?")).toBe(`${ofPart(reason)} ${REFUSAL_TEXTS.followUp}`);
    }
    expect(ofPart("not_reliable")).not.toBe(ofPart("nothing_relevant"));
    expect(ofPart("injection")).toBe(REFUSAL_TEXTS.injection);
  });

  it("lists no common word as missing", () => {
    const passage = fakeEvidence(fakePassage({ document: "a", title: "", segments: ["A card."] }));
    const isCommon = (word: string) => ["does", "may", "cost"].includes(word);
    const ask = (question: string) =>
      explainRefusal(fakeQuestion(question), "evidence_too_weak", "No.", [passage], counts, { ...parts, isCommon }).nearest[0]?.missing;
    expect(ask("May a Martian cost?")).toEqual(["Martian"]);
    expect(ask("Does cost may?")).toEqual([]);
  });

  it("lists a code as missing beside a similar one, but not in another spelling", () => {
    const near = fakeEvidence(fakePassage({ title: "Faults", segments: ["T-41 is a worn belt.", "E mail is read."] }));
    const missing = (question: string) => refuse(question, [near]).nearest[0]?.missing;
    expect(missing("What is T-44?")).toEqual(["T-44"]);
    expect(missing("What is T-41?")).toEqual([]);
    expect(missing("Is e-mail read?")).toEqual([]);
  });

  it("lists words that the nearest passages lack, as written", () => {
    const near = fakeEvidence(fakePassage({ title: "Cards", segments: ["A card costs 5 dollars."] }), { score: 0.3 });
    const far = fakeEvidence(fakePassage({ document: "e", title: "Zoo", segments: ["A zoo."] }), { score: 0.1 });
    const { nearest } = refuse('What does a Martian card cost, in "Belgium"?', [far, near]);
    expect(nearest.map(({ title }) => title)).toEqual(["Cards", "Zoo"]);
    expect(nearest[0]?.missing).toEqual(["Martian", "cost", "in", "Belgium"]);
  });

  it("lists the kind of value that was asked for and is missing", () => {
    const passage = fakeEvidence(fakePassage({ segments: ["A card costs 5 dollars.", "It is sent by post."] }));
    expect(refuse("How long is a card valid?", [passage]).nearest[0]?.missingValues).toEqual(["a length of time"]);
    expect(refuse("How much is a card?", [passage]).nearest[0]?.missingValues).toEqual([]);
    const both = refuse("What is the phone number, and how long is it open?", [passage]).nearest[0]?.missingValues;
    expect(both).toEqual(["a length of time", "a phone number"]);
  });

  it("lists passages without shown words only if there are no others", () => {
    const near = fakeEvidence(fakePassage({ title: "Cards", segments: ["A card costs 5 dollars."] }), { score: 0.1 });
    const far = fakeEvidence({ ...fakePassage({ document: "e", title: "Zoo", segments: ["A zoo."] }), sid: "S2" }, { score: 0.3 });
    const { passage } = near;
    const quote = { passage, start: passage.range.start, end: passage.range.end, text: passage.text };
    const titlesWith = (nearest: ReadonlyMap<string, Quote>) => {
      const given = explainRefusal(fakeQuestion("card"), "evidence_too_weak", "No.", [far, near], counts, { ...parts, nearest });
      return given.nearest.map(({ title, quote: words }) => [title, words]);
    };
    expect(titlesWith(new Map([[passage.sid, quote]]))).toEqual([["Cards", passage.text]]);
    expect(titlesWith(new Map())).toEqual([
      ["Zoo", null],
      ["Cards", null],
    ]);
  });

  it("lists each document once, by its best passage, at most three", () => {
    const passage = (score: number, text: string, document = "d") => fakeEvidence(fakePassage({ document, segments: [text] }), { score });
    const { nearest } = refuse("card", [passage(0.1, "zoo"), passage(0.3, "card"), ...["e", "f", "g"].map((id) => passage(0.2, "a", id))]);
    expect(nearest.map(({ documentId, missing }) => `${documentId}: ${missing.join()}`)).toEqual(["d: ", "e: card", "f: card"]);
  });

  it("states that nothing was ingested only if that is true, not if filters exclude everything", () => {
    expect(refuse("x", [], { documents: 0 })).toMatchObject({ reason: "empty_corpus", message: expect.stringContaining("--domain") });
    expect(refuse("x", [], { documents: 0, within: "page 3" })).toMatchObject({
      reason: "evidence_too_weak",
      message: REFUSAL_TEXTS.nothingWithin("page 3"),
    });
  });
});

/** Phrases that read as a negative answer, or that claim to know what the documents do not contain. */
const NEGATIVE = [
  /\b(?:documents?|books?|sources?|pages?|files?|manuals?|corpus|knowledge base)\b[^.:]*\b(?:says?|states?|holds?|contains?|has|have|mentions?|gives?|tells?|knows?)\s+(?:no|not|nothing|none)\b/i,
  /\b(?:documents?|books?|sources?|pages?|files?|manuals?|corpus|knowledge base)\s+(?:do|does|did)(?:\s+not|n['’]t)\b/i,
  /\bnone of (?:the|these|our)\b/i,
  /\bthere (?:is|are|was|were) (?:no|not|none|nothing)\b/i,
  /(?:^|[.!?]\s+)(?:no|not|never|none)\s*[,.!]/i,
  /\b(?:you|they|he|she|veterans?)\s+(?:can|may|do|does|are|is|will|must)(?:\s?not|n['’]t)\b/i,
  /\bnot (?:eligible|entitled|covered|allowed|possible|available|true)\b/i,
];
const negative = (text: string) => NEGATIVE.filter((pattern) => pattern.test(text)).map(String);

describe("no refusal reads as a negative answer", () => {
  it.each([
    "The documents say no.",
    "The book holds no information about this topic.",
    "The documents do not answer this question.",
    "There is no such benefit.",
    "You cannot claim it.",
    "It is not available.",
  ])("but %j would", (text) => expect(negative(text)).not.toEqual([]));

  const reasons = ["nothing_relevant", "evidence_too_weak", "not_reliable", "empty_corpus", "injection"] as const;
  const refusals = (sentence: string): Refusal[] =>
    reasons.flatMap((reason) =>
      ["Is a card free?", "And is it?"].map((text) => {
        const question = { ...fakeQuestion(text), resolved: "Is a card free?" };
        const found = fakeEvidence(fakePassage({ title: "Cards", segments: ["A zoo."] }));
        return explainRefusal(question, reason, sentence, [found], reason === "empty_corpus" ? { ...counts, documents: 0 } : counts, parts);
      }),
    );

  it.each(profiles.map(({ name, write }) => [name, write] as const))("in %s, for any reason", (_, write) => {
    const ofPart = [REFUSAL_TEXTS.nothingWithin, REFUSAL_TEXTS.unreliableWithin].map((say) => say("the selected text"));
    for (const sentence of [write.refusal, write.unreliable, ...ofPart]) {
      for (const refusal of refusals(sentence)) {
        expect(refusal.note).toBe(REFUSAL_TEXTS.note);
        const text = renderAnswer(sampleAnswer({ question: "Is a card free?", refusal }), createColors(false));
        expect(text).toContain(refusal.message);
        expect([refusal.message, refusal.note, ...text.split("\n")].flatMap(negative)).toEqual([]);
      }
    }
  });
});
