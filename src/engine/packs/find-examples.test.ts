import { describe, expect, it } from "vitest";
import type { DocumentStore } from "../../store/documents.ts";
import { createExampleFinder } from "./example-questions.ts";

const SCOPE = { domain: "d", tenant: null, access: ["public"] };

/** A store of documents with these headings and texts; `loaded` names every document that was read whole. */
function storeOf(documents: readonly { readonly title: string; readonly headings?: readonly string[]; readonly text: string }[]) {
  const loaded: string[] = [];
  const store = {
    outlines: async () =>
      documents.map(({ title, headings = [] }) => ({
        ...{ id: title, version: "1", path: title, title, pages: null },
        headings: headings.map((text) => ({ start: 0, level: 2, text })),
      })),
    load: async (_scope: unknown, ids: readonly string[]) => {
      loaded.push(...ids);
      return new Map(
        documents
          .filter(({ title }) => ids.includes(title))
          .map(({ title, text }) => [
            title,
            { id: title, version: "1", text, blocks: [{ type: "paragraph", start: 0, end: text.length }] },
          ]),
      );
    },
  } as unknown as Pick<DocumentStore, "outlines" | "load">;
  return { loaded, find: createExampleFinder(store) };
}

describe("questions to try of stored documents", () => {
  const plain = { title: "hut", text: "Sleeping bags are required. Dinner is served at six. Tap water is not safe." };

  it("are of what sentences say where there are no headings, read once", async () => {
    const { find, loaded } = storeOf([plain]);
    const questions = ["What about sleeping bags?", "What about tap water?", "What about dinner?"];
    expect([await find(SCOPE), await find(SCOPE)]).toEqual([questions, questions]);
    expect(loaded).toEqual(["hut"]);
  });

  it("read no text where headings are enough, nor of documents that have some", async () => {
    const headed = { title: "Cards", headings: ["Cost", "Loss"], text: "Library cards are blue." };
    const enough = storeOf([{ ...headed, headings: ["Cost", "Loss", "Renewal"] }, plain]);
    expect(await enough.find(SCOPE)).toEqual(["Cards: Cost?", "Cards: Loss?", "Cards: Renewal?"]);
    expect(enough.loaded).toEqual([]);
    const few = storeOf([headed, plain]);
    expect(await few.find(SCOPE)).toEqual(["Cards: Cost?", "Cards: Loss?", "What about sleeping bags?"]);
    expect(few.loaded).toEqual(["hut"]);
  });

  it("are of the title where no sentence names a thing, and then fewer", async () => {
    expect(await storeOf([{ title: "Odd", text: "It is. Nobody may." }]).find(SCOPE)).toEqual(["What about Odd?"]);
    expect(await storeOf([{ title: "Even", text: "Rye loaves are better." }]).find(SCOPE)).toEqual(["What about rye loaves?"]);
  });
});
