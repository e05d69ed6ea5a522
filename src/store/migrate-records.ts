import { type Kysely, sql } from "kysely";

/** What answers were made from, and which documents each revision held. The log of an older database begins with what it holds now. */
export async function createRecordTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("corpus_log")
    .addColumn("seq", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("original_hash", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("corpus_log_domain").on("corpus_log").columns(["domain", "revision"]).execute();
  await schema.createIndex("corpus_log_document").on("corpus_log").columns(["document_id", "seq"]).execute();
  await schema
    .createTable("document_versions")
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("file", "text", (c) => c.notNull())
    .addColumn("body", "blob", (c) => c.notNull())
    .addPrimaryKeyConstraint("document_versions_key", ["document_id", "version"])
    .execute();
  await schema
    .createTable("record_settings")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .addColumn("body", "blob", (c) => c.notNull())
    .execute();
  await schema
    .createTable("records")
    .addColumn("interaction_id", "text", (c) => c.primaryKey().references("interactions.id").onDelete("cascade"))
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    .addColumn("settings", "text", (c) => c.notNull().references("record_settings.hash"))
    .addColumn("body", "blob", (c) => c.notNull())
    .execute();
  await schema.createIndex("records_domain").on("records").columns(["domain", "revision"]).execute();
  await schema.createIndex("records_settings").on("records").column("settings").execute();
  await sql`insert into corpus_log (domain, tenant, revision, document_id, version, original_hash)
    select documents.domain, documents.tenant, coalesce(revisions.revision, 0), documents.id, documents.version, documents.original_hash
    from documents left join revisions on revisions.domain = documents.domain order by documents.id`.execute(db);
}
