import createIndex from "wink-bm25-text-search";

export const peer = {
  name: "wink-bm25-text-search",
  package: "wink-bm25-text-search",
  async words(passages) {
    const index = createIndex();
    index.defineConfig({ fldWeights: { text: 1 } });
    index.definePrepTasks([(text) => text.split(" ")]);
    for (const [id, tokens] of passages.entries()) index.addDoc({ text: tokens.join(" ") }, String(id));
    index.consolidate();
    return async (query, k) => index.search(query.join(" "), k).map(([id]) => Number(id));
  },
};
