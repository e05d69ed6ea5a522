import { readFile } from "node:fs/promises";
import { IngestError, ModelError, messageOf, SourceboundError, systemCodeOf } from "./errors.ts";
import type { EmbeddingCost, FileNotice, IngestCounts, IngestEvent } from "./events.ts";
import { prepareAhead } from "./ingest/ahead.ts";
import type { DocumentDraft } from "./ingest/document-draft.ts";
import type { FileReader } from "./ingest/file-reader.ts";
import { FORMATS_VERSION, supportedExtensions } from "./ingest/formats/formats.ts";
import { createIdentities } from "./ingest/identity.ts";
import { extensionOf } from "./ingest/paths.ts";
import { type Scan, type ScannedFile, scanFiles, scanFolder } from "./ingest/scan.ts";
import { CHUNK_SETTINGS, toDocument } from "./ingest/to-document.ts";
import { costUsd, type PriceTable } from "./models/prices.ts";
import type { Corpus } from "./retrieve/corpus.ts";
import type { FileContent, FileRecord } from "./store/document-records.ts";
import type { Store } from "./store/store.ts";
import { sha256Hex } from "./text/hash.ts";
import { progressOf } from "./text/progress.ts";
import { NORMALISER_VERSION } from "./text/source-map.ts";

/** Raised when titles or blocks are read otherwise than before, so that unchanged files are read anew. */
const STRUCTURE_VERSION = 2;
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
  /** Reads and reports, and stores nothing. */
  readonly dryRun: boolean;
  /** Absolute paths of the files that are read: the rest of the source stays as it is. `null`: all of the folder. */
  readonly only: readonly string[] | null;
}

export interface IngestParts {
  readonly store: Store;
  readonly corpus: Pick<Corpus, "sync" | "finishSwitch" | "encoder">;
  /** Prices of encoders; `null` without an encoder. */
  readonly prices: PriceTable | null;
  /** Address of a document that states none. */
  readonly urlOf: (path: string) => string | null;
  readonly maxFileBytes: number;
  readonly reader: FileReader;
  /** Files that another source has, absolute path → source. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/**
 * The path of a document: scan, read, parse, chunk, store – one transaction per file – then delete what vanished and embed what is new.
 * An unchanged file costs a read and a hash; one that is found under another name goes on as the same documents. A file that cannot be read is reported, its old documents go, and the rest go on;
 * of a folder below that cannot be listed nothing is known, so what was ingested from it stays.
 * @throws IngestError when the folder itself cannot be read or holds nothing; nothing is changed then
 */
export async function* ingest(request: IngestRequest, parts: IngestParts, signal: AbortSignal): AsyncGenerator<IngestEvent, void> {
  signal.throwIfAborted();
  const begun = parts.clock();
  const { store } = parts;
  const scan =
    request.only === null
      ? scanFolder(request.folder, request.root, supportedExtensions)
      : scanFiles(request.only, request.root, supportedExtensions);
  const { files, skipped } = withoutStored(scan, parts.elsewhere);
  const { unreadable } = scan;
  const unread = skipped.filter(({ extension }) => extension !== null);
  yield { type: "scan-end", files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), skipped };
  const known = new Map((await store.documents.listFiles(request)).map((file) => [file.path, file]));
  if (files.length === 0 && skipped.length === scan.skipped.length && unreadable.length === 0 && !request.allowEmpty) {
    throw emptyFolder(request.folder, known.size);
  }
  const identities = createIdentities(
    [request.domain, request.tenant ?? "", request.source],
    await store.documents.listIdentities(request),
  );
  const counts = { total: files.length, done: 0, added: 0, changed: 0, unchanged: 0, renamed: 0, deleted: 0, failed: 0, bytes: 0 };
  const snapshot = (): IngestCounts => ({ ...counts });
  const notices: FileNotice[] = [];
  let chunks = 0;
  for (const { path, reason } of unreadable) {
    counts.failed++;
    yield { type: "file-failed", path: `${path}/`, code: "folder_unreadable", reason, counts: snapshot() };
  }
  // Of files that were not asked for nothing is known, like of those in a folder that cannot be listed.
  const isHidden = (path: string) => request.only !== null || unreadable.some((folder) => path.startsWith(`${folder.path}/`));
  const present = new Set(files.map(({ path }) => path));
  const gone = [...known.values()].filter(({ path }) => !present.has(path) && !isHidden(path));
  const renamable = new Map(gone.filter(({ status }) => status === "ok").map((file) => [file.originalHash, file]));
  const prepare = (file: ScannedFile) => prepareFile(file, { request, parts, known, signal });

