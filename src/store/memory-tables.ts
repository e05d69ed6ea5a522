import type { Kysely } from "kysely";

/**
 * Tables of the cache and of its graph. The cache's first tables are made anew: what they held lacks the columns by which it could be found, and can be
 * answered again.
 */
export async function createMemoryTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const tables = ["question_sources", "question_entities", "question_topics", "sources", "entities", "topics", "cache_documents"];
  for (const table of [...tables, "cache_entries", "origins"]) await schema.dropTable(table).ifExists().execute();
  await schema
    .createTable("cache_entries")
    .addColumn("seq", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("key", "text", (c) => c.notNull().unique())
    .addColumn("scope", "text", (c) => c.notNull())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("profile", "text", (c) => c.notNull())
    .addColumn("language", "text", (c) => c.notNull())
    .addColumn("detail", "text", (c) => c.notNull())
    .addColumn("encoder", "text", (c) => c.notNull())
    .addColumn("config_hash", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("interaction_id", "text", (c) => c.references("interactions.id").onDelete("cascade"))
    .addColumn("question", "text")
    .addColumn("slots", "text")
    .addColumn("vector_model", "text")
    .addColumn("vector", "blob")
    .addColumn("retrieved", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("expires_at", "text", (c) => c.notNull())
    .addColumn("used_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("cache_entries_used").on("cache_entries").column("used_at").execute();
  await schema.createIndex("cache_entries_interaction").on("cache_entries").column("interaction_id").execute();
  await schema
    .createTable("cache_documents")
    .addColumn("key", "text", (c) => c.notNull().references("cache_entries.key").onDelete("cascade"))
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("passages", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("cache_documents_key", ["key", "document_id"])
    .execute();
  await schema.createIndex("cache_documents_document").on("cache_documents").column("document_id").execute();
  await createGraphTables(db);
  await schema
    .createTable("origins")
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("folder", "text", (c) => c.notNull())
    .addColumn("root", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("base_url", "text")
    .addColumn("updated_at", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("origins_key", ["domain", "tenant", "source"])
    .execute();
}

/** Topics, entities, sources and what joins questions to them (`seven-layer` source, listing 8). */
async function createGraphTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("topics")
    .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("slug", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("keywords", "text", (c) => c.notNull())
    .addUniqueConstraint("topics_slug", ["domain", "slug"])
    .execute();
  await schema
    .createTable("entities")
    .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addUniqueConstraint("entities_value", ["domain", "type", "value"])
    .execute();
  await schema
    .createTable("sources")
    .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("document_id", "text", (c) => c.notNull().unique().references("documents.id").onDelete("cascade"))
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("url", "text")
    .addColumn("title", "text")
    .execute();
  for (const { table, node, nodes } of [
    { table: "question_topics", node: "topic_id", nodes: "topics.id" },
    { table: "question_entities", node: "entity_id", nodes: "entities.id" },
    { table: "question_sources", node: "source_id", nodes: "sources.id" },
  ]) {
    await schema
      .createTable(table)
      .addColumn("question_key", "text", (c) => c.notNull().references("cache_entries.key").onDelete("cascade"))
      .addColumn(node, "integer", (c) => c.notNull().references(nodes).onDelete("cascade"))
      .addPrimaryKeyConstraint(`${table}_key`, ["question_key", node] as never)
      .execute();
    await schema.createIndex(`${table}_node`).on(table).column(node).execute();
  }
}
