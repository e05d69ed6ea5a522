import type { Transaction } from "kysely";
import type { StoredDocument } from "../shared/types.ts";
import { renamedPath } from "../text/paths.ts";
import { dropVersions, keepVersions, logChange } from "./corpus-log.ts";
import { announceChange, deleteBy, equal, inParts } from "./dialect.ts";
import { type DocumentRows, type FilePlace, type FilePut, type PutOutcome, placeOf, type SourcePlace } from "./document-rows.ts";
import { demoteDependants } from "./review.ts";
import type { Database } from "./schema.ts";

/** Moves a file and its documents to another path. The documents keep their ids. */
async function renameFile(
  trx: Transaction<Database>,
  place: SourcePlace,
  { from, to, now }: { readonly from: string; readonly to: string; readonly now: string },
): Promise<void> {
  const at = { updatedAt: now };
  const stored = trx
    .selectFrom("documents")
    .select(["id", "path"])
    .where(equal(placeOf(place)));
  const rows = await stored.where("file", "=", from).execute();
  // Keep the old versions: the new path gives the documents new versions, but recorded answers refer to the old versions.
  const ids = rows.map(({ id }) => id);
  await keepVersions(trx, ids, place.domain);
  for (const { id, path } of rows) {
    const moved = { file: to, path: renamedPath(path, from, to), ...at };
    await trx.updateTable("documents").set(moved).where("id", "=", id).execute();
  }
  const files = trx.updateTable("files").set({ path: to, ...at });
  await files
    .where(equal(placeOf(place)))
    .where("path", "=", from)
    .execute();
}

/** Stored document versions by document id. */
type Versions = ReadonlyMap<string, string>;

interface Change {
  readonly file: FilePut;
  readonly gone: readonly string[];
  readonly changed: readonly StoredDocument[];
  readonly added: readonly StoredDocument[];
}

/**
 * Replaces the documents of files in one transaction, which raises each domain's revision once. Each file may occur
 * only once. Statements are batched over all files, because building a statement takes longer than executing it.
 */
export async function replaceFiles(
  trx: Transaction<Database>,
  files: readonly FilePut[],
  { rows, at }: { readonly rows: DocumentRows; readonly at: string },
): Promise<PutOutcome[]> {
  for (const { place, renamedFrom } of files)
    if (renamedFrom !== undefined) await renameFile(trx, place, { from: renamedFrom, to: place.path, now: at });
  const before = await versionsBefore(trx, files);
  const changes = files.map((file) => changeOf(file, before));
  for (const change of changes) await removeOld(trx, change, at);
  const put = changes.flatMap(({ file, changed, added }) =>
    [...changed, ...added].map((document) => ({ document, file: file.place.path })),
  );
  await rows.insertDocuments(trx, put, at);
  await rows.putFiles(trx, files, at);
  for (const [domain, tenants] of byDomain(changes)) {
    await raiseRevision(trx, domain);
    for (const [tenant, logged] of tenants) {
      const documents = logged.flatMap(({ changed, added }) => [...changed, ...added]);
      await logChange(trx, { domain, tenant, put: documents, gone: logged.flatMap(({ gone }) => gone) });
    }
  }
  return changes.map(({ file, gone, changed, added }) => {
    const unchanged = (file.content.documents?.length ?? 0) - changed.length - added.length;
    return { added: added.length, changed: changed.length, unchanged, deleted: gone.length };
  });
}

function changeOf(file: FilePut, before: ReadonlyMap<string, Versions>): Change {
  const { documents } = file.content;
  if (documents === null) return { file, gone: [], changed: [], added: [] };
  const old = before.get(keyOf(file.place)) ?? new Map<string, string>();
  const ids = new Set(documents.map(({ id }) => id));
  return {
    file,
    gone: [...old.keys()].filter((id) => !ids.has(id)),
    changed: documents.filter(({ id, version }) => old.has(id) && old.get(id) !== version),
    added: documents.filter(({ id }) => !old.has(id)),
  };
}

