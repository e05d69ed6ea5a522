import { readFile } from "node:fs/promises";
import { IngestError, ModelError, messageOf, SourceboundError, systemCodeOf } from "./errors.ts";
import type { EmbeddingCost, IngestCounts, IngestEvent } from "./events.ts";
import {
  CHUNK_MAX_TOKENS,
  CHUNK_MIN_TOKENS,
  CHUNK_OVERLAP_TOKENS,
  CHUNK_TARGET_TOKENS,
  chunkDocument,
  WINDOW_MAX_TOKENS,
  WINDOW_MIN_TOKENS,
} from "./ingest/chunk.ts";
import { type ParsedDocument, parseFile, supportedExtensions } from "./ingest/parse.ts";
import { type ScannedFile, scanFolder } from "./ingest/scan.ts";
import { costUsd, type PriceTable } from "./models/prices.ts";
import type { Corpus } from "./retrieve/corpus.ts";
import type { FileContent, FilePlace } from "./store/document-records.ts";
import type { Store } from "./store/store.ts";
import { chunkId } from "./text/chunk-id.ts";
import { sha256Hex } from "./text/hash.ts";
import { httpUrl } from "./text/http-url.ts";
import { progressOf } from "./text/progress.ts";
import { NORMALISER_VERSION } from "./text/source-map.ts";
import type { StoredDocument } from "./types.ts";

/** Raised when titles or blocks are read otherwise than before, so that unchanged files are read anew. */
const STRUCTURE_VERSION = 2;
/** What shapes chunks besides the text: a change of any of these makes every document new. */
const CHUNK_SETTINGS = [
  CHUNK_TARGET_TOKENS,
  CHUNK_MAX_TOKENS,
  CHUNK_MIN_TOKENS,
  CHUNK_OVERLAP_TOKENS,
  WINDOW_MIN_TOKENS,
  WINDOW_MAX_TOKENS,
];

export interface IngestRequest {
  readonly domain: string;
  readonly tenant: string | null;
  /** Folder with the documents, absolute. */
  readonly folder: string;
  /** Paths of documents are relative to this, absolute; mostly the folder itself. */
  readonly root: string;
  /** Name of the origin; files that vanish are deleted inside one source only. */
  readonly source: string;
  /** Access label of documents that state none. */
  readonly access: string;
  /** Take the folder as it is even if it holds no document any more. */
  readonly allowEmpty: boolean;
}

