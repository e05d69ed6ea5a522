import { create, insertMultiple, search } from "@orama/orama";

const tokenizer = { language: "english", normalizationCache: new Map(), tokenize: (text) => text.split(" ") };

export const peer = {
  name: "Orama",
  package: "@orama/orama",
  async words(passages) {
    const store = create({ schema: { text: "string" }, components: { tokenizer } });
    await insertMultiple(
      store,
      passages.map((tokens, id) => ({ id: String(id), text: tokens.join(" ") })),
    );
    return async (query, k) => (await search(store, { term: query.join(" "), limit: k })).hits.map(({ id }) => Number(id));
  },
};
