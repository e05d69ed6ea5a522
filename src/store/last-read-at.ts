import type { ExpressionBuilder } from "kysely";
import type { Database } from "./schema.ts";

/** The documents of a file. */
export function documentsOfFile(eb: ExpressionBuilder<Database, "files">) {
  return eb
    .selectFrom("documents")
    .select("documents.id")
    .whereRef("documents.domain", "=", "files.domain")
    .whereRef("documents.tenant", "=", "files.tenant")
    .whereRef("documents.source", "=", "files.source")
    .whereRef("documents.file", "=", "files.path");
}

/** Of a file: when the last of the documents that it holds was read; null where it holds none. */
export function lastReadAt(eb: ExpressionBuilder<Database, "files">) {
  return documentsOfFile(eb)
    .clearSelect()
    .select(({ fn }) => fn.max("documents.updated_at").as("read_at"));
}
