import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Answer } from "../src/shared/types.ts";
import { encoderDown, fakeEncoder } from "../src/testing/fake-encoder.ts";
import { fakeMatcher } from "../src/testing/fake-matcher.ts";
import { answerToWire, askResponseSchema } from "../src/wire/index.ts";
import { answerOf, engineInTest, type Library, type LibraryOptions, openInTest, stagesOf } from "./support/engine.ts";
import { CARD, writeFiles } from "./support/library.ts";

const open = (options: LibraryOptions = {}): Promise<Library> =>
  openInTest({ profiles: [THREE_LEVELS], matcher: fakeMatcher(() => true), ...options });

const { sourcebound } = await import("../src/profiles/sourcebound.ts");
const THREE_LEVELS = { ...sourcebound, caches: ["exact", "semantic", "graph"] as const };
const PARAPHRASE = "What does a library card cost?";
const text = (answer: Answer) => answer.sentences.map((sentence) => sentence.text).join("\n");
const rewrite = ({ sandbox }: Library, files: Readonly<Record<string, string>>) => writeFiles(join(sandbox.folder, "documents"), files);

describe("the semantic cache", () => {
  it("serves the answer of a paraphrase after retrieval, and names its question and time", async () => {
    const matcher = fakeMatcher((asked, stored) => asked === PARAPHRASE && stored === CARD);
    const library = await open({ matcher, now: () => new Date("2026-03-01T10:00:00Z") });
    const first = await library.ask(CARD);
    const events = await library.events(PARAPHRASE);
    const answer = answerOf(events);
    const cached = { question: CARD, storedAt: "2026-03-01T10:00:00.000Z" };
    expect(answer).toMatchObject({ cacheMode: "semantic", cached, question: PARAPHRASE });
    expect(answer.sentences).toEqual(first.sentences);
    expect(answer.citations).toEqual(first.citations);
    expect(stagesOf(events)).toEqual(["admit", "lookup", "retrieve", "recall", "remember"]);
    expect(askResponseSchema.parse(answerToWire(answer)).cached).toEqual({ question: CARD, stored_at: "2026-03-01T10:00:00.000Z" });
    const [call] = matcher.calls;
    expect(call?.stored.question).toBe(CARD);
    expect(call?.stored.retrieved.cited).toContain(call?.asked.passages[0]?.chunkId);
    expect(call?.stored.retrieved.documents).toContain(first.citations[0]?.documentId);
    expect(first.cached).toBeUndefined();
    expect(await library.engine.store.cache.count()).toBe(1);
    expect((await library.ask(CARD)).cached).toEqual(cached);
  });

  it("serves nothing when the encoder failed and only words ranked", async () => {
    let isDown = false;
    const failure = () => (isDown ? encoderDown() : null);
    const library = await open({ encoder: fakeEncoder({ failure }) });
    await library.ask(CARD);
    isDown = true;
    const answer = await library.ask(PARAPHRASE);
    expect([answer.cacheMode, answer.warnings.map(({ code }) => code)]).toEqual(["miss", ["dense_failed"]]);
    isDown = false;
    expect((await library.ask(PARAPHRASE)).cacheMode).toBe("semantic");
  });

  it("is not used in a profile without it", async () => {
    const matcher = fakeMatcher(() => true);
    const library = await open({ matcher, profiles: [{ ...sourcebound, caches: ["exact"] }] });
    await library.ask(CARD);
    expect((await library.ask(PARAPHRASE)).cacheMode).toBe("miss");
    expect(matcher.calls).toEqual([]);
    expect((await library.engine.store.cache.stats(null)).shared).toBe(0);
  });

  it("separates tenants, profiles, details, selections and filters", async () => {
    const library = await open({ profiles: [THREE_LEVELS, { ...THREE_LEVELS, name: "twin" }] });
    const { citations } = await library.ask(CARD);
    const [citation] = citations;
    if (citation === undefined) throw new Error("no citation");
    const selection = { documentId: citation.documentId, start: 0, end: citation.end };
    const filters = { document: "cards.md" };
    for (const other of [{ tenant: "alice" }, { profile: "twin" }, { detail: "more" as const }, { selection }, { filters }])
      expect((await library.ask(PARAPHRASE, other)).cacheMode).toBe("miss");
    expect((await library.ask("And what does a library card cost?")).cacheMode).toBe("semantic");
  });

  it("notices at once what another process stored or deleted", async () => {
    const matcher = fakeMatcher((asked, stored) => asked.includes("card") === stored.includes("card"));
    const one = await open({ matcher });
    await one.ask(CARD);
    expect((await one.ask(PARAPHRASE)).cacheMode).toBe("semantic");
    const two = await engineInTest(one.engine.config, { profiles: [THREE_LEVELS], matcher });
    expect((await two.answer(PARAPHRASE)).cacheMode).toBe("semantic");
    await two.store.cache.clear(null);
    expect((await one.ask(PARAPHRASE)).cacheMode).toBe("miss");
    await two.answer("For how long can a study room be reserved?");
    expect((await one.ask("How long is a study room reserved?")).cached?.question).toBe("For how long can a study room be reserved?");
  });
});

