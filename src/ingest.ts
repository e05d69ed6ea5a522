import { supportedExtensions, unsupportedFormat } from "./ingest/formats/formats.ts";
import { type FileParts, type IngestRequest, prepareFile } from "./ingest/prepare-file.ts";
import { type Scan, type ScannedFile, type SkippedFile, scanFiles, scanFolder } from "./ingest/scan.ts";
import { createIdentities, failedFile, GROUP_FILES, GROUP_MS, isFullGroup, type Run, storeGroup } from "./ingest/store-group.ts";
import { costUsd, type PriceTable } from "./models/prices.ts";
import type { DomainIndex } from "./retrieval/domain-index.ts";
import { IngestError, ModelError } from "./shared/errors.ts";
import type { EmbeddingCost, IngestEvent } from "./shared/events.ts";
import { progressOf } from "./text/progress.ts";

/** Bytes of items that are prepared beside the one that is waited for: what was prepared early waits with its whole content. */
const AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * What `prepare` makes of each item, in order, with up to `room` of them begun ahead of the one that is waited for: the next one always, the others as long as
 * they are small together. When whoever asks stops, those that were begun are left to end.
 */
export async function* prepareAhead<Item, Prepared>(
  items: readonly Item[],
  prepare: (item: Item) => Promise<Prepared>,
  { room, bytesOf }: { readonly room: number; readonly bytesOf: (item: Item) => number },
): AsyncGenerator<Prepared, void> {
  const begun: { readonly prepared: Promise<Prepared>; readonly bytes: number }[] = [];
  let next = 0;
  let ahead = 0;
  const begin = () => {
    const item = items[next++] as Item;
    const prepared = prepare(item);
    // Its failure is thrown where it is waited for; until then it is no unhandled rejection.
    prepared.catch(() => {});
    begun.push({ prepared, bytes: bytesOf(item) });
    ahead += bytesOf(item);
  };
  while (begun.length > 0 || next < items.length) {
    while (next < items.length && (begun.length <= 1 || (begun.length <= room && ahead + bytesOf(items[next] as Item) <= AHEAD_BYTES)))
      begin();
    const first = begun.shift();
    if (first === undefined) return;
    ahead -= first.bytes;
    yield await first.prepared;
  }
}

/**
 * What comes one by one, in groups and in order: a group ends when it is full, or when its first item has waited for `waitMs` milliseconds.
 * When whoever asks stops, what was begun is left to end.
 */
export async function* inGroups<Item>(
  items: AsyncIterable<Item>,
  { isFull, waitMs }: { readonly isFull: (group: readonly Item[]) => boolean; readonly waitMs: number },
): AsyncGenerator<Item[], void> {
  const iterator = items[Symbol.asyncIterator]();
  const ask = () => {
    const next = iterator.next();
    // Its failure is thrown where it is waited for; until then it is no unhandled rejection.
    next.catch(() => {});
    return next;
  };
  let next = ask();
  try {
    for (let first = await next; first.done !== true; first = await next) {
      const group = [first.value];
      next = ask();
      const deadline = after(waitMs);
      try {
        while (!isFull(group)) {
          const more = await Promise.race([next, deadline.passed]);
          if (more === null || more.done === true) break;
          group.push(more.value);
          next = ask();
        }
      } finally {
        deadline.cancel();
      }
      yield group;
    }
  } finally {
    void iterator.return?.();
  }
}

function after(ms: number): { readonly passed: Promise<null>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return { passed, cancel: () => clearTimeout(timer) };
}

export interface IngestParts extends FileParts {
  readonly corpus: Pick<DomainIndex, "sync" | "finishSwitch" | "encoder">;
  /** Prices of encoders; `null` without an encoder. */
  readonly prices: PriceTable | null;
  /** Files that another source has, absolute path → source. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/**
 * The path of a document: scan, read, parse, chunk, store – each file as a whole, many small ones in one transaction – then delete what vanished and embed what is new.
 * An unchanged file costs a read and a hash; one that is found under another name goes on as the same documents. A file that is there and cannot be read is reported, what was read of it before
 * stays, and the rest go on; of a folder below that cannot be listed nothing is known, so what was ingested from it stays.
 * @throws IngestError when the folder itself cannot be read or holds nothing; nothing is changed then
 */
export async function* ingest(request: IngestRequest, parts: IngestParts, signal: AbortSignal): AsyncGenerator<IngestEvent, void> {
  signal.throwIfAborted();
  const begun = parts.clock();
  const { store } = parts;
  const scan = scanOf(request);
  const { files, skipped } = withoutStored(scan, parts.elsewhere);
  const { unreadable } = scan;
  const unread = skipped.filter(({ extension }) => extension !== null);
  // Of a folder, what is no document is left out; who names a file wants it read.
  const refused = request.only === null ? [] : unread;
  const leftOut = skipped.filter((file) => !refused.includes(file));
  yield { type: "scan-end", files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), skipped: leftOut };
  const known = new Map((await store.documents.listFiles(request)).map((file) => [file.path, file]));
  if (files.length === 0 && skipped.length === scan.skipped.length && unreadable.length === 0 && !request.allowEmpty) {
    throw emptyFolder(request.folder, known.size);
  }
  const present = new Set(files.map(({ path }) => path));
  // Of files that were not asked for nothing is known, like of those in a folder that cannot be listed.
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
  for await (const group of inGroups(prepareAhead(files, prepare, { room: parts.reader.room, bytesOf: ({ bytes }) => bytes }), {
    isFull: isFullGroup,
    waitMs: GROUP_MS,
  })) {
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
  // Some files alone do not end what a reading of the whole source began.
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

function scanOf({ only, folder, root }: IngestRequest): Scan {
  return only === null ? scanFolder(folder, root, supportedExtensions) : scanFiles(only, root, supportedExtensions);
}

/** Files of a kind that is not read are remembered by name, so that a refusal can say what was not searched. */
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

/** Files that another source has are not stored twice. */
function withoutStored({ files, skipped }: Scan, elsewhere: ReadonlyMap<string, string>): Pick<Scan, "files" | "skipped"> {
  const doubled = files.filter(({ absolute }) => elsewhere.has(absolute));
  return {
    files: files.filter(({ absolute }) => !elsewhere.has(absolute)),
    skipped: [
      ...skipped,
      ...doubled.map(({ absolute, path }) => ({ path, reason: `already in from the source ${elsewhere.get(absolute)}`, extension: null })),
    ],
  };
}

/** Extension → files of it that are not read, the most frequent first. */
function countKinds(unread: readonly { readonly extension: string | null }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { extension } of unread) counts.set(extension || "no extension", (counts.get(extension || "no extension") ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
}

/**
 * Vectors for what is new, and for all when the encoder has changed; progress as events. An encoder that fails costs nothing that was read: the documents
 * are found by their words, what was embedded is kept, and the next ingest or question goes on.
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
    if (signal.aborted || !(cause instanceof ModelError)) throw cause;
    yield { type: "embed-failed", code: cause.code, reason: cause.message };
  }
  if (counts.length === 0) return null;
  const tokens = counts.includes(null) ? null : counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const model = corpus.encoder?.model ?? corpus.encoder?.id ?? "";
  return { model, tokens, costUsd: costUsd(model, { inputTokens: tokens, outputTokens: null }, prices) };
}

function emptyFolder(folder: string, known: number): IngestError {
  const kept = known > 0 ? ` The ${known} files that were ingested from it are kept; to remove them, run again with --allow-empty.` : "";
  return new IngestError("folder_empty", `${folder} holds no document (${supportedExtensions.join(" ")}).${kept}`, { folder, known });
}
