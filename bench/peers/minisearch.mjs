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
};
