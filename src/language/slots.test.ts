import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { compareSlots } from "./compare-slots.ts";
import { createLikeness } from "./likeness.ts";
import { readAsked } from "./question.ts";
import { createSlotVocabulary } from "./slot-vocabulary.ts";
import { readSlots } from "./slots.ts";

const vocabulary = createSlotVocabulary({
  title: "Library services",
  abbreviations: { ILL: ["interlibrary loan"], "R&D": ["reading and discussion"] },
  synonyms: [["library card", "membership card"]],
  entities: [{ type: "form", canonical: "Form $1", patterns: ["\\bform (\\d{3})\\b"] }],
  questions: {
    persons: [
      ["reader", "borrower"],
      ["pupil", "schoolboy", "schoolgirl"],
    ],
    readers: ["reader"],
    bodies: [
      ["town library", "town branch"],
      ["mobile library", "library bus"],
    ],
    same: [["lend", "hand over the counter"]],
  },
});
const read = (question: string) => readSlots(question, vocabulary);
const keys = (question: string) => read(question).terms.map(({ key }) => key);

describe("readSlots", () => {
  it("reads an abbreviation and what it stands for as one name", () => {
    expect(keys("ill rules")).toContain("ILL");
    expect(keys("rules for an interlibrary loan")).toContain("ILL");
    expect(keys("r and d evenings")).toContain("R&D");
    expect(keys("R&D evenings")).toContain("R&D");
  });

  it("reads values with unit, bound and side", () => {
    const [weeks, after, before] = ["May I borrow for at least two weeks?", "fees after March 1, 2020", "fees before February 1, 2020"].map(
      (question) => read(question).values,
    );
    expect(weeks).toEqual([expect.objectContaining({ kind: "duration", unit: "day", low: 14, bound: "least", side: "after" })]);
    expect(after).toEqual([expect.objectContaining({ kind: "date", low: "2020-03-01", side: "after" })]);
    expect(before).toEqual([expect.objectContaining({ kind: "date", low: "2020-02-01", side: "before" })]);
  });

  it.each([["② a day", "digits ②"]])("keeps digits that no value holds as a name: %s", (text, key) => {
    expect(keys(`Is it ${text}?`)).toContain(key);
    expect(keys("Is it 3 books, 7 days and $1,000?").filter((one) => one.startsWith("digits"))).toEqual([]);
  });

  it("finds what the domain's patterns name", () => {
    expect(read("What is form 117 for?").codes).toEqual(["form form 117"]);
    expect(read("What is it for?").codes).toEqual([]);
  });

  it("knows who it is about, and keeps the narrowest", () => {
    expect(read("Can my wife join?").persons).toEqual(["spouse"]);
    expect(read("Can a widow join?").persons).toEqual(["surviving spouse"]);
    expect(read("Can I add my mom as a dependent?").persons).toEqual(["parent"]);
    expect(read("Can I join?").persons).toEqual([]);
  });

  it("counts denials, but none in phrases that deny nothing", () => {
    expect(read("What isn't lent?").negations).toBe(1);
    expect(read("What dont you lend?").negations).toBe(1);
    expect(read("Is it lent no matter how old it is?").negations).toBe(0);
    expect(read("Which books without pictures are lent?").terms.find(({ text }) => text === "pictures")?.negated).toBe(true);
  });

  it("reads what a domain alone tells apart: its persons, but not its readers, and the bodies that they belong to", () => {
    expect(read("Can a schoolgirl borrow films from the library bus?")).toMatchObject({ persons: ["pupil"], branches: ["mobile library"] });
    expect(read("Can a borrower keep a film for a week?").persons).toEqual([]);
    expect(read("Do you lend films?").terms.flatMap(({ groups }) => groups)).toEqual(
      expect.arrayContaining(read("Do you hand over the counter films?").terms.flatMap(({ groups }) => groups.slice(0, 1))),
    );
    const bare = createSlotVocabulary({ title: "Library services" });
    expect(readSlots("Can a schoolgirl borrow films from the library bus?", bare)).toMatchObject({ persons: [], branches: [] });
    expect(readSlots("Can a veteran of the Navy borrow films?", bare)).toMatchObject({ persons: [], branches: [] });
  });

  it("reads places, periods and branches", () => {
    expect(read("Do you send books to Norway?").places).toEqual(["country norway"]);
    expect(read("Do you send books overseas?").abroad).toBe(true);
    expect(read("Are you open on Sunday?").periods).toEqual(["sunday"]);
    expect(read("books of the town branch").branches).toEqual(["town library"]);
    expect(read("Do you send books within the United States?").places).toEqual(["united states"]);
    expect([read("Where is the main entrance?").places, read("Do you send books to Maine?").places]).toEqual([[], ["maine"]]);
  });

  it("reads a word that nobody knows as a name, never as one of the domain that is spelled nearly alike", () => {
    expect(read("new membreship card").terms.find(({ text }) => text === "membreship")).toMatchObject({ kind: "name", known: false });
  });

  it("reads the words of a condition, but of none that every question of the domain meets", () => {
    expect(read("May I borrow a film if I lost my card?").shape.conditions).toEqual(
      ["card", "lost", "my"].map((word) => vocabulary.stem(word)).sort(),
    );
    expect(read("When may I borrow a film?").shape.conditions).toEqual([]);
    expect(read("May I borrow a film if I have a card?").shape.conditions).toContain("card");
    expect(read("May I borrow a film if I have library access?").shape.conditions).not.toContain("access");
  });

  it("counts the questions in one", () => {
    const count = (question: string) => read(question).shape.questions;
    expect(["How do I join?", "I moved. How do I join?", "", "opening hours and fees", "What if I lost it and moved?"].map(count)).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(["How do I join and what does it cost?", "How and when do I join?", "Is it free? Who may join?"].map(count)).toEqual([2, 2, 2]);
  });

  it("survives anything: nothing, signs, a very long text", () => {
    for (const text of ["", "???", "\u0000", "𝔘𝔫𝔦", "a ".repeat(50_000), "9".repeat(20_000), "not ".repeat(9_000)]) {
      expect(JSON.parse(JSON.stringify(read(text)))).toEqual(read(text));
    }
  });
});

describe("readAsked", () => {
  it.each([
    ["How long may I keep a book?", "time"],
    ["How much is a card?", "amount"],
    ["Which form do I need?", "form"],
    ["Where do I return it?", "place"],
    ["How do I join?", "method"],
    ["Why was I fined?", "reason"],
    ["Can I bring food?", "fact"],
    ["What is a library card?", "definition"],
    ["What do I bring?", "thing"],
    ["opening hours", "time"],
    ["rules of the reading room", "open"],
  ] as const)("%s asks for %s", (question, kind) => {
    expect(readAsked(question)).toBe(kind);
  });
});

describe("arguments that change places, in other words too", () => {
  const vocabulary = createSlotVocabulary();
  const context = { likeness: createLikeness(SHARED_PARTS.embedded()) };
  const verdict = (asked: string, stored: string) => compareSlots(readSlots(asked, vocabulary), readSlots(stored, vocabulary), context);

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

describe("words of one stem", () => {
  const vocabulary = createSlotVocabulary();
  const same = (a: string, b: string) => compareSlots(readSlots(a, vocabulary), readSlots(b, vocabulary), {}).same;
  const asked = (word: string) => `How long is the ${word} kept in the store?`;

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
