import type { Kysely } from "kysely";

/** Budgets of keys and what was spent of them, responses that are kept for a second try, and which variant of an experiment answered what. */
export async function addService({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("api_keys").addColumn("tokens_per_day", "integer").execute();
  await schema.alterTable("api_keys").addColumn("usd_per_day", "real").execute();
  await schema
    .createTable("usage")
    .addColumn("caller", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("answers", "integer", (c) => c.notNull())
    .addColumn("tokens", "integer", (c) => c.notNull())
    .addColumn("cost_usd", "real", (c) => c.notNull())
    .addPrimaryKeyConstraint("usage_key", ["caller", "day"])
    .execute();
  await schema
    .createTable("idempotency")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("fingerprint", "text", (c) => c.notNull())
    .addColumn("response", "text")
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("expires_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("idempotency_expiry").on("idempotency").column("expires_at").execute();
  await schema
    .createTable("exposures")
    .addColumn("answer_id", "text", (c) => c.primaryKey())
    .addColumn("experiment", "text", (c) => c.notNull())
    .addColumn("variant", "text", (c) => c.notNull())
    .addColumn("session", "text", (c) => c.notNull())
    .addColumn("answered", "integer", (c) => c.notNull())
    .addColumn("warned", "integer", (c) => c.notNull())
    .addColumn("cached", "integer", (c) => c.notNull())
    .addColumn("latency_ms", "real", (c) => c.notNull())
    .addColumn("tokens", "integer", (c) => c.notNull())
    .addColumn("cost_usd", "real", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("exposures_experiment").on("exposures").columns(["experiment", "created_at"]).execute();
}
