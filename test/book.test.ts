import { describe, expect, it } from "vitest";
import { REFUSAL_TEXTS } from "../src/pipeline/refuse.ts";
import { book } from "../src/profiles/book.ts";
import { ask, near, open, texts, using } from "./support/model-engine.ts";

const NAMED = "Queequeg is a harpooner from an island far away.";
const TOLD = "He sells shrunken heads in the streets of New Bedford.";
const PAGE_TWO = "The captain of the ship is called Ahab.";
const WHALE = {
  "whale.md": `# The Whale\n\n## Chapter 3. The Inn\n\n### The stranger\n\nThe inn is dark and cold. ${NAMED} ${TOLD}\n\f\n## Chapter 16. The Ship\n\n### The captain\n\n${PAGE_TWO} Nobody sees him for days.\n`,
};
const WHO = "Who is Queequeg?";

/** Returns the book's id and a function that finds offsets in its text. */
async function bookIn(engine: Parameters<typeof ask>[0]) {
  const scope = { domain: "veterans", tenant: null, access: engine.config.access };
  const [documentId] = [...(await engine.store.documents.heads("veterans")).keys()] as [string];
  const text = (await engine.store.documents.load(scope, [documentId])).get(documentId)?.text ?? "";
  return { documentId, at: (part: string) => text.indexOf(part) };
}
const quoting = () => open({ chat: [{ type: "status", status: 500 }] }, { encoder: near() }, WHALE);

describe("a selection under book", () => {
  it("shorter than a chunk finds its passage, cut to whole sentences", () =>
    using(quoting(), async ({ engine }) => {
      const { documentId, at } = await bookIn(engine);
      const selection = { documentId, start: at(NAMED) - 8, end: at(TOLD) + 20 };
      const { answer } = await ask(engine, WHO, { profile: "book", selection });
      expect(texts(answer)).toEqual([NAMED]);
      expect(answer.evidence.map(({ passage }) => passage.text)).toEqual([NAMED]);
    }));

  it("without a whole sentence is refused", () =>
    using(quoting(), async ({ engine }) => {
      const { documentId, at } = await bookIn(engine);
      const selection = { documentId, start: at(NAMED) + 3, end: at(NAMED) + 20 };
      const { answer } = await ask(engine, WHO, { profile: "book", selection });
      expect(answer).toMatchObject({
        status: "insufficient_context",
        refusal: { reason: "nothing_relevant", message: REFUSAL_TEXTS.nothingWithin('the selected text of "The Whale"') },
      });
    }));

  it("by chapter, section or page quotes nothing from outside", () =>
    using(quoting(), async ({ engine }) => {
      const answerIn = async (filters: Record<string, unknown>) =>
        (await ask(engine, "Who is the captain called Ahab?", { profile: "book", filters })).answer;
      for (const filters of [{ chapter: "Chapter 16. The Ship" }, { section: "The captain" }, { pages: { first: 2, last: 2 } }]) {
        const answer = await answerIn(filters);
        expect(texts(answer)).toContain(PAGE_TWO);
        expect(texts(answer).join(" ")).not.toContain("Queequeg");
      }
    }));
});

describe("a citation under book", () => {
  it("carries chapter, section and page", () =>
    using(quoting(), async ({ engine }) => {
      const { answer } = await ask(engine, "Who is the captain called Ahab?", { profile: "book" });
      const cited = answer.citations.find(({ quote }) => quote === PAGE_TWO);
      expect(cited).toMatchObject({ headingPath: ["The Whale", "Chapter 16. The Ship", "The captain"], page: 2 });
    }));
});

describe("refusals of book", () => {
  it("say that nothing about the topic was found below .7, never that the book lacks it", () =>
    using(open({}, { encoder: near(0.69) }, WHALE), async ({ engine, endpoint }) => {
      const { answer } = await ask(engine, WHO, { profile: "book" });
      expect(answer.refusal).toMatchObject({ reason: "nothing_relevant", message: book.write.refusal });
      expect(book.write.refusal).toMatch(/found nothing about this topic/);
      expect(endpoint.chats).toEqual([]);
    }));
});
