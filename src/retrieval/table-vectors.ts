import type { Scope } from "../shared/types.ts";
import { EXACT_UP_TO, type StoredVector, type VectorTable } from "../store/postgres-vectors.ts";
import { DenseIndex } from "./dense.ts";
import type { Entry, IndexedWindows } from "./indexed-windows.ts";
import { type Scored, SlotSet } from "./top-k.ts";

/** Vectors of one model in one index, searched by group. A search never crosses groups. */
export class VectorGroups {
  private readonly index = new DenseIndex();
  private readonly groups = new Map<string, SlotSet>();
  private readonly groupOf = new Map<number, string>();

  /** Adds a vector and returns its slot. */
  add(group: string, vector: Float32Array): number {
    const slot = this.index.add(vector);
    const slots = this.groups.get(group) ?? new SlotSet();
    slots.add(slot);
    this.groups.set(group, slots);
    this.groupOf.set(slot, group);
    return slot;
  }

  delete(slot: number): void {
    const group = this.groupOf.get(slot);
    if (group === undefined) return;
    this.index.delete(slot);
    this.groupOf.delete(slot);
    this.groups.get(group)?.delete(slot);
  }

  /** Returns the `k` nearest vectors of a group by cosine, best first. */
  search(group: string, vector: Float32Array, k: number): Scored[] {
    const slots = this.groups.get(group);
    return slots === undefined ? [] : this.index.search(vector, k, slots);
  }
}

/** Options of the vector search in database tables. */
export interface VectorTables {
  /** Fills and searches the table only for requests with `inTables`. @default false */
  readonly onRequest?: boolean;
  /** Minimum number of windows in a domain that uses the table. */
  readonly from: number;
  /** Maximum number of visible windows that this process compares itself, without the table. @default EXACT_UP_TO */
  readonly exactUpTo?: number;
  /**
   * Opens the table of one encoder's vectors.
   * @throws StoreError `vectors_unavailable`, `vectors_too_wide`
   */
  readonly open: (of: { readonly model: string; readonly dimensions: number }) => Promise<VectorTable>;
  /** Reports why the table cannot be used. Vectors are then compared in this process. */
  readonly warn: (message: string) => void;
}

/** A search in the table. */
export interface TableSearch {
  readonly values: Float32Array;
  readonly index: DenseIndex;
  /** Number of windows to return. */
  readonly k: number;
  readonly scope: Scope;
  /** Windows that the scope may see. */
  readonly accept: SlotSet;
}

interface Opened {
  readonly index: DenseIndex;
  readonly table: VectorTable;
  /** Windows known to be in the table. */
  readonly known: WeakSet<Entry>;
  /** Slots of windows that are not in the table; `null` if unknown since the last change. */
  lacking: SlotSet | null;
  isIndexed: boolean;
}

/** Maximum number of windows per write. If a write fails, earlier ones remain. */
const WINDOWS_PER_PUT = 2_000;

/**
 * Vectors of a domain in a database table, filled from this process and searched with the table's index. Vectors
 * missing in the table (of new documents, or being written by another process) are compared in this process, so nothing
 * is missed. Table rows of documents that this process has not indexed are ignored. All scores are computed in this
 * process, so that a ranking does not depend on where a window was found.
 */
export class TableVectors {
  private readonly tables: VectorTables;
  private opened: Opened | null = null;
  private work: Promise<void> = Promise.resolve();
  private isAtWork = false;
  /** The last call of `follow` that arrived while the table was being filled; it is repeated afterwards. */
  private next: (() => void) | null = null;
  private failure: string | null = null;

  constructor(tables: VectorTables) {
    this.tables = tables;
  }