  for await (const prepared of prepareAhead(files, prepare, parts.reader.threads)) {
    signal.throwIfAborted();
    const { path, bytes, originalHash, settings, outcome } = prepared;
    counts.done++;
    counts.bytes += bytes;
    if (outcome.type === "unchanged") {
      counts.unchanged++;
      yield { type: "document", path, outcome: "unchanged", chunks: 0, counts: snapshot() };
      continue;
    }
    if (outcome.type === "skipped") {
      present.delete(path);
      if (outcome.reason !== null) yield { type: "file-skipped", path, reason: outcome.reason, counts: snapshot() };
      continue;
    }
    const content = { originalHash, settings, access: request.access };
    if (outcome.type === "failed") {
      if (!request.dryRun)
        counts.deleted += (
          await store.documents.putFile({ ...request, path }, { ...content, documents: [], failure: outcome.error.message })
        ).deleted;
      counts.failed++;
      yield { type: "file-failed", path, code: outcome.error.code, reason: outcome.error.message, counts: snapshot() };
      continue;
    }
    const before = known.has(path) ? undefined : renamable.get(originalHash);
    if (before !== undefined) {
      renamable.delete(originalHash);
      identities.rename(before.path, path);
      if (!request.dryRun) await store.documents.renameFile(request, before.path, path);
      known.delete(before.path);
      counts.renamed++;
    }
    notices.push(...noticesOf(path, outcome.drafts));
    const made = outcome.drafts.reduce((sum, draft) => sum + draft.chunks.length, 0);
    chunks += made;
    const tenantError = foreignTenant(request, outcome.drafts);
    if (tenantError !== null) {
      if (!request.dryRun)
        counts.deleted += (
          await store.documents.putFile({ ...request, path }, { ...content, documents: [], failure: tenantError.message })
        ).deleted;
      counts.failed++;
      yield { type: "file-failed", path, code: tenantError.code, reason: tenantError.message, counts: snapshot() };
      continue;
    }
    if (request.dryRun) {
      const kind = before !== undefined ? "renamed" : known.has(path) ? "changed" : "added";
      if (kind !== "renamed") counts[kind] += Math.max(1, outcome.drafts.length);
      yield { type: "document", path, outcome: kind, chunks: made, counts: snapshot() };
      continue;
    }
    const documents = outcome.drafts.map((draft) => toDocument(request, draft, { id: identities.idOf(draft.path), urlOf: parts.urlOf }));
    const stored = await store.documents.putFile({ ...request, path }, { ...content, documents, failure: null });
    counts.added += stored.added;
    counts.changed += before === undefined ? stored.changed : 0;
    counts.unchanged += stored.unchanged;
    counts.deleted += stored.deleted;
    const kind = before !== undefined ? "renamed" : stored.changed > 0 ? "changed" : stored.added > 0 ? "added" : "unchanged";
    yield { type: "document", path, outcome: kind, chunks: made, counts: snapshot() };
  }

