import MiniSearch from "minisearch";

export const peer = {
  name: "MiniSearch",
  package: "minisearch",
  /** As in the first example of its documentation: two fields, otherwise defaults (BM25+, any word of the question, no stemming). */
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