/** Removes deleted and replaced documents, with cached answers and reviews that depend on them. */
async function removeOld(trx: Transaction<Database>, { file, gone, changed }: Change, at: string): Promise<void> {
  const { domain } = file.place;
  const ids = changed.map(({ id }) => id);
  await dropDependents(trx, [...gone, ...ids], at);
  await keepVersions(trx, ids, domain);
  await dropVersions(trx, gone);
  await deleteBy(trx, "documents", "id", [...gone, ...ids]);
}

/** Groups changes by domain and tenant. Leaves out those that add, change and delete no document. */
function byDomain(changes: readonly Change[]): Map<string, Map<string, Change[]>> {
  const real = changes.filter(({ gone, changed, added }) => gone.length + changed.length + added.length > 0);
  const domains = Map.groupBy(real, ({ file }) => file.place.domain);
  return new Map([...domains].map(([domain, own]) => [domain, Map.groupBy(own, ({ file }) => file.place.tenant ?? "")]));
}

function keyOf({ domain, tenant, source, path }: FilePlace): string {
  return JSON.stringify([domain, tenant ?? "", source, path]);
}

/** Returns the stored document versions of files: `keyOf` of the file → document id → version. */
async function versionsBefore(trx: Transaction<Database>, files: readonly FilePut[]): Promise<Map<string, Map<string, string>>> {
  const sources = Map.groupBy(files, ({ place }) => keyOf({ ...place, path: "" }));
  const versions = new Map<string, Map<string, string>>();
  for (const part of [...sources.values()].flatMap((own) => inParts(own))) {
    const [{ place }] = part;
    const paths = part.map((file) => file.place.path);
    for (const { id, version, file } of await storedIn(trx, place, paths)) {
      const key = keyOf({ ...place, path: file });
      versions.set(key, (versions.get(key) ?? new Map<string, string>()).set(id, version));
    }
  }
  return versions;
}

/** Selects the documents of some files of a source, by id, and locks them until the transaction ends. */
function storedIn(trx: Transaction<Database>, place: SourcePlace, paths: readonly string[]) {
  const all = trx
    .selectFrom("documents")
    .select(["id", "version", "file"])
    .where(equal(placeOf(place)));
  return all.where("file", "in", paths).orderBy("id").forUpdate().execute();
}

export async function removeFiles(trx: Transaction<Database>, place: SourcePlace, paths: readonly string[], at: string): Promise<number> {
  const removed: string[] = [];
  for (const part of inParts(paths)) {
    const ids = (await storedIn(trx, place, part)).map(({ id }) => id);
    await dropDependents(trx, ids, at);
    await dropVersions(trx, ids);
    await deleteBy(trx, "documents", "id", ids);
    removed.push(...ids);
    const files = trx.deleteFrom("files").where(equal(placeOf(place)));
    await files.where("path", "in", part).execute();
  }
  if (removed.length > 0) {
    await raiseRevision(trx, place.domain);
    await logChange(trx, { domain: place.domain, tenant: place.tenant ?? "", put: [], gone: removed });
  }
  return removed.length;
}

async function raiseRevision(trx: Transaction<Database>, domain: string): Promise<void> {
  await trx
    .insertInto("revisions")
    .values({ domain, revision: 1 })
    .onConflict((c) => c.column("domain").doUpdateSet((eb) => ({ revision: eb("revisions.revision", "+", 1) })))
    .execute();
  await announceChange(trx, domain);
}

/**
 * Deletes cache entries and withdraws reviews that depend on documents that are about to change, in the same
 * transaction. Nothing else does this, so call it before documents are removed.
 */
async function dropDependents(trx: Transaction<Database>, ids: readonly string[], at: string): Promise<void> {
  for (const part of inParts(ids)) {
    await demoteDependants(trx, part, at);
    const dependent = trx.selectFrom("cache_documents").select("key").where("documentId", "in", part);
    await trx.deleteFrom("cache_entries").where("key", "in", dependent).execute();
  }
}
