import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { FakeEmbeddings } from "@langchain/core/utils/testing";

export const peer = {
  name: "LangChain.js memory store",
  package: "@langchain/classic",
  async vectors(rows) {
    const store = new MemoryVectorStore(new FakeEmbeddings());
    await store.addVectors(
      rows.map((row) => [...row]),
      rows.map((_, id) => ({ pageContent: "", metadata: { id } })),
    );
    return async (query, k) => (await store.similaritySearchVectorWithScore([...query], k)).map(([{ metadata }]) => metadata.id);
  },
};