  // Files of a kind that is not read are remembered by name, so that a refusal can say what was not searched.
  for (const { path, reason } of unread) {
    signal.throwIfAborted();
    present.add(path);
    const before = known.get(path);
    if (request.dryRun || (before?.status === "failed" && before.reason === reason)) continue;
    const content: FileContent = { originalHash: "", settings: "", access: request.access, documents: [], failure: reason };
    counts.deleted += (await store.documents.putFile({ ...request, path }, content)).deleted;
  }
  for (const path of [...known.keys()].filter((one) => !present.has(one) && !isHidden(one))) {
    signal.throwIfAborted();
    counts.deleted += request.dryRun ? 1 : await store.documents.deleteFiles(request, [path]);
    yield { type: "document", path, outcome: "deleted", chunks: 0, counts: snapshot() };
  }
  const embedding = parts.prices === null || request.dryRun ? null : yield* embed(parts.corpus, parts.prices, signal);
  const revision = await store.documents.revision(request.domain);
  yield {
    type: "ingest-end",
    counts: snapshot(),
    chunks,
    ms: Math.round(parts.clock() - begun),
    revision,
    embedding,
    notices,
    unread: countKinds(unread),
    dryRun: request.dryRun,
  };
}

/** A file read, and what became of it. */
interface PreparedFile {
  readonly path: string;
  readonly bytes: number;
  readonly originalHash: string;
  readonly settings: string;
  readonly outcome:
    | { readonly type: "unchanged" }
    /** `reason`: why it is left out; `null`: it has vanished since it was listed. */
    | { readonly type: "skipped"; readonly reason: string | null }
    | { readonly type: "failed"; readonly error: SourceboundError }
    | { readonly type: "read"; readonly drafts: readonly DocumentDraft[] };
}

interface PrepareParts {
  readonly request: IngestRequest;
  readonly parts: Pick<IngestParts, "reader" | "urlOf" | "maxFileBytes">;
  readonly known: ReadonlyMap<string, FileRecord>;
  readonly signal: AbortSignal;
}

/** Reads a file and, if it is not as it was, what it says. */
async function prepareFile(file: ScannedFile, { request, parts, known, signal }: PrepareParts): Promise<PreparedFile> {
  const { path } = file;
  const settings = settingsHash(request, { url: parts.urlOf(path), recognises: parts.reader.recognises && extensionOf(path) === ".pdf" });
  const content = await readBytes(file, parts.maxFileBytes);
  const facts = { path, bytes: file.bytes, settings, originalHash: content instanceof Uint8Array ? sha256Hex(content) : "" };
  if (content === null) return { ...facts, outcome: { type: "skipped", reason: null } };
  if (content instanceof SourceboundError) return { ...facts, outcome: { type: "failed", error: content } };
  const before = known.get(path);
  if (before?.status === "ok" && before.originalHash === facts.originalHash && before.settings === settings) {
    return { ...facts, outcome: { type: "unchanged" } };
  }
  try {
    return { ...facts, outcome: { type: "read", drafts: await parts.reader.read({ path, bytes: content }, signal) } };
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    const isProgram = error.code === "binary_file" && extensionOf(path) === "";
    return {
      ...facts,
      outcome: isProgram ? { type: "skipped", reason: "no text, and no ending that says what it is" } : { type: "failed", error },
    };
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

/** What was said of a file's documents, each thing once. */
function noticesOf(path: string, drafts: readonly DocumentDraft[]): FileNotice[] {
  const said = new Map(drafts.flatMap(({ reading }) => reading.notices).map((notice) => [`${notice.code} ${notice.message}`, notice]));
  return [...said.values()].map((notice) => ({ path, ...notice }));
}

function foreignTenant({ tenant }: IngestRequest, drafts: readonly DocumentDraft[]): IngestError | null {
  const foreign = drafts.find((draft) => draft.tenant !== null && draft.tenant !== tenant);
  if (foreign === undefined) return null;
  return new IngestError(
    "tenant_mismatch",
    `${foreign.path} belongs to tenant "${foreign.tenant}" by its front matter: ingest it with --tenant ${foreign.tenant}.`,
  );
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

/** Everything besides the bytes that shapes a file's documents: when it changes, the file is read anew. */
function settingsHash(request: IngestRequest, { url, recognises }: { readonly url: string | null; readonly recognises: boolean }): string {
  return sha256Hex(
    JSON.stringify([
      NORMALISER_VERSION,
      STRUCTURE_VERSION,
      FORMATS_VERSION,
      CHUNK_SETTINGS,
      request.access,
      url,
      ...(recognises ? ["recognised"] : []),
    ]),
  ).slice(0, 16);
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
