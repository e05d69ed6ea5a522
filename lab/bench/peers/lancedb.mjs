import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";

export const peer = {
  name: "LanceDB flat",
  package: "@lancedb/lancedb",
  async vectors(rows) {
    const db = await connect(mkdtempSync(join(tmpdir(), "sourcebound-lancedb-")));
    const table = await db.createTable(
      "rows",
      rows.map((row, id) => ({ id, vector: [...row] })),
    );
    return async (query, k) =>
      (
        await table
          .vectorSearch([...query])
          .distanceType("dot")
          .select(["id"])
          .limit(k)
          .toArray()
      ).map(({ id }) => Number(id));
  },
};
