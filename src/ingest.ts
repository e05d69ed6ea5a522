import { setTimeout } from "node:timers/promises";
import { openedExtensions, supportedExtensions, unsupportedFormat } from "./ingest/formats/formats.ts";
import { type FileParts, type IngestRequest, type PreparedFile, prepareFile } from "./ingest/prepare-file.ts";
import { type Scan, type ScannedFile, type SkippedFile, scanFiles, scanFolder } from "./ingest/scan.ts";
import { createIdentities, failedFile, GROUP_FILES, GROUP_MS, isFullGroup, type Run, storeGroup } from "./ingest/store-group.ts";
import { costUsd, type PriceTable } from "./models/prices.ts";
import type { DomainIndex } from "./retrieval/domain-index.ts";
import { IngestError, ModelError, UnavailableError } from "./shared/errors.ts";
import type { EmbeddingCost, IngestEvent } from "./shared/events.ts";
import { compareText } from "./text/normalise.ts";
import { progressOf } from "./text/progress.ts";

/** Maximum total bytes of the files that are prepared in advance, because their contents are in memory. */
const AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * Prepares files in advance and yields the results in order. One file is always prepared ahead. Up to `room` files are
 * prepared ahead while their total size is at most `AHEAD_BYTES`. If the consumer stops, preparations that have begun
 * still finish.
 */
async function* prepareAhead(
  files: readonly ScannedFile[],
  prepare: (file: ScannedFile) => Promise<PreparedFile>,
  room: number,
): AsyncGenerator<PreparedFile, void> {
  const begun: { readonly prepared: Promise<PreparedFile>; readonly bytes: number }[] = [];
  let [next, ahead] = [0, 0];
  do {
    for (let file = files[next]; file !== undefined; file = files[++next]) {
      if (begun.length > 1 && (begun.length > room || ahead + file.bytes > AHEAD_BYTES)) break;
      const prepared = prepare(file);
      // Prevents an unhandled rejection. The error is thrown when the promise is awaited.
      prepared.catch(() => {});
      begun.push({ prepared, bytes: file.bytes });
      ahead += file.bytes;
    }
    const first = begun.shift();
    if (first === undefined) return;
    ahead -= first.bytes;
    yield await first.prepared;
  } while (true);
}

/**
 * Yields files in groups, in order. A group ends when it is full, or `GROUP_MS` milliseconds after its first file, even if
 * the next file is still being prepared. An interrupted ingest therefore loses at most that much work.
 */
async function* inGroups(files: AsyncGenerator<PreparedFile, void>): AsyncGenerator<readonly PreparedFile[], void> {
  const begin = () => {
    const next = files.next();
    // Prevents an unhandled rejection. The error is thrown when the promise is awaited.
    next.catch(() => {});
    return next;
  };
  let next = begin();
  for (let first = await next; first.done !== true; first = await next) {
    const group = [first.value];
    const deadline = setTimeout(GROUP_MS, null, { ref: false });
    next = begin();
    while (!isFullGroup(group)) {
      const more = await Promise.race([next, deadline]);
      if (more === null || more.done === true) break;
      group.push(more.value);
      next = begin();
    }
    yield group;
  }
}

export interface IngestParts extends FileParts {
  readonly corpus: Pick<DomainIndex, "sync" | "finishSwitch" | "encoder">;
  /** Prices of embeddings; `null` without an encoder. */
  readonly prices: PriceTable | null;
  /** Files that another source has ingested already: absolute path → name of that source. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Returns a monotonic time in milliseconds. */
  readonly clock: () => number;
}

/**
 * Ingests a folder or single files: scans, reads, parses, chunks and stores files, deletes missing files and embeds new
 * text. A file is stored completely or not at all; small files share a transaction. An unchanged file is only loaded
 * and hashed. A renamed file keeps its documents. If a file or subfolder cannot be read, this is reported, and the
 * stored documents stay.
 * @throws IngestError when the folder cannot be read or contains no documents; nothing changes in this case
 */
