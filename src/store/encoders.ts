import type { Kysely } from "kysely";
import { z } from "zod";
import { type Given, prepare } from "./prepared.ts";
import type { Database } from "./schema.ts";

const recordSchema = z.object({
  /** Encoder whose index is complete and serves. */
  id: z.string(),
  /** How it is opened again; holds no key. */
  spec: z.unknown(),
  /** The configured encoder at the time of the choice: when the configuration changes, it wins over an older choice. */
  configured: z.string(),
});

export type ActiveEncoder = z.infer<typeof recordSchema>;

/** Which encoder serves each domain. */
export interface EncoderStore {
  active(domain: string): Promise<ActiveEncoder | null>;
  activate(domain: string, encoder: ActiveEncoder): Promise<void>;
}

/** @param generation of the store: every question asks for its encoder, which is read again only when anything has changed */
export function createEncoderStore(db: Kysely<Database>, generation: () => number | null): EncoderStore {
  const query = prepare((given: Given<{ key: string }>) => db.selectFrom("meta").select("value").where("key", "=", given("key")));
  const read = async (domain: string): Promise<ActiveEncoder | null> => {
    const [row] = await query(db, { key: keyOf(domain) });
    return row === undefined ? null : recordSchema.parse(JSON.parse(row.value));
  };
  const known = new Map<string, { readonly generation: number; readonly active: ActiveEncoder | null }>();
  return {
    async active(domain) {
      const now = generation();
      const before = known.get(domain);
      if (before !== undefined && before.generation === now) return before.active;
      const active = await read(domain);
      if (now !== null) known.set(domain, { generation: now, active });
      return active;
    },
    async activate(domain, encoder) {
      const value = JSON.stringify(encoder);
      await db
        .insertInto("meta")
        .values({ key: keyOf(domain), value })
        .onConflict((c) => c.column("key").doUpdateSet({ value }))
        .execute();
    },
  };
}

function keyOf(domain: string): string {
  return `encoder:${domain}`;
}
