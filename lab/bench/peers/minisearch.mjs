import MiniSearch from "minisearch";

export const peer = {
  name: "MiniSearch",
  package: "minisearch",
  async words(passages) {
    const index = new MiniSearch({ fields: ["text"], tokenize: (text) => text.split(" "), processTerm: (term) => term });
    index.addAll(passages.map((tokens, id) => ({ id, text: tokens.join(" ") })));
    return async (query, k) =>
      index
        .search(query.join(" "))
        .slice(0, k)
        .map(({ id }) => id);
  },
  /** As its documentation begins: two fields, defaults for the rest (BM25+, any word of the question, no stemming). */
  async documents(rows) {
    const index = new MiniSearch({ fields: ["title", "text"], storeFields: ["scope"] });
    index.addAll(rows.map(({ title, text, scope }, id) => ({ id, title, text, scope })));
    return async ({ text, scope }, k) =>
      index
        .search(text, scope === null ? {} : { filter: (result) => result.scope === scope })
        .slice(0, k)
        .map(({ id }) => id);
  },
};
