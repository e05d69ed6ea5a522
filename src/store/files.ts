import { type Kysely, sql, type Transaction } from "kysely";
import type { Reading, Scope } from "../shared/types.ts";
import { renamedPath } from "../text/paths.ts";
import { keepVersions } from "./corpus-log.ts";
import { type KnownDocument, placeOf, type SourcePlace } from "./document-records.ts";
import { documentsOfFile, documentsSeen, tenantsOf } from "./document-rows.ts";
import type { Database } from "./schema.ts";

/** Ids of a source's documents with their paths. */
export async function listIdentities(db: Kysely<Database>, place: SourcePlace): Promise<KnownDocument[]> {
  return await db
    .selectFrom("documents")
    .select(["id", "file", "path"])
    .where(({ and }) => and(placeOf(place)))
    .execute();
}

/** A file and its documents go on under another path, with their ids. */
export async function renameFile(
  trx: Transaction<Database>,
  place: SourcePlace,
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: string },
): Promise<void> {
  const rows = await trx
    .selectFrom("documents")
    .select(["id", "path"])
    .where(({ and }) => and({ ...placeOf(place), file: from }))
    .execute();
  // Under its new name a document has another version: answers that rest on the old one name the old path.
  await keepVersions(
    trx,
    rows.map(({ id }) => id),
    place.domain,
  );
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
    .where(({ and }) => and({ ...placeOf(place), path: from }))
    .execute();
}

/**
 * Files and documents that `scope` may see, by path. A file is seen by whoever holds the label that it came with and may see a document of it, if it holds
 * any; one of which nothing was ever read has no other label than that.
 */
export async function describeFiles(db: Kysely<Database>, scope: Scope) {
  const files = await db
    .selectFrom("files")
    .select(["tenant", "source", "path", "status", "reason", "updatedAt"])
    .where("domain", "=", scope.domain)
    .where("tenant", "in", tenantsOf(scope))
    .where("access", "in", scope.access)
    .where((eb) =>
      eb.or([eb.not(eb.exists(documentsOfFile(eb))), eb.exists(documentsOfFile(eb).where("documents.access", "in", scope.access))]),
    )
    .orderBy("path")
    .orderBy("source")
    .execute();
  const documents = await documentsSeen(db, scope)
    .select(["id", "tenant", "source", "file", "path", "title", "version", "pages", "reading"])
    .select((eb) => [
      eb.fn<number>("length", ["text"]).as("characters"),
      eb.selectFrom("chunks").whereRef("chunks.documentId", "=", "documents.id").select(sql<number>`count(*)`.as("n")).as("chunks"),
    ])
    .orderBy("path")
    .execute();
  const byFile = Map.groupBy(documents, ({ tenant, source, file }) => JSON.stringify([tenant, source, file]));
  return files.map((file) => ({
    ...{ ...file, tenant: file.tenant === "" ? null : file.tenant },
    documents: (byFile.get(JSON.stringify([file.tenant, file.source, file.path])) ?? []).map(
      ({ id, path, title, version, pages, reading, characters, chunks }) => {
        const count = pages === null ? null : (JSON.parse(pages) as unknown[]).length;
        const { format = null, encoding = null, notices = [] } = reading === null ? {} : (JSON.parse(reading) as Reading);
        return {
          ...{ id, path, title, version, pages: count, format, encoding, notices },
          ...{ characters: Number(characters), chunks: Number(chunks) },
        };
      },
    ),
  }));
}

/** A file as it is listed for people. */
export type FileDescription = Awaited<ReturnType<typeof describeFiles>>[number];