  /** Starts to fill the table in the background. Call it after windows or vectors have changed. */
  follow(index: DenseIndex | null, model: string, indexed: IndexedWindows): void {
    if (index === null || index.dimensions === 0 || indexed.words.size < this.tables.from) return;
    if (this.isAtWork) {
      this.next = () => this.follow(index, model, indexed);
      return;
    }
    const lacks = this.opened?.index !== index || !this.opened.isIndexed || this.lackingIn(this.opened, indexed).size > 0;
    if (!lacks) return;
    this.isAtWork = true;
    this.work = this.fill(index, { model, dimensions: index.dimensions }, indexed)
      .then(() => {
        this.failure = null;
      })
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== this.failure) this.tables.warn(`Vectors are compared in this process, not in the table: ${reason}`);
        this.failure = reason;
      })
      .finally(() => {
        this.isAtWork = false;
        const { next } = this;
        this.next = null;
        if (this.failure === null) next?.();
      });
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    do await this.work;
    while (this.isAtWork);
  }

  /**
   * Returns the windows nearest to a question, best first. Returns `null` if this process must compare all of them,
   * because few are visible or the table is not ready.
   */
  async search({ values, index, k, scope, accept }: TableSearch, indexed: IndexedWindows): Promise<Scored[] | null> {
    const { opened } = this;
    if (opened === null || opened.index !== index || !opened.isIndexed) return null;
    const kept = accept.size;
    if (kept <= (this.tables.exactUpTo ?? EXACT_UP_TO)) return null;
    // A window that is written to the table during the search may be missing in the result. So list the windows that the
    // table lacks before the search too, and compare all of them in this process.
    const before: { slot: number; entry: Entry | null | undefined }[] = [];
    this.lackingIn(opened, indexed).forEach((slot) => {
      before.push({ slot, entry: indexed.entries[slot] });
    });
    const found = await opened.table.search({
      ...{ vector: values, k, kept, documentIds: null, access: scope.access },
      tenants: scope.tenant === null ? [""] : ["", scope.tenant],
    });
    const slots = new Set<number>();
    for (const { documentId, start } of found) {
      const slot = indexed.documents.get(documentId)?.slots.find((one) => indexed.entries[one]?.window.start === start);
      if (slot !== undefined && accept.has(slot)) slots.add(slot);
    }
    const lacking = new SlotSet();
    const lack = (slot: number) => {
      if (accept.has(slot)) lacking.add(slot);
    };
    for (const { slot, entry } of before) if (indexed.entries[slot] === entry) lack(slot);
    this.lackingIn(opened, indexed).forEach(lack);
    const compared = index.search(values, k, lacking);
    const scored = [...slots].flatMap((slot): Scored[] => {
      const score = index.best(values, [slot]);
      return score === null || lacking.has(slot) ? [] : [{ slot, score }];
    });
    return [...scored, ...compared].sort((a, b) => b.score - a.score || a.slot - b.slot).slice(0, k);
  }

  /** Must be called whenever windows are added or deleted. */
  clear(): void {
    if (this.opened !== null) this.opened.lacking = null;
  }

  private lackingIn(opened: Opened, { entries }: IndexedWindows): SlotSet {
    opened.lacking ??= SlotSet.from(entries.length, (slot) => {
      const entry = entries[slot];
      return entry != null && !opened.known.has(entry);
    });
    return opened.lacking;
  }

  private async fill(index: DenseIndex, of: Parameters<VectorTables["open"]>[0], indexed: IndexedWindows): Promise<void> {
    if (this.opened?.index !== index) {
      const table = await this.tables.open(of);
      this.opened = { index, table, known: new WeakSet(), lacking: null, isIndexed: false };
    }
    const { table, known } = this.opened;
    const missing: { entry: Entry; slot: number }[] = [];
    this.lackingIn(this.opened, indexed).forEach((slot) => {
      const entry = indexed.entries[slot];
      if (entry != null && index.has(slot)) missing.push({ entry, slot });
    });
    const there = await table.places([...new Set(missing.map(({ entry }) => entry.document.id))]);
    const isThere = ({ document, window }: Entry) => there.get(document.id)?.has(window.start) === true;
    for (const { entry } of missing) if (isThere(entry)) known.add(entry);
    this.clear();
    const toPut = missing.filter(({ entry }) => !known.has(entry));
    for (let at = 0; at < toPut.length; at += WINDOWS_PER_PUT) {
      // Skip windows that were deleted meanwhile; they no longer have a vector.
      const part = toPut.slice(at, at + WINDOWS_PER_PUT).filter(({ entry, slot }) => indexed.entries[slot] === entry);
      await table.put(part.map(({ entry, slot }) => rowOf(entry, index.vectorAt(slot))));
      for (const { entry } of part) known.add(entry);
      this.clear();
    }
    await table.buildIndex();
    this.opened.isIndexed = true;
  }
}

function rowOf({ document, window }: Entry, vector: Float32Array): StoredVector {
  const { id, version, tenant, access } = document;
  return { documentId: id, version, tenant: tenant ?? "", access, start: window.start, vector };
}
