import { createRequire } from "node:module";

const hnswlib = createRequire(import.meta.url)("hnswlib-node");

export const peer = {
  name: "hnswlib-node (HNSW)",
  package: "hnswlib-node",
  async vectors(rows) {
    const index = new hnswlib.HierarchicalNSW("ip", rows[0].length);
    index.initIndex(rows.length, 16, 100, 100);
    for (const [id, row] of rows.entries()) index.addPoint([...row], id);
    index.setEf(100);
    return async (query, k) => index.searchKnn([...query], k).neighbors;
  },
};