export interface IngestParts {
  readonly store: Store;
  readonly corpus: Pick<Corpus, "sync" | "finishSwitch" | "encoder">;
  /** Prices of encoders; `null` without an encoder. */
  readonly prices: PriceTable | null;
  /** Address of a document that states none. */
  readonly urlOf: (path: string) => string | null;
  readonly maxFileBytes: number;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/**
 * The path of a document: scan, read, parse, chunk, store – one transaction per file – then delete what vanished and embed what is new.
 * An unchanged file costs a read and a hash. A file that cannot be read is reported, its old documents go, and the rest go on;
 * of a folder below that cannot be listed nothing is known, so what was ingested from it stays.
 * @throws IngestError when the folder itself cannot be read or holds nothing; nothing is changed then
 */
export async function* ingest(request: IngestRequest, parts: IngestParts, signal: AbortSignal): AsyncGenerator<IngestEvent, void> {
  const begun = parts.clock();
  const { store } = parts;
  const { files, skipped, unreadable } = scanFolder(request.folder, request.root, supportedExtensions);
  yield { type: "scan-end", files: files.length, skipped };
  const unread = skipped.filter(({ extension }) => extension !== null);
  const known = new Map((await store.documents.listFiles(request)).map((file) => [file.path, file]));
  if (files.length === 0 && unreadable.length === 0 && !request.allowEmpty) throw emptyFolder(request.folder, known.size);

  const counts = { total: files.length, done: 0, added: 0, changed: 0, unchanged: 0, deleted: 0, failed: 0 };
  const snapshot = (): IngestCounts => ({ ...counts });
  let chunks = 0;
  for (const { path, reason } of unreadable) {
    counts.failed++;
    yield { type: "file-failed", path: `${path}/`, code: "folder_unreadable", reason, counts: snapshot() };
  }
  const vanished = new Set<string>();
  for (const file of files) {
    signal.throwIfAborted();
    const place: FilePlace = { ...request, path: file.path };
    const settings = settingsHash(request, parts.urlOf(file.path));
    const bytes = await readBytes(file, parts.maxFileBytes);
    if (bytes === null) {
      vanished.add(file.path);
      counts.done++;
      continue;
    }
    const originalHash = bytes instanceof Uint8Array ? sha256Hex(bytes) : "";
    const before = known.get(file.path);
    counts.done++;
    if (before?.status === "ok" && before.originalHash === originalHash && before.settings === settings) {
      counts.unchanged++;
      yield { type: "document", path: file.path, outcome: "unchanged", chunks: 0, counts: snapshot() };
      continue;
    }
    const documents = bytes instanceof Uint8Array ? toDocuments(request, file.path, bytes, parts.urlOf) : bytes;
    if (documents instanceof SourceboundError) {
      const content: FileContent = { originalHash, settings, access: request.access, documents: [], failure: documents.message };
      counts.deleted += (await store.documents.putFile(place, content)).deleted;
      counts.failed++;
      yield { type: "file-failed", path: file.path, code: documents.code, reason: documents.message, counts: snapshot() };
      continue;
    }
    const outcome = await store.documents.putFile(place, { originalHash, settings, access: request.access, documents, failure: null });
    counts.added += outcome.added;
    counts.changed += outcome.changed;
    counts.unchanged += outcome.unchanged;
    counts.deleted += outcome.deleted;
    const made = documents.reduce((sum, document) => sum + document.chunks.length, 0);
    chunks += made;
    const kind = outcome.changed > 0 ? "changed" : outcome.added > 0 ? "added" : "unchanged";
    yield { type: "document", path: file.path, outcome: kind, chunks: made, counts: snapshot() };
  }

  // Files of a kind that is not read are remembered by name, so that a refusal can say what was not searched.
  for (const { path, reason } of unread) {
    signal.throwIfAborted();
    const before = known.get(path);
    if (before?.status === "failed" && before.reason === reason) continue;
    const content: FileContent = { originalHash: "", settings: "", access: request.access, documents: [], failure: reason };
    counts.deleted += (await store.documents.putFile({ ...request, path }, content)).deleted;
  }
  const present = new Set([...files, ...unread].map(({ path }) => path).filter((path) => !vanished.has(path)));
  const isHidden = (path: string) => unreadable.some((folder) => path.startsWith(`${folder.path}/`));
  for (const path of [...known.keys()].filter((one) => !present.has(one) && !isHidden(one))) {
    signal.throwIfAborted();
    counts.deleted += await store.documents.deleteFiles(request, [path]);
    yield { type: "document", path, outcome: "deleted", chunks: 0, counts: snapshot() };
  }
  const embedding = parts.prices === null ? null : yield* embed(parts.corpus, parts.prices, signal);
  const revision = await store.documents.revision(request.domain);
  yield {
    type: "ingest-end",
    counts: snapshot(),
    chunks,
    ms: Math.round(parts.clock() - begun),
    revision,
    embedding,
    unread: countKinds(unread),
  };
}

/** Extension → files of it that are not read, the most frequent first. */
function countKinds(unread: readonly { readonly extension: string | null }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { extension } of unread) counts.set(extension || "no extension", (counts.get(extension || "no extension") ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
}

/** `null` when the file has vanished since it was listed. */
async function readBytes(file: ScannedFile, limit: number): Promise<Uint8Array | SourceboundError | null> {
  if (file.bytes > limit) {
    return new IngestError(
      "file_too_large",
      `${file.path} has ${file.bytes} bytes; at most ${limit} are read. Split it, or leave it out.`,
      { bytes: file.bytes, limit },
    );
  }
  try {
    return await readFile(file.absolute);
  } catch (cause) {
    if (systemCodeOf(cause) === "ENOENT") return null;
    return new IngestError("file_unreadable", `${file.path} cannot be read: ${messageOf(cause)}`, {}, { cause });
  }
}

function toDocuments(
  request: IngestRequest,
  path: string,
  bytes: Uint8Array,
  urlOf: IngestParts["urlOf"],
): StoredDocument[] | SourceboundError {
  try {
    return parseFile({ path, bytes }).map((parsed) => toDocument(request, parsed, urlOf));
  } catch (error) {
    if (error instanceof SourceboundError) return error;
    return new IngestError(
      "parse_failed",
      `${path} could not be parsed: ${messageOf(error)}. Please report this file.`,
      {},
      { cause: error },
    );
  }
}

function toDocument(request: IngestRequest, parsed: ParsedDocument, urlOf: IngestParts["urlOf"]): StoredDocument {
  const { tenant } = request;
  if (parsed.tenant !== null && parsed.tenant !== tenant) {
    throw new IngestError(
      "tenant_mismatch",
      `${parsed.path} belongs to tenant "${parsed.tenant}" by its front matter: ingest it with --tenant ${parsed.tenant}.`,
    );
  }
  const id = sha256Hex([request.domain, tenant ?? "", request.source, parsed.path].join("\0")).slice(0, 24);
  const metadata = { ...parsed.metadata, url: httpUrl(parsed.metadata.url) ?? urlOf(parsed.path) };
  const access = parsed.access ?? request.access;
  const drafts = chunkDocument(parsed);
  const version = sha256Hex(
    JSON.stringify([parsed.text, metadata, tenant, access, CHUNK_SETTINGS, NORMALISER_VERSION, parsed.originalHash]),
  );
  return {
    ...metadata,
    id,
    domain: request.domain,
    tenant,
    access,
    source: request.source,
    path: parsed.path,
    originalHash: parsed.originalHash,
    version,
    normaliser: NORMALISER_VERSION,
    text: parsed.text,
    blocks: parsed.blocks,
    units: parsed.units,
    sourceMap: parsed.sourceMap,
    pages: parsed.pages,
    chunks: drafts.map((draft) => ({ ...draft, id: chunkId(id, version, draft.ordinal), documentId: id })),
  };
}

/** Everything besides the bytes that shapes a file's documents: when it changes, the file is read anew. */
function settingsHash(request: IngestRequest, url: string | null): string {
  return sha256Hex(JSON.stringify([NORMALISER_VERSION, STRUCTURE_VERSION, CHUNK_SETTINGS, request.access, url])).slice(0, 16);
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
