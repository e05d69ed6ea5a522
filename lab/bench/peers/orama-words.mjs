import { create, insertMultiple, search } from "@orama/orama";
import { stopwords } from "@orama/stopwords/english";

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
  /** As its documentation advises for English: its own tokens, stemmed, without stop words; the scope as a filter on an enum. Defaults for the rest (BM25, any word). */
  async documents(rows) {
    const store = create({
      schema: { title: "string", text: "string", scope: "enum" },
      components: { tokenizer: { language: "english", stemming: true, stopWords: stopwords } },
    });
    await insertMultiple(
      store,
      rows.map(({ title, text, scope }, id) => ({ id: String(id), title, text, scope: scope ?? "" })),
    );
    return async ({ text, scope }, k) => {
      const where = scope === null ? {} : { where: { scope: { eq: scope } } };
      const request = { term: text, properties: ["title", "text"], limit: k, ...where };
      return (await search(store, request)).hits.map(({ id }) => Number(id));
    };
  },
};
