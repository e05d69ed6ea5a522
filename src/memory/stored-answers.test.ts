import { describe, expect, it } from "vitest";
import type { Answer } from "../shared/types.ts";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import { fakeQuestion } from "../testing/passages.ts";
import { losesWords, redactAnswered } from "./named-documents.ts";
import { type CacheScope, curatedKey, exactCacheKey, StoredAnswers, sharingScope } from "./stored-answers.ts";

const scope: CacheScope = { secret: "s", language: "en", encoder: "none", configHash: "c" };
const question = fakeQuestion("How much is a card?");
const key = exactCacheKey(question, scope);

describe("exactCacheKey", () => {
  it.each(["how much is a CARD", "How much\u00A0is a card ?!", "  How  much is a card. ", "Ｈow much is a card?"])(
    "is the same for %j",
    (text) => {
      expect(exactCacheKey(fakeQuestion(text), scope)).toBe(key);
    },
  );

  it.each(["How much is a card not?", "How much is a car d?", "How much is 1 card?", "how much is a c\u00E4rd"])(
    "differs for %j",
    (text) => {
      expect(exactCacheKey(fakeQuestion(text), scope)).not.toBe(key);
    },
  );

  it.each([
    ["domain", { scope: { ...question.scope, domain: "e" } }],
    ["tenant", { scope: { ...question.scope, tenant: "alice" } }],
    ["access", { scope: { ...question.scope, access: ["public", "staff"] } }],
    ["profile", { profile: "q" }],
    ["detail", { detail: "more" as const }],
    ["filter", { filters: { document: null, chapter: "1", section: null, pages: null, searchedIn: "" } }],
    ["selection", { selection: { documentId: "d", start: 0, end: 5 } }],
  ])("differs for another %s", (_what, over) => {
    expect(exactCacheKey({ ...question, ...over }, scope)).not.toBe(key);
  });

  it("distinguishes filters by name and value", () => {
    const none = { document: null, chapter: null, section: null, pages: null, searchedIn: "" };
    const filters = [
      { ...none, chapter: "1" },
      { ...none, section: "1" },
      { ...none, document: "1" },
      { ...none, pages: { first: 1, last: 1 } },
      { ...none, pages: { first: 1, last: 2 } },
    ];
    const keys = filters.map((one) => exactCacheKey({ ...question, filters: one }, scope));
    expect(new Set([...keys, key]).size).toBe(6);
    expect(exactCacheKey({ ...question, filters: null }, scope)).toBe(key);
  });

  it.each(["secret", "language", "encoder", "configHash"] as const)("differs for another %s", (name) => {
    expect(exactCacheKey(question, { ...scope, [name]: "other" })).not.toBe(key);
  });

  it("ignores order and repetition of access labels, and the session", () => {
    const labelled = (...access: string[]) => exactCacheKey({ ...question, scope: { ...question.scope, access } }, scope);
    expect(labelled("b", "a", "a")).toBe(labelled("a", "b"));
    expect(labelled("a,b")).not.toBe(labelled("a", "b"));
    expect(exactCacheKey({ ...question, sessionId: "x" }, scope)).toBe(key);
  });

  it("differs for a follow-up of another answer, but not for a standalone question or a reviewer's answer", () => {
    const following = (answer: string, text = "And for children?") => ({
      ...question,
      text,
      history: [{ question: "How much is a card?", answer }],
    });
    const [one, other] = [following("A card costs 5 euros."), following("A card is free.")];
    expect(exactCacheKey(one, scope)).not.toBe(exactCacheKey(other, scope));
    expect(exactCacheKey(one, scope)).toBe(exactCacheKey({ ...one }, scope));
    expect(exactCacheKey(following("A card is free.", question.resolved), scope)).toBe(key);
    expect(curatedKey(one, scope)).toBe(curatedKey(other, scope));
    expect(curatedKey(one, scope)).toBe(curatedKey(question, scope));
  });

  it("keeps text of one part out of the next", () => {
    const at = (domain: string, tenant: string | null) =>
      exactCacheKey({ ...question, scope: { ...question.scope, domain, tenant } }, scope);
    expect(at("a", "b")).not.toBe(at('a","b', null));
    expect(at("a", null)).not.toBe(at("a", "null"));
  });
});

