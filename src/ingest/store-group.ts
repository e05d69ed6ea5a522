import { IngestError } from "../shared/errors.ts";
import type { FileNotice, IngestCounts, IngestEvent } from "../shared/events.ts";
import type { FileContent, FilePut, FileRecord, KnownDocument, PutOutcome } from "../store/document-rows.ts";
import { sha256Hex } from "../text/hash.ts";
import { renamedPath } from "../text/paths.ts";
import type { FileParts, IngestRequest, PreparedFile } from "./prepare-file.ts";
import { type DocumentDraft, toDocument } from "./to-document.ts";
/** Maximum files per transaction. A transaction per file would take longer than reading the file. */
export const GROUP_FILES = 64;
/** Maximum characters of a group. Other writers wait for the group's transaction, so it must be short. */
const GROUP_CHARACTERS = 4_000_000;
/** Milliseconds after which a group is stored even if it is not full. */
export const GROUP_MS = 250;

/** The state of one ingest. */
export interface Run {
  readonly request: IngestRequest;
  readonly parts: FileParts;
  /** Files that were stored from this source before this ingest, by path. Renamed files are removed from the map. */
  readonly known: Map<string, FileRecord>;
  /** Paths of the files that the source has now. */
  readonly present: Set<string>;
  readonly identities: ReturnType<typeof createIdentities>;
  /** Vanished files by the hash of their bytes. A new file with the same hash counts as the vanished file under a new name. */
  readonly renamable: Map<string, FileRecord>;
  readonly counts: { -readonly [Name in keyof IngestCounts]: IngestCounts[Name] };
  readonly notices: FileNotice[];
  chunks: number;
  /** Whether this ingest has stored anything. */
  isBegun: boolean;
}

/**
 * Stores a group of files in one transaction and yields the outcome of each file in order. A file is stored completely
 * or not at all.
 */
export async function* storeGroup(group: readonly PreparedFile[], run: Run): AsyncGenerator<IngestEvent, void> {
  const steps = group.map((file) => ({ file, ...planPut(file, run) }));
  const puts = steps.flatMap(({ put }) => (put === null ? [] : [put]));
  const stored = run.request.dryRun || puts.length === 0 ? [] : await put(puts, run);
  const outcomes = new Map(puts.map((put, i) => [put, stored[i] ?? null]));
  for (const { file, put, renamed } of steps) {
    const event = eventOf(file, put === null ? null : { failure: put.content.failure, outcome: outcomes.get(put) ?? null, renamed }, run);
    if (event !== null) yield event;
  }
}

/** Stores files. Before the first files, records that the ingest is unfinished: if it is interrupted, answers carry a warning. */
async function put(puts: readonly FilePut[], run: Run): Promise<readonly PutOutcome[]> {
  const { store } = run.parts;
  if (!run.isBegun) await store.unfinished.begin({ ...run.request, files: run.counts.total });
  run.isBegun = true;
  return store.documents.putFiles(puts);
}

/** Decides what to store for a file. `put` is `null` if nothing changes. */
function planPut(
  { path, originalHash, settings, outcome }: PreparedFile,
  { request, parts, known, identities, renamable }: Run,
): { readonly put: FilePut | null; readonly renamed: boolean } {
  if (outcome.type === "unchanged" || outcome.type === "skipped") return { put: null, renamed: false };
  const failed = (reason: string) => failedFile(request, path, { reason, hash: originalHash, settings });
  if (outcome.type === "failed") {
    const { message } = outcome.error;
    const readAt = standingSince(known.get(path), request);
    if (readAt === null) return { put: failed(message), renamed: false };
    const { place, content } = failed(`${message.replace(/\.?$/, ".")} The version read on ${readAt.slice(0, 10)} is kept.`);
    return { put: { place, content: { ...content, documents: null } }, renamed: false };
  }
  const before = known.has(path) ? undefined : renamable.get(originalHash);
  if (before !== undefined) {
    renamable.delete(originalHash);
    identities.rename(before.path, path);
    known.delete(before.path);
  }
  const foreign = foreignTenant(request, outcome.drafts);
  const drafts = foreign !== null || request.dryRun ? [] : outcome.drafts;
  const documents = drafts.map((draft) => toDocument(request, draft, { id: identities.idOf(draft.path), urlOf: parts.urlOf }));
  const content: FileContent = { originalHash, settings, access: request.access, documents, failure: foreign?.message ?? null };
  const put = { place: { ...request, path }, content };
  return before === undefined ? { put, renamed: false } : { put: { ...put, renamedFrom: before.path }, renamed: true };
}

/**
 * For a file that cannot be read now, returns the time at which its stored version was read. This version is kept, because the file may be
 * half copied or briefly locked. Returns `null` if the access label has changed, because it is then unknown who may see the stored version.
 */
function standingSince(file: FileRecord | undefined, { access }: IngestRequest): string | null {
  return file?.access === access ? file.readAt : null;
}

