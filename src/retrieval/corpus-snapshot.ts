import { z } from "zod";
import { VERSION } from "../package.ts";
import type { Chunk, Window } from "../shared/types.ts";
import type { DocumentHead } from "../store/document-rows.ts";
import { sha256Hex } from "../text/hash.ts";
import { memoised } from "../text/memo.ts";
import { tokenize } from "../text/tokens.ts";
import { Bm25Index } from "./bm25.ts";
import { DenseIndex, type DenseOptions } from "./dense.ts";
import { type DocumentInIndex, type Entry, FIELD_WEIGHTS, IndexedWindows, type SearchableDocument } from "./indexed-windows.ts";
import {
  arrayIn,
  damaged,
  longStringSections,
  numbered,
  numberSection,
  type Piece,
  prefixed,
  readFacts,
  readSnapshot,
  type Section,
  type Snapshot,
  SnapshotError,
  type SnapshotFile,
  StringColumn,
  snapshotPieces,
  stringSections,
} from "./snapshot.ts";
import { readOwners, Vocabulary } from "./vocabulary.ts";

/**
 * Numbers per row of a snapshot's sections `chunks` (ordinal, start, end, tokens, heading path, end of its windows),
 * `windows` (start, end, tokens) and `documents` (owner, end of its windows, end of its words).
 */
const CHUNK_FIELDS = 6;
const WINDOW_FIELDS = 3;
const DOCUMENT_FIELDS = 3;

/** Writes the sections that `WindowTable` reads. The windows of a chunk must be adjacent in `entries`. */
function chunkSections(entries: readonly Entry[]): Section[] {
  const chunks = entries.map(({ chunk }) => chunk).filter((chunk, i, all) => chunk !== all[i - 1]);
  const headings = numbered(chunks.map(({ headingPath }) => JSON.stringify(headingPath)));
  let windowsEnd = 0;
  const rows = chunks.map(({ ordinal, start, end, tokens, windows }, i) => {
    windowsEnd += windows.length;
    return [ordinal, start, end, tokens, headings.numbers[i] as number, windowsEnd];
  });
  const ids = chunks.map(({ id }) => id);
  const windows = entries.map(({ window: { start, end, tokens } }) => [start, end, tokens]);
  return [
    ...stringSections("chunkIds", ids),
    ...stringSections("headings", headings.values),
    numberSection("chunks", rows),
    numberSection("windows", windows),
  ];
}

/** The chunks and windows of a snapshot. Each object is created on first access. */
class WindowTable {
  readonly windows: number;
  private readonly chunkRows: Uint32Array;
  private readonly windowRows: Uint32Array;
  private readonly ids: StringColumn;
  private readonly chunks: Chunk[] = [];
  private readonly headingPath: (number: number) => string[];

  /** @throws SnapshotError when its sections are damaged */
  constructor(snapshot: Snapshot) {
    this.chunkRows = arrayIn(snapshot, "chunks", Uint32Array);
    this.windowRows = arrayIn(snapshot, "windows", Uint32Array);
    this.ids = new StringColumn(snapshot, "chunkIds");
    const headings = new StringColumn(snapshot, "headings");
    this.headingPath = memoised((number) => headingSchema.parse(JSON.parse(headings.get(number))));
    this.windows = this.windowRows.length / WINDOW_FIELDS;
    const chunks = this.ids.length;
    if (this.chunkRows.length !== chunks * CHUNK_FIELDS || this.windowsEnd(chunks - 1) !== this.windows)
      throw damaged(`its counts of chunks (${chunks}) and windows (${this.windows}) do not match its contents`);
  }

  /** Returns the index of the first window after a chunk. */
  windowsEnd(chunk: number): number {
    return chunk < 0 ? 0 : (this.chunkRows[chunk * CHUNK_FIELDS + 5] as number);
  }

  chunk(documentId: string, number: number): Chunk {
    const known = this.chunks[number];
    if (known !== undefined) return known;
    const [ordinal = 0, start = 0, end = 0, tokens = 0, headings = 0] = this.chunkRows.subarray(number * CHUNK_FIELDS);
    const windows: Window[] = [];
    for (let i = this.windowsEnd(number - 1); i < this.windowsEnd(number); i++) {
      const [start = 0, end = 0, tokens = 0] = this.windowRows.subarray(i * WINDOW_FIELDS);
      windows.push({ start, end, tokens });
    }
    const headingPath = this.headingPath(headings);
    const chunk = { id: this.ids.get(number), documentId, ordinal, start, end, tokens, headingPath, windows };
    this.chunks[number] = chunk;
    return chunk;
  }
}