describe("the graph cache", () => {
  const graphOnly = { ...THREE_LEVELS, caches: ["exact", "graph"] as const };

  it("finds an answer by topic and entity", async () => {
    const library = await open({ profiles: [graphOnly] });
    await library.ask(CARD);
    const answer = await library.ask("Is there a price for the library card?");
    expect(answer).toMatchObject({ cacheMode: "graph", cached: { question: CARD } });
    expect((await library.ask("How long may films be kept?")).cacheMode).toBe("miss");
    expect((await library.ask("How long may books be kept?")).cacheMode).toBe("miss");
  });

  it("serves an approved answer about the same topic and entity before a closer one of the semantic cache", async () => {
    const library = await open();
    const { id } = await library.ask(CARD);
    expect((await library.engine.explainCache("Is there a price for the library card?")).cacheMode).toBe("semantic");
    await library.engine.memory.review.approve(id, "Ann");
    expect(await library.ask("Is there a price for the library card?")).toMatchObject({ cacheMode: "graph", cached: { question: CARD } });
  });

  it("serves flagged answers only if a setting allows it, at half their relevance, with a warning", async () => {
    for (const [settings, mode, codes] of [
      [{}, "miss", []],
      [{ "cache.serve_flagged": true }, "exact", ["flagged"]],
    ] as const) {
      const library = await open({ settings });
      await library.engine.memory.review.flag((await library.ask(CARD)).id, "Ann");
      const again = await library.ask(CARD);
      expect([again.cacheMode, again.warnings.map(({ code }) => code)]).toEqual([mode, codes]);
      const near = await library.ask("Is there a price for the library card?");
      expect([near.cacheMode === "miss", near.warnings.some(({ code }) => code === "flagged")]).toEqual([mode === "miss", mode !== "miss"]);
    }
  });

  it("rejects an answer about another code or another topic", async () => {
    const library = await open({ profiles: [graphOnly], matcher: fakeMatcher(() => true) });
    await library.ask(CARD);
    const rule = async (question: string) => (await library.engine.explainCache(question)).judged.at(-1)?.rule;
    expect(await rule("Which library card needs form B-12?")).toBe("entity_grounding");
    expect(await rule("What does the library card cost?")).toBe("same");
    const both = "How much does a library card cost to borrow a book?";
    const stored = await library.ask(both);
    if (stored.status === "ok") expect(await rule("Is a library card needed?")).not.toBe("none");
  });
});

describe("engine.explainCache", () => {
  it("names the rule for every stored question, and changes nothing", async () => {
    const library = await open({ matcher: fakeMatcher((asked) => asked === PARAPHRASE) });
    expect(await library.engine.explainCache(CARD)).toMatchObject({
      cacheMode: "miss",
      notAsked: null,
      judged: [{ level: "exact", rule: "none" }],
    });
    await library.ask(CARD);
    expect(await library.engine.explainCache(CARD)).toMatchObject({
      cacheMode: "exact",
      judged: [{ served: true, rule: "same_question" }],
    });
    const explained = await library.engine.explainCache("What price has a library card?");
    expect(explained.cacheMode).toBe("miss");
    expect(explained.judged.map(({ level, rule }) => [level, rule])).toEqual([
      ["exact", "none"],
      ["semantic", "fake"],
      ["graph", "fake"],
    ]);
    expect(await library.engine.explainCache(PARAPHRASE)).toMatchObject({ cacheMode: "semantic" });
    expect(await library.engine.store.cache.count()).toBe(1);
    expect(await library.engine.store.interactions.list("library", 10)).toHaveLength(1);
  });

  it("serves paraphrases only if the pack declares them measured, or the setting is `always`", async () => {
    // The test pack enables paraphrases; the default pack does not.
    for (const [settings, mode] of [
      [{ domain: "documents" }, "miss"],
      [{ domain: "documents", "cache.rewordings": "always" }, "semantic"],
    ] as const) {
      const library = await open({ settings });
      await library.ask(CARD);
      expect((await library.ask(PARAPHRASE)).cacheMode).toBe(mode);
    }
  });

  it("says why the caches are not used, and stores nothing for an emergency", async () => {
    const library = await open({ settings: { "cache.enabled": false } });
    expect((await library.engine.explainCache(CARD)).notAsked).toContain("disabled");
    const other = await open();
    expect((await other.engine.explainCache("I want to kill myself")).notAsked).toContain("emergencies");
    await other.ask("I want to kill myself over a library card: what does it cost?");
    expect(await other.engine.store.cache.count()).toBe(0);
  });
});

describe("engine.refresh", () => {
  it("reads every source again, rebuilds the index and deletes stale cached answers", async () => {
    const library = await open({ matcher: fakeMatcher(() => false) });
    await library.ask(CARD);
    await library.ask("How long may books be kept?");
    rewrite(library, {
      "cards.md": "# Library cards\n\nA library card costs 6 dollars per year.\n",
      "new.md": "# Scanner\n\nThe scanner costs 1 dollar per page.\n",
    });
    const result = await library.engine.refresh();
    expect(result).toMatchObject({
      status: "ok",
      domain: "library",
      sources: [{ source: "documents", tenant: null, counts: { added: 1, changed: 1, unchanged: 3 }, failure: null }],
      documents: 5,
      cache: { before: 2 },
    });
    expect(result.cache.after).toBeLessThan(2);
    expect(result.windows).toBe(library.engine.corpus("library").windows);
    expect(text(await library.ask(CARD))).toContain("6 dollars");
    expect(text(await library.ask("What does the scanner cost per page?"))).toContain("1 dollar");
  });

  it("runs once for simultaneous calls, while questions are answered", async () => {
    const library = await open();
    const [one, two, answer] = await Promise.all([library.engine.refresh(), library.engine.refresh("library"), library.ask(CARD)]);
    expect(two).toBe(one);
    expect(text(answer)).toContain("5 dollars");
    expect(await library.engine.refresh()).not.toBe(one);
  });

  it("keeps documents of an unreadable source, and reports the failure", async () => {
    const library = await open();
    rmSync(join(library.sandbox.folder, "documents"), { recursive: true });
    expect(await library.engine.refresh()).toMatchObject({
      status: "partly",
      sources: [{ counts: null, failure: { code: expect.any(String) } }],
      documents: 4,
    });
    expect(text(await library.ask(CARD))).toContain("5 dollars");
  });
});
