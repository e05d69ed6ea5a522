import { SimpleVectorStore, TextNode, VectorStoreQueryMode } from "llamaindex";

export const peer = {
  name: "LlamaIndex.TS",
  package: "llamaindex",
  async vectors(rows) {
    const store = new SimpleVectorStore({ embedModel: {} });
    await store.add(rows.map((row, id) => new TextNode({ id_: String(id), embedding: [...row] })));
    return async (query, k) => {
      const request = { queryEmbedding: [...query], similarityTopK: k, mode: VectorStoreQueryMode.DEFAULT };
      return (await store.query(request)).ids.map(Number);
    };
  },
};