export async function* ingest(request: IngestRequest, parts: IngestParts, signal: AbortSignal): AsyncGenerator<IngestEvent, void> {
  signal.throwIfAborted();
  const begun = parts.clock();
  const { store } = parts;
  const { only, folder, root } = request;
  const scan = only === null ? scanFolder(folder, root, openedExtensions) : scanFiles(only, root, openedExtensions);
  const { files, skipped } = withoutStored(scan, parts.elsewhere);
  const { unreadable } = scan;
  const unread = skipped.filter(({ extension }) => extension !== null);
  // In a folder, files of unsupported formats are skipped. A file that the caller names must have a supported format.
  const refused = request.only === null ? [] : unread;
  const leftOut = skipped.filter((file) => !refused.includes(file));
  yield { type: "scan-end", files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), skipped: leftOut };
  const known = new Map((await store.documents.listFiles(request)).map((file) => [file.path, file]));
  if (files.length === 0 && skipped.length === scan.skipped.length && unreadable.length === 0 && !request.allowEmpty) {
    throw emptyFolder(request.folder, known.size);
  }
  const present = new Set(files.map(({ path }) => path));
  // Files that were not requested, or that are in an unreadable folder, are not deleted, because they may still exist.
  const isHidden = (path: string) => request.only !== null || unreadable.some((folder) => path.startsWith(`${folder.path}/`));
  const gone = [...known.values()].filter(({ path }) => !present.has(path) && !isHidden(path));
  const run: Run = {
    ...{ request, parts, known, present },
    identities: createIdentities([request.domain, request.tenant ?? "", request.source], await store.documents.listIdentities(request)),
    renamable: new Map(gone.filter(({ status }) => status === "ok").map((file) => [file.originalHash, file])),
    counts: { total: files.length, done: 0, added: 0, changed: 0, unchanged: 0, renamed: 0, deleted: 0, failed: 0, bytes: 0 },
    notices: [],
    chunks: 0,
    isBegun: false,
  };
  const { counts } = run;
  for (const { path, reason } of unreadable) {
    counts.failed++;
    yield { type: "file-failed", path: `${path}/`, code: "folder_unreadable", reason, readAt: null, counts: { ...counts } };
  }
  for (const { path, extension } of refused) {
    counts.failed++;
    const { code, message } = unsupportedFormat(extension ?? "");
    yield { type: "file-failed", path, code, reason: message, readAt: null, counts: { ...counts } };
  }
  const prepare = (file: ScannedFile) => prepareFile(file, { request, parts, known, signal });
  for await (const group of inGroups(prepareAhead(files, prepare, parts.reader.room))) {
    signal.throwIfAborted();
    yield* storeGroup(group, run);
  }

  for (const { path } of unread) present.add(path);
  if (!request.dryRun) await rememberUnread(unread, run, signal);
  for (const path of [...known.keys()].filter((one) => !present.has(one) && !isHidden(one))) {
    signal.throwIfAborted();
    const held = known.get(path)?.readAt != null;
    const deleted = request.dryRun ? Number(held) : await store.documents.deleteFiles(request, [path]);
    counts.deleted += deleted;
    if (held) yield { type: "document", path, outcome: "deleted", chunks: 0, counts: { ...counts } };
  }
  // An ingest of single files that stored nothing must not clear the record of an earlier interrupted ingest.
  if (!request.dryRun && (request.only === null || run.isBegun)) await store.unfinished.end(request);
  const embedding = parts.prices === null || request.dryRun ? null : yield* embed(parts.corpus, parts.prices, signal);
  const revision = await store.documents.revision(request.domain);
  yield {
    type: "ingest-end",
    counts: { ...counts },
    chunks: run.chunks,
    ms: Math.round(parts.clock() - begun),
    revision,
    embedding,
    notices: run.notices,
    unread: countKinds(unread.filter((file) => leftOut.includes(file))),
    dryRun: request.dryRun,
  };
}

/** Records the names of files of unsupported formats. A refusal names them as not searched. */
async function rememberUnread(
  unread: readonly SkippedFile[],
  { request, parts, known, counts }: Pick<Run, "request" | "parts" | "known" | "counts">,
  signal: AbortSignal,
): Promise<void> {
  const unknown = unread.filter(({ path, reason }) => known.get(path)?.status !== "failed" || known.get(path)?.reason !== reason);
  for (let at = 0; at < unknown.length; at += GROUP_FILES) {
    signal.throwIfAborted();
    const puts = unknown
      .slice(at, at + GROUP_FILES)
      .map(({ path, reason }) => failedFile(request, path, { reason, hash: "", settings: "" }));
    for (const { deleted } of await parts.store.documents.putFiles(puts)) counts.deleted += deleted;
  }
}

/** Moves files that another source has ingested already from `files` to `skipped`. */
function withoutStored({ files, skipped }: Scan, elsewhere: ReadonlyMap<string, string>): Pick<Scan, "files" | "skipped"> {
  const doubled = files.flatMap(({ absolute, path }) => {
    const source = elsewhere.get(absolute);
    return source === undefined ? [] : [{ path, reason: `already ingested from ${source}`, extension: null }];
  });
  return { files: files.filter(({ absolute }) => !elsewhere.has(absolute)), skipped: [...skipped, ...doubled] };
}

/** Counts files of unsupported formats by extension, most frequent first. */
function countKinds(unread: readonly { readonly extension: string | null }[]): Readonly<Record<string, number>> {
  const kinds = [...Map.groupBy(unread, ({ extension }) => extension || "no extension")].map(
    ([kind, { length }]) => [kind, length] as const,
  );
  return Object.fromEntries(kinds.sort(([a, n], [b, m]) => m - n || compareText(a, b)));
}

/**
 * Embeds new text, or all text after a change of encoder, and yields progress. If the encoder fails, documents stay
 * searchable by BM25, finished vectors are kept, and the next ingest or question continues the embedding. The same
 * applies if the search engine is full or unavailable.
 */
async function* embed(
  corpus: IngestParts["corpus"],
  prices: PriceTable,
  signal: AbortSignal,
): AsyncGenerator<IngestEvent, EmbeddingCost | null> {
  const counts: (number | null)[] = [];
  const onUsage = (tokens: number | null) => counts.push(tokens);
  try {
    const embedding = progressOf(async (onEmbed) => {
      await corpus.sync({ signal, onEmbed, onUsage, mayPrepare: false });
      await corpus.finishSwitch({ signal, onEmbed, onUsage });
    });
    for await (const progress of embedding) yield { type: "embed", ...progress };
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (cause instanceof ModelError) yield { type: "embed-failed", code: cause.code, reason: cause.message };
    else if (cause instanceof UnavailableError) yield { type: "index-failed", code: cause.code, reason: cause.message };
    else throw cause;
  }
  if (counts.length === 0) return null;
  const tokens = counts.includes(null) ? null : counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const model = corpus.encoder?.model ?? corpus.encoder?.id ?? "";
  return { model, tokens, costUsd: costUsd(model, { inputTokens: tokens, outputTokens: null }, prices) };
}

function emptyFolder(folder: string, keptCount: number): IngestError {
  const message = `The folder ${folder} contains no document in a supported format (${supportedExtensions.join(" ")}).`;
  const note = ` The ${keptCount} files ingested from it before are kept. To delete them, run the command again with --allow-empty.`;
  return new IngestError("folder_empty", keptCount > 0 ? message + note : message, { folder, known: keptCount });
}
