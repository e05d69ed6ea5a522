import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalIndex } from "vectra";

export const peer = {
  name: "vectra",
  package: "vectra",
  async vectors(rows) {
    const index = new LocalIndex(mkdtempSync(join(tmpdir(), "sourcebound-vectra-")));
    await index.createIndex({ version: 1, deleteIfExists: true });
    await index.batchInsertItems(rows.map((row, id) => ({ id: String(id), vector: [...row], metadata: {} })));
    return async (query, k) => (await index.queryItems([...query], "", k)).map(({ item }) => Number(item.id));
  },
};
