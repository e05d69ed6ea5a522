import type { Transaction } from "kysely";
import type { Database } from "./schema.ts";

/** Are all documents there, in these versions? They stay so until the transaction ends. @param versions by id */
export async function areCurrent(trx: Transaction<Database>, versions: ReadonlyMap<string, string>): Promise<boolean> {
  if (versions.size === 0) return true;
  const rows = await trx
    .selectFrom("documents")
    .select(["id", "version"])
    .where("id", "in", [...versions.keys()])
    .orderBy("id")
    .forShare()
    .execute();
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  return [...versions].every(([id, version]) => current.get(id) === version);
}