export function failedFile(
  request: IngestRequest,
  path: string,
  { reason, hash, settings }: { readonly reason: string; readonly hash: string; readonly settings: string },
): FilePut {
  const content = { originalHash: hash, settings, access: request.access, documents: [], failure: reason };
  return { place: { ...request, path }, content };
}

/** `outcome` is `null` in a dry run. */
type Stored = Readonly<{ failure: string | null; outcome: PutOutcome | null; renamed: boolean }>;

/** Updates the counts for a file and returns its event; `null` if the file vanished. */
function eventOf(file: PreparedFile, stored: Stored | null, run: Run): IngestEvent | null {
  const { path, outcome } = file;
  const { counts } = run;
  counts.done++;
  counts.bytes += file.bytes;
  if (outcome.type === "unchanged") {
    counts.unchanged++;
    return { type: "document", path, outcome: "unchanged", chunks: 0, counts: { ...counts } };
  }
  if (outcome.type === "skipped") {
    run.present.delete(path);
    return outcome.reason === null ? null : { type: "file-skipped", path, reason: outcome.reason, counts: { ...counts } };
  }
  counts.deleted += stored?.outcome?.deleted ?? 0;
  if (stored?.renamed === true) counts.renamed++;
  const drafts = outcome.type === "read" ? outcome.drafts : [];
  run.notices.push(...noticesOf(path, drafts));
  if (stored !== null && stored.failure !== null) {
    counts.failed++;
    const code = outcome.type === "failed" ? outcome.error.code : "tenant_mismatch";
    const readAt = outcome.type === "failed" ? standingSince(run.known.get(path), run.request) : null;
    return { type: "file-failed", path, code, reason: stored.failure, readAt, counts: { ...counts } };
  }
  const chunks = drafts.reduce((sum, draft) => sum + draft.chunks.length, 0);
  run.chunks += chunks;
  const kind = stored === null ? "unchanged" : kindOf(stored, run.known.has(path));
  if (stored?.outcome === null) {
    if (kind === "added" || kind === "changed") counts[kind] += Math.max(1, drafts.length);
  } else if (stored !== null) {
    counts.added += stored.outcome.added;
    counts.changed += stored.renamed ? 0 : stored.outcome.changed;
    counts.unchanged += stored.outcome.unchanged;
  }
  return { type: "document", path, outcome: kind, chunks, counts: { ...counts } };
}

function kindOf({ outcome, renamed }: Stored, isKnown: boolean): "renamed" | "changed" | "added" | "unchanged" {
  if (renamed) return "renamed";
  if (outcome === null) return isKnown ? "changed" : "added";
  return outcome.changed > 0 ? "changed" : outcome.added > 0 ? "added" : "unchanged";
}

export function isFullGroup(group: readonly PreparedFile[]): boolean {
  const characters = ({ outcome }: PreparedFile) =>
    outcome.type === "read" ? outcome.drafts.reduce((sum, { text }) => sum + text.length, 0) : 0;
  return group.length >= GROUP_FILES || group.reduce((sum, file) => sum + characters(file), 0) >= GROUP_CHARACTERS;
}

/** Returns the distinct notices of a file's documents. */
function noticesOf(path: string, drafts: readonly DocumentDraft[]): FileNotice[] {
  const distinct = new Map(drafts.flatMap(({ reading }) => reading.notices).map((notice) => [`${notice.code} ${notice.message}`, notice]));
  return [...distinct.values()].map((notice) => ({ path, ...notice }));
}

function foreignTenant({ tenant }: IngestRequest, drafts: readonly DocumentDraft[]): IngestError | null {
  const foreign = drafts.find((draft) => draft.tenant !== null && draft.tenant !== tenant);
  if (foreign === undefined) return null;
  const message = `${foreign.path} belongs to tenant "${foreign.tenant}" by its front matter: ingest it with --tenant ${foreign.tenant}.`;
  return new IngestError("tenant_mismatch", message);
}

/**
 * Assigns document ids. A document whose path is known keeps its id.
 * @param origin domain, tenant and source, which distinguish documents with equal paths
 * @param known stored documents of that source
 */
export function createIdentities(origin: readonly string[], known: readonly KnownDocument[]) {
  const byPath = new Map(known.map((document) => [document.path, document]));
  const taken = new Set(known.map(({ id }) => id));
  return {
    idOf(path: string): string {
      const before = byPath.get(path);
      if (before !== undefined) return before.id;
      // The id may be taken: a renamed document keeps the id that was derived from its former path.
      for (let n = 0; ; n++) {
        const id = sha256Hex([...origin, path, ...(n === 0 ? [] : [String(n)])].join("\0")).slice(0, 24);
        if (taken.has(id)) continue;
        taken.add(id);
        byPath.set(path, { id, file: path, path });
        return id;
      }
    },
    /** Gives the documents of a file another path. They keep their ids. */
    rename(from: string, to: string) {
      for (const document of [...byPath.values()].filter(({ file }) => file === from)) {
        byPath.delete(document.path);
        const path = renamedPath(document.path, from, to);
        byPath.set(path, { ...document, file: to, path });
      }
    },
  };
}
