import { create, insertMultiple, search } from "@orama/orama";
import { stopwords } from "@orama/stopwords/english";

export const peer = {
  name: "Orama",
  package: "@orama/orama",
  /** As recommended for English: its own tokenizer with stemming and stop words, scope as an enum filter, otherwise defaults (BM25). */
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
