import { type Kysely, sql, type Transaction } from "kysely";
import { renamedPath } from "../text/document-path.ts";
import type { Reading, Scope } from "../types.ts";
import { isRecorded, keepVersions } from "./corpus-log.ts";
import type { DocumentDescription, FileDescription, FilePlace, KnownDocument } from "./document-records.ts";
import { documentsOfFile, readDocumentRows } from "./document-rows.ts";
import type { Database } from "./schema.ts";

type SourcePlace = Omit<FilePlace, "path">;

/** Ids of a source's documents with their paths. */
export async function listIdentities(db: Kysely<Database>, { domain, tenant, source }: SourcePlace): Promise<KnownDocument[]> {
  return await db
    .selectFrom("documents")
    .select(["id", "file", "path"])
    .where("domain", "=", domain)
    .where("tenant", "=", tenant ?? "")
    .where("source", "=", source)
    .execute();
}

/** A file and its documents go on under another path, with their ids. */
export async function renameFile(
  trx: Transaction<Database>,
  { domain, tenant, source }: SourcePlace,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: string },
): Promise<void> {
  const rows = await trx
    .selectFrom("documents")
    .select(["id", "path"])
    .where("domain", "=", domain)
    .where("tenant", "=", tenant ?? "")
    .where("source", "=", source)
    .where("file", "=", from)
    .execute();
  // Under its new name a document has another version: answers that rest on the old one name the old path.
  if (rows.length > 0 && (await isRecorded(trx, domain))) {
    const ids = rows.map(({ id }) => id);
    await keepVersions(trx, await readDocumentRows(trx, ids), domain);
  }
  for (const { id, path } of rows) {
    await trx
      .updateTable("documents")
      .set({ file: to, path: renamedPath(path, from, to), updatedAt: at })
      .where("id", "=", id)
      .execute();
  }
  await trx
    .updateTable("files")
    .set({ path: to, updatedAt: at })
    .where("domain", "=", domain)
    .where("tenant", "=", tenant ?? "")
    .where("source", "=", source)
    .where("path", "=", from)
    .execute();
}

/**
 * Files and documents that `scope` may see, by path. A file is seen by whoever holds the label that it came with and may see a document of it, if it holds
 * any; one of which nothing was ever read has no other label than that.
 */
export async function describeFiles(db: Kysely<Database>, scope: Scope): Promise<FileDescription[]> {
  const tenants = scope.tenant === null ? [""] : ["", scope.tenant];
  const files = await db
    .selectFrom("files")
    .select(["tenant", "source", "path", "status", "reason", "updatedAt"])
    .where("domain", "=", scope.domain)
    .where("tenant", "in", tenants)
    .where("access", "in", scope.access)
    .where((eb) =>
      eb.or([eb.not(eb.exists(documentsOfFile(eb))), eb.exists(documentsOfFile(eb).where("documents.access", "in", scope.access))]),
    )
    .orderBy("path")
    .orderBy("source")
    .execute();
  const documents = await db
    .selectFrom("documents")
    .select(["id", "tenant", "source", "file", "path", "title", "version", "pages", "reading"])
    .select((eb) => [
      eb.fn<number>("length", ["text"]).as("characters"),
      eb.selectFrom("chunks").whereRef("chunks.documentId", "=", "documents.id").select(sql<number>`count(*)`.as("n")).as("chunks"),
    ])
    .where("domain", "=", scope.domain)
    .where("tenant", "in", tenants)
    .where("access", "in", scope.access)
    .orderBy("path")
    .execute();
  const byFile = new Map<string, DocumentDescription[]>();
  for (const { id, tenant, source, file, path, title, version, pages, reading, characters, chunks } of documents) {
    const { format = null, encoding = null, notices = [] } = reading === null ? {} : (JSON.parse(reading) as Reading);
    const key = JSON.stringify([tenant, source, file]);
    const list = byFile.get(key) ?? [];
    byFile.set(key, list);
    const count = pages === null ? null : (JSON.parse(pages) as unknown[]).length;
    list.push({
      id,
      path,
      title,
      version,
      characters: Number(characters),
      chunks: Number(chunks),
      pages: count,
      format,
      encoding,
      notices,
    });
  }
  return files.map(({ tenant, source, path, status, reason, updatedAt }) => ({
    ...{ tenant: tenant === "" ? null : tenant, source, path, status, reason, updatedAt },
    documents: byFile.get(JSON.stringify([tenant, source, path])) ?? [],
  }));
}
