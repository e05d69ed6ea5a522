import { type Kysely, sql } from "kysely";
import { isPostgres } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** What people wrote and what was made of it, by table. No query is planned by these columns. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  documents: ["title", "description", "url", "text", "blocks", "units", "source_map", "outline", "pages"],
  chunks: ["heading_path", "windows"],
  document_versions: ["body"],
  answer_contents: ["body"],
  interactions: ["question", "answer", "reason", "reviewed_by", "topics"],
  curated: ["question", "answer", "created_by"],
  feedback: ["reason"],
  audit_log: ["actor", "details"],
  reports: ["report"],
  cache_entries: ["question", "slots", "vector", "retrieved", "answer"],
  cache_documents: ["passages"],
  entities: ["value"],
  sources: ["url", "title"],
  records: ["body"],
  record_settings: ["body"],
  idempotency: ["response"],
  session_turns: ["question", "answer", "citations", "shown"],
  embeddings: ["vector"],
  jobs: ["work", "reason"],
  originals: ["bytes"],
};

/**
 * PostgreSQL copies frequent values of every column into its statistics, where they outlive their rows: those of a table that was emptied are never made anew. Of what
 * people wrote it keeps none; giving a column the type that it has drops what was kept before.
 */
export async function keepNoStatistics(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db as Kysely<Database>)) return;
  for (const [table, columns] of Object.entries(WRITTEN)) {
    const { rows } = await sql<{ name: string; isText: boolean }>`
      select attname as name, atttypid = 'text'::regtype as "isText" from pg_attribute
      where attrelid = ${table}::regclass and attname in (${sql.join(columns)})`.execute(db);
    const changes = rows.flatMap(({ name, isText }) => [
      sql`alter column ${sql.ref(name)} type ${sql.raw(isText ? 'text collate "C"' : "bytea")}`,
      sql`alter column ${sql.ref(name)} set statistics 0`,
    ]);
    await sql`alter table ${sql.table(table)} ${sql.join(changes)}`.execute(db);
  }
}
