import type { Transaction } from "kysely";
import { outlineOf } from "../text/outline.ts";
import type { StoredDocument } from "../types.ts";
import { dropVersions, isRecorded, keepVersions, logChange } from "./corpus-log.ts";
import { dropDependents } from "./dependents.ts";
import { announceChange } from "./dialect.ts";
import type { FileContent, FilePlace, FilePut, PutOutcome } from "./document-records.ts";
import { renameFile } from "./files.ts";
import { inParts } from "./id-parts.ts";
import { readDocumentRows } from "./read-documents.ts";
import type { Database } from "./schema.ts";

/** Rows of one statement: to prepare one for each takes longer than to store it, and a statement has a limit of values. */
const ROWS_AT_ONCE = 200;

export async function replaceFiles(trx: Transaction<Database>, files: readonly FilePut[], at: string): Promise<PutOutcome[]> {
  const outcomes: PutOutcome[] = [];
  for (const { place, content, renamedFrom } of files) {
    if (renamedFrom !== undefined) await renameFile(trx, place, { from: renamedFrom, to: place.path, at });
    outcomes.push(await replaceFile(trx, place, content, at));
  }
  return outcomes;
}

export async function replaceFile(trx: Transaction<Database>, place: FilePlace, content: FileContent, at: string): Promise<PutOutcome> {
  const { domain, source, path } = place;
  const tenant = place.tenant ?? "";
  const before = await trx
    .selectFrom("documents")
    .select(["id", "version"])
    .where("domain", "=", domain)
    .where("tenant", "=", tenant)
    .where("source", "=", source)
    .where("file", "=", path)
    .orderBy("id")
    .forUpdate()
    .execute();
  const oldVersions = new Map(before.map(({ id, version }) => [id, version]));
  const newIds = new Set(content.documents.map(({ id }) => id));
  const gone = before.filter(({ id }) => !newIds.has(id)).map(({ id }) => id);
  const changed = content.documents.filter((doc) => oldVersions.has(doc.id) && oldVersions.get(doc.id) !== doc.version);
  const added = content.documents.filter((doc) => !oldVersions.has(doc.id));
  const out = [...gone, ...changed.map(({ id }) => id)];
  await dropDependents(trx, gone, changed, at);
  if (changed.length > 0 && (await isRecorded(trx, domain))) {
    const ids = changed.map(({ id }) => id);
    await keepVersions(trx, await readDocumentRows(trx, ids), domain);
  }
  await dropVersions(trx, gone);
  await removeDocuments(trx, out);
  for (const document of [...changed, ...added]) await insertDocument(trx, document, path, at);
  await trx
    .insertInto("files")
    .values({
      domain,
      tenant,
      source,
      path,
      access: content.access,
      original_hash: content.originalHash,
      settings: content.settings,
      status: content.failure === null ? "ok" : "failed",
      reason: content.failure,
      updated_at: at,
    })
    .onConflict((c) =>
      c.columns(["domain", "tenant", "source", "path"]).doUpdateSet((eb) => ({
        access: eb.ref("excluded.access"),
        original_hash: eb.ref("excluded.original_hash"),
        settings: eb.ref("excluded.settings"),
        status: eb.ref("excluded.status"),
        reason: eb.ref("excluded.reason"),
        updated_at: eb.ref("excluded.updated_at"),
      })),
    )
    .execute();
  if (out.length > 0 || added.length > 0) {
    await raiseRevision(trx, domain);
    await logChange(trx, { domain, tenant, put: [...changed, ...added], gone });
  }
  const unchanged = content.documents.length - changed.length - added.length;
  return { added: added.length, changed: changed.length, unchanged, deleted: gone.length };
}

export async function removeFiles(
  trx: Transaction<Database>,
  place: Omit<FilePlace, "path">,
  paths: readonly string[],
  at: string,
): Promise<number> {
  const removed: string[] = [];
  for (const path of paths) {
    const rows = await trx
      .selectFrom("documents")
      .select("id")
      .where("domain", "=", place.domain)
      .where("tenant", "=", place.tenant ?? "")
      .where("source", "=", place.source)
      .where("file", "=", path)
      .orderBy("id")
      .forUpdate()
      .execute();
    const ids = rows.map(({ id }) => id);
    await dropDependents(trx, ids, [], at);
    await dropVersions(trx, ids);
    await removeDocuments(trx, ids);
    removed.push(...ids);
    await trx
      .deleteFrom("files")
      .where("domain", "=", place.domain)
      .where("tenant", "=", place.tenant ?? "")
      .where("source", "=", place.source)
      .where("path", "=", path)
      .execute();
  }
  if (removed.length > 0) {
    await raiseRevision(trx, place.domain);
    await logChange(trx, { domain: place.domain, tenant: place.tenant ?? "", put: [], gone: removed });
  }
  return removed.length;
}

async function removeDocuments(trx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  for (const part of inParts(ids)) await trx.deleteFrom("documents").where("id", "in", part).execute();
}

async function raiseRevision(trx: Transaction<Database>, domain: string): Promise<void> {
  await trx
    .insertInto("revisions")
    .values({ domain, revision: 1 })
    .onConflict((c) => c.column("domain").doUpdateSet((eb) => ({ revision: eb("revisions.revision", "+", 1) })))
    .execute();
  await announceChange(trx, domain);
}

async function insertDocument(trx: Transaction<Database>, doc: StoredDocument, file: string, at: string): Promise<void> {
  await trx
    .insertInto("documents")
    .values({
      id: doc.id,
      domain: doc.domain,
      tenant: doc.tenant ?? "",
      access: doc.access,
      source: doc.source,
      file,
      path: doc.path,
      title: doc.title,
      description: doc.description,
      url: doc.url,
      as_of: doc.asOf,
      authority: doc.authority,
      topic: doc.topic,
      subtopic: doc.subtopic,
      type: doc.type,
      original_hash: doc.originalHash,
      version: doc.version,
      normaliser: doc.normaliser,
      text: doc.text,
      blocks: JSON.stringify(doc.blocks.map(({ start, end, type, level, header }) => [start, end, type, level, header])),
      units: JSON.stringify(doc.units.map(({ start, end, type, block }) => [start, end, type, block])),
      source_map: JSON.stringify(doc.sourceMap),
      outline: JSON.stringify(outlineOf(doc.text, doc.blocks).map(({ start, level, text }) => [start, level, text])),
      pages: doc.pages === undefined || doc.pages === null ? null : JSON.stringify(doc.pages),
      reading: doc.reading === undefined ? null : JSON.stringify(doc.reading),
      updated_at: at,
    })
    .execute();
  const rows = doc.chunks.map((chunk) => ({
    id: chunk.id,
    document_id: doc.id,
    ordinal: chunk.ordinal,
    start: chunk.start,
    end: chunk.end,
    tokens: chunk.tokens,
    heading_path: JSON.stringify(chunk.headingPath),
    windows: JSON.stringify(chunk.windows.map(({ start, end, tokens }) => [start, end, tokens])),
  }));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await trx
      .insertInto("chunks")
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}