class LoadedEntry implements Entry {
  readonly document: SearchableDocument;
  private readonly table: WindowTable;
  private readonly chunkNumber: number;
  private readonly windowNumber: number;

  constructor(document: SearchableDocument, table: WindowTable, chunk: number, window: number) {
    this.document = document;
    this.table = table;
    this.chunkNumber = chunk;
    this.windowNumber = window;
  }

  get chunk(): Chunk {
    return this.table.chunk(this.document.id, this.chunkNumber);
  }

  get window(): Window {
    return this.chunk.windows[this.windowNumber - this.table.windowsEnd(this.chunkNumber - 1)] as Window;
  }
}

/** Creates a document from a snapshot. `textIn` decodes only the requested range, because a question mostly needs one window. */
function loadedDocument(id: string, head: DocumentHead, texts: StringColumn, number: number): SearchableDocument {
  return {
    ...{ id, ...head },
    get text() {
      return texts.get(number);
    },
    textIn: ({ start, end }) => texts.slice(number, start, end),
  };
}

const headingSchema = z.array(z.string());

/**
 * Snapshot of a corpus: the data of `IndexedWindows` and the vectors. It leaves out deleted windows, so that no word,
 * text or vector of a deleted document is written.
 *
 * Documents are ordered by their first window. On loading, a document's title, description, path, tenant and access
 * label come from the store, not from the snapshot.
 */

/** Facts in the header of a snapshot. They identify the index. */
const factsSchema = z.object({
  /** Id of the store that the index was built from. */
  store: z.string(),
  domain: z.string(),
  /** Revision of the store at which the snapshot was taken. */
  revision: z.number().int(),
  /** Id of the encoder of the vectors; `null`: the snapshot has no vectors. */
  encoder: z.string().nullable(),
  vectors: z.number().int().nonnegative(),
  /** Result of `analysis`: a hash of everything that affects tokens. */
  analysis: z.string(),
});
export type CorpusFacts = z.infer<typeof factsSchema>;

/** Sample text with every kind of token. A changed tokeniser yields other tokens, so `analysis` changes. */
const PROBE =
  "The veterans' claims weren't rated 70 percent: Form 21-526EZ, DC 6260 and 38 CFR 4.25 paid $1,200.50 on 9/11, naïve cafés running";

/** Returns a hash of the program version, the field weights and the tokeniser. A snapshot with another hash is not used. */
export function analysis(): string {
  return sha256Hex(JSON.stringify([VERSION, FIELD_WEIGHTS, tokenize(PROBE)])).slice(0, 16);
}

/** Serialises a corpus as parts of a file. The corpus may change while they are written: each part is a copy or immutable. */
export function encodeCorpus(windows: IndexedWindows, vectors: DenseIndex | null, facts: CorpusFacts): Piece[] {
  const held = [...windows.documents.values()].sort((a, b) => firstSlot(a) - firstSlot(b));
  const documents = held.map(({ document }) => document);
  const [ids, versions] = [documents.map(({ id }) => id), documents.map(({ version }) => version)];
  const slots = held.flatMap((one) => one.slots);
  const entries = slots.map((slot) => windows.entries[slot] as Entry);
  const owners = numbered(documents.map(({ tenant, access }) => JSON.stringify({ tenant, access })));
  const vocabulary = windows.vocabulary.save();
  const words = held.map(({ document, words }) => words.map(renaming(vocabulary.renamed(document))));
  const texts = documents.map((document) => () => document.text);
  let windowsEnd = 0;
  let wordsEnd = 0;
  const documentRows = held.map((one, i) => {
    windowsEnd += one.slots.length;
    wordsEnd += one.words.length;
    return [owners.numbers[i] as number, windowsEnd, wordsEnd];
  });
  return snapshotPieces({ ...facts }, [
    ...prefixed("words.", windows.words.save()),
    ...prefixed("vocabulary.", vocabulary.sections),
    ...stringSections("ids", ids),
    ...stringSections("versions", versions),
    ...stringSections("owners", owners.values),
    numberSection("documents", documentRows),
    ["documentWords", words],
    ...longStringSections("texts", texts),
    ...chunkSections(entries),
    ...prefixed("vectors.", vectors?.save(slots) ?? []),
  ]);
}

/**
 * Reads the header of a snapshot.
 * @throws SnapshotError when the file is not a snapshot
 */