describe("sharingScope", () => {
  it("is equal for every question of a scope, and null for questions that are not shared", () => {
    const shared = sharingScope(question, scope);
    expect(shared).toMatch(/^[0-9a-f]{64}$/);
    expect(sharingScope(fakeQuestion("Something else?"), scope)).toBe(shared);
    expect(shared).not.toBe(key);
    for (const over of [{ profile: "q" }, { detail: "more" as const }, { scope: { ...question.scope, tenant: "alice" } }])
      expect(sharingScope({ ...question, ...over }, scope)).not.toBe(shared);
    expect(sharingScope({ ...question, selection: { documentId: "d", start: 0, end: 5 } }, scope)).toBeNull();
    const filters = { document: null, chapter: "1", section: null, pages: null, searchedIn: "" };
    expect(sharingScope({ ...question, filters }, scope)).toBeNull();
    expect(sharingScope({ ...question, resolved: "How much is a card for a child?" }, scope)).toBeNull();
  });
});

const text = (id: string) => JSON.stringify({ id, sentences: [{ text: "Ten days.", citations: [1] }] });

describe("StoredAnswers", () => {
  it("parses a text once, and a changed text of the same entry again", () => {
    const answers = new StoredAnswers();
    const first = answers.read("k", text("a"));
    expect(answers.read("k", text("a"))).toBe(first);
    expect(answers.read("k", text("b")).id).toBe("b");
    expect(answers.read("k", text("a"))).not.toBe(first);
  });

  it("returns results that callers cannot modify for each other", () => {
    const { sentences } = new StoredAnswers().read("k", text("a"));
    expect(sentences).toHaveLength(1);
    expect(() => Object.assign(sentences, { 1: sentences[0] })).toThrow(TypeError);
    expect(() => Object.assign(Object(sentences[0]), { text: "Twenty." })).toThrow(TypeError);
  });

  it("remembers passed checks for one context, but never failed ones", async () => {
    const answers = new StoredAnswers();
    const answer = answers.read("k", text("a"));
    const asked: string[] = [];
    const check = (context: string, verdict: boolean, of: Answer = answer) =>
      answers.passes(of, context, async () => {
        asked.push(context);
        return verdict;
      });
    expect([await check("x", false), await check("x", true), await check("x", false), await check("y", false)]).toEqual([
      ...[false, true, true, false],
    ]);
    expect(asked).toEqual(["x", "x", "y"]);
    expect(await check("x", false, answers.read("k", text("b")))).toBe(false);
  });

  it("shares unchanged citations within an answer, but no changed ones", () => {
    const answers = new StoredAnswers();
    const parts = { sentences: [{ text: "Ten days." }], claims: [], citations: [], evidence: [], conflicts: [], checks: [] };
    const served = answers.read("k", JSON.stringify({ id: "a", ...parts, model: "none" }));
    const first = answers.share({ ...served, id: "b" }, served);
    expect(first?.own).toEqual({ id: "b", model: "none" });
    expect(JSON.parse(first?.content.body ?? "")).toEqual(parts);
    expect(answers.share({ ...served, id: "c" }, served)?.content).toBe(first?.content);
    for (const part of Object.keys(parts)) expect(answers.share({ ...served, [part]: [] }, served)).toBeNull();
  });
});

const SHOWN = "Write to joe.doe@example.org or call 202-555-0143.";
const PAGE = { title: "Contacts", url: null, asOf: null, headingPath: [], path: "contacts.md" };
const answer = (quote: string) =>
  sampleAnswer({
    question: "How?",
    sentences: [{ text: SHOWN, citations: [1] }],
    citations: [sampleCitation(1, { ...PAGE, context: quote }, quote)],
  });

describe("redactAnswered and losesWords", () => {
  it("keep what a cited quote publishes, across line breaks", () => {
    const published = answer("Write to\njoe.doe@example.org or call\n202-555-0143.");
    expect(redactAnswered(SHOWN, published)).toBe(SHOWN);
    expect(losesWords(published)).toBe(false);
    const address = "Mail it to PO Box 4444, Janesville, WI 53547-4444 today.";
    expect(redactAnswered(address, answer("PO Box 4444,\nJanesville, WI\n53547-4444"))).toBe(address);
  });

  it("find an answer that would be stored differently than it was shown", () => {
    expect(redactAnswered(SHOWN, answer("Write to us."))).not.toContain("joe.doe");
    expect(losesWords(answer("Write to us."))).toBe(true);
  });
});
