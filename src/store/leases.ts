import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Leases for work that only one process of an installation does at a time. A lease that is not renewed expires. */
export function createLeaseStore(db: Kysely<Database>, now: () => Date) {
  const keyOf = (name: string) => `lease:${name}`;
  return {
    /** Takes a free lease or renews the holder's own. Returns `false` while another holder has it. */
    async take(name: string, holder: string, ms: number): Promise<boolean> {
      const at = now();
      // ISO times sort as text, so the value compares by its end.
      const value = `${new Date(at.getTime() + ms).toISOString()} ${holder}`;
      const { numInsertedOrUpdatedRows: taken = 0n } = await db
        .insertInto("meta")
        .values({ key: keyOf(name), value })
        .onConflict((c) =>
          c
            .column("key")
            .doUpdateSet({ value })
            .where((eb) => eb.or([eb("meta.value", "<", at.toISOString()), eb("meta.value", "like", `% ${holder}`)])),
        )
        .executeTakeFirstOrThrow();
      return taken > 0n;
    },
    async release(name: string, holder: string): Promise<void> {
      await db.deleteFrom("meta").where("key", "=", keyOf(name)).where("value", "like", `% ${holder}`).execute();
    },
  };
}