export function readCorpusFacts(file: SnapshotFile): CorpusFacts {
  return readFacts(readSnapshot(file), factsSchema);
}

/** What a snapshot is compared with: the store, the domain, the id of the active encoder, and the documents of the store. */
interface Wanted extends Pick<CorpusFacts, "store" | "domain" | "encoder"> {
  readonly heads: ReadonlyMap<string, DocumentHead>;
  /** Options of the vector index. @default all vectors are in the memory of this process */
  readonly dense?: DenseOptions | undefined;
}

/**
 * Loads a corpus. Skips documents whose version, tenant or access label differs from the store, and vectors of another
 * encoder.
 * @returns `otherEncoder`: id of the encoder whose vectors were skipped; `outdated`: whether documents were skipped
 * @throws SnapshotError when the snapshot is incomplete, damaged, or from another store, domain or program version
 */
export function decodeCorpus(file: SnapshotFile, { store, domain, encoder, heads, dense }: Wanted) {
  const snapshot = readSnapshot(file);
  const facts = readFacts(snapshot, factsSchema);
  if (facts.store !== store || facts.domain !== domain)
    throw new SnapshotError("snapshot_store", "The index snapshot belongs to another database. The index is rebuilt automatically.");
  if (facts.analysis !== analysis())
    throw new SnapshotError("snapshot_version", "The index snapshot was made by another program version. It is rebuilt automatically.");
  const usable = encoder !== null && facts.encoder === encoder;
  const vectors = usable && facts.vectors > 0 ? DenseIndex.load(snapshot.part("vectors."), dense) : null;
  const words = Bm25Index.load(snapshot.part("words."));
  const vocabulary = Vocabulary.load(snapshot.part("vocabulary."));
  const table = new WindowTable(snapshot);
  const texts = new StringColumn(snapshot, "texts", dense?.createFile);
  const ids = new StringColumn(snapshot, "ids");
  const versions = new StringColumn(snapshot, "versions");
  const owners = readOwners(snapshot);
  const documentRows = arrayIn(snapshot, "documents", Uint32Array);
  const documentWords = arrayIn(snapshot, "documentWords", Uint32Array);
  const documents = new Map<string, DocumentInIndex>();
  const stale: number[] = [];
  const entries: (Entry | null)[] = new Array(table.windows).fill(null);
  let slot = 0;
  let word = 0;
  let chunk = 0;
  for (let i = 0; i < ids.length; i++) {
    const [ownerNumber = 0, windowsEnd = 0, wordsEnd = 0] = documentRows.subarray(i * DOCUMENT_FIELDS);
    const id = ids.get(i);
    const version = versions.get(i);
    const owner = owners[ownerNumber];
    if (owner === undefined || windowsEnd < slot || windowsEnd > table.windows) throw damaged(`document ${i} refers to missing parts`);
    const ownWords = documentWords.subarray(word, wordsEnd);
    const head = heads.get(id);
    const current = head !== undefined && head.version === version && head.tenant === owner.tenant && head.access === owner.access;
    const document = current ? loadedDocument(id, head, texts, i) : null;
    const slots: number[] = [];
    for (; slot < windowsEnd; slot++) {
      while (slot >= table.windowsEnd(chunk)) chunk++;
      slots.push(slot);
      if (document !== null) entries[slot] = new LoadedEntry(document, table, chunk, slot);
      else words.delete(slot);
    }
    if (document !== null) documents.set(id, { version, document, slots, words: ownWords });
    else {
      if (ownWords.length > 0) vocabulary.remove(owner, ownWords);
      stale.push(...slots);
    }
    word = wordsEnd;
  }
  const whole = slot === table.windows && words.slots === table.windows && word === documentWords.length && texts.length === ids.length;
  if (!whole) throw damaged(`its documents (${ids.length}), windows (${table.windows}) and indexed texts (${words.slots}) do not match`);
  for (const one of stale) vectors?.delete(one);
  return {
    windows: new IndexedWindows({ words, vocabulary, entries, documents }),
    vectors,
    otherEncoder: facts.encoder !== null && encoder !== null && !usable ? facts.encoder : null,
    outdated: documents.size !== ids.length,
  };
}

function firstSlot({ slots }: DocumentInIndex): number {
  return slots[0] ?? Number.MAX_SAFE_INTEGER;
}

function renaming(renamed: Uint32Array): (number: number) => number {
  return (number) => renamed[number] as number;
}
