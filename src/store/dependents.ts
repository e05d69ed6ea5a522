import type { Transaction } from "kysely";
import { passageHash } from "../text/hash.ts";
import type { StoredDocument } from "../types.ts";
import { demoteDependants } from "./demote.ts";
import { unlinkQuestions } from "./graph.ts";
import type { Database } from "./schema.ts";

/** Ids in one `in (…)`; SQLite allows 32,766 parameters. */
const IDS_PER_QUERY = 500;

/**
 * Takes everything out that rests on documents which are about to go or to change, in the transaction in which they do: the one place where
 * dependants of documents are dropped. Runs while the old documents are still there.
 */
export async function dropDependents(
  trx: Transaction<Database>,
  gone: readonly string[],
  changed: readonly StoredDocument[],
  at: string,
): Promise<void> {
  const kept = await passagesThatStand(trx, changed);
  const out = [...gone, ...changed.map(({ id }) => id)];
  for (let from = 0; from < out.length; from += IDS_PER_QUERY) {
    const part = out.slice(from, from + IDS_PER_QUERY);
    await demoteDependants(trx, part, at);
    await dropCacheEntries(trx, part, kept);
  }
}

/**
 * Hashes of the chunks that stand exactly once in each changed document. Documents whose face changed (who may see them, title, address, date,
 * authority) are absent: nothing of them stands.
 */
async function passagesThatStand(
  trx: Transaction<Database>,
  changed: readonly StoredDocument[],
): Promise<Map<string, ReadonlySet<string>>> {
  const stands = new Map<string, ReadonlySet<string>>();
  for (const document of changed) {
    const old = await trx
      .selectFrom("documents")
      .select(["domain", "tenant", "access", "title", "url", "as_of", "authority"])
      .where("id", "=", document.id)
      .executeTakeFirst();
    const sameFace =
      old !== undefined &&
      old.domain === document.domain &&
      old.tenant === (document.tenant ?? "") &&
      old.access === document.access &&
      old.title === document.title &&
      old.url === document.url &&
      old.as_of === document.asOf &&
      old.authority === document.authority;
    if (!sameFace) continue;
    const counts = new Map<string, number>();
    for (const { start, end } of document.chunks) {
      const hash = passageHash(document.text.slice(start, end));
      counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
    stands.set(document.id, new Set([...counts].filter(([, count]) => count === 1).map(([hash]) => hash)));
  }
  return stands;
}

/**
 * Deletes the entries that rest on the documents; one whose every passage still stands is parked instead, without its edges: nobody finds it until it
 * has been anchored anew.
 */
async function dropCacheEntries(
  trx: Transaction<Database>,
  ids: readonly string[],
  stands: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const rows = await trx.selectFrom("cache_documents").select(["key", "document_id", "passages"]).where("document_id", "in", ids).execute();
  const parked = new Set(rows.map(({ key }) => key));
  for (const { key, document_id, passages } of rows) {
    const hashes = JSON.parse(passages) as string[];
    const kept = stands.get(document_id);
    if (kept === undefined || hashes.length === 0 || !hashes.every((hash) => kept.has(hash))) parked.delete(key);
  }
  const dropped = [...new Set(rows.map(({ key }) => key).filter((key) => !parked.has(key)))];
  for (let at = 0; at < dropped.length; at += IDS_PER_QUERY)
    await trx
      .deleteFrom("cache_entries")
      .where("key", "in", dropped.slice(at, at + IDS_PER_QUERY))
      .execute();
  const left = [...parked];
  for (let at = 0; at < left.length; at += IDS_PER_QUERY) {
    const part = left.slice(at, at + IDS_PER_QUERY);
    await unlinkQuestions(trx, part);
    await trx.updateTable("cache_entries").set({ state: "parked" }).where("key", "in", part).execute();
  }
}
