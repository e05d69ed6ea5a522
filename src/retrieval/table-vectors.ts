import { messageOf } from "../shared/errors.ts";
import type { Scope } from "../shared/types.ts";
import type { FoundVector, StoredVector, VectorTable, VectorWindow } from "../store/postgres-vectors.ts";
import { memoised } from "../text/memo.ts";
import type { VectorRanking } from "./dense.ts";
import type { Entry, IndexedWindows } from "./indexed-windows.ts";
import { type Scored, SlotSet } from "./top-k.ts";

/** Vectors of a domain in database tables, one table for each encoder. */
export interface VectorTables {
  /** Number of vectors from which the HNSW index is used. Fewer are compared exactly. */
  readonly from: number;
  /** Opens the table of one encoder's vectors; `null` if no vectors are stored and their dimensions are unknown. */
  readonly open: (of: { readonly model: string; readonly dimensions: number | null }) => Promise<VectorTable | null>;
  /** Reports why the HNSW index cannot be built. Vectors are then compared one by one. */
  readonly warn: (message: string) => void;
}

export interface TableSearch {
  readonly values: Float32Array;
  /** Number of nearest windows to find. */
  readonly k: number;
  readonly scope: Scope;
  /** Number of windows that the scope may see. */
  readonly visible: number;
  /** Slots of the windows to search; `null`: all that the scope may see. */
  readonly among: readonly number[] | null;
  /** Slots of windows whose scores are wanted even if they are not among the nearest. */
  readonly scored: readonly number[];
}

/**
 * Vectors of one encoder's windows in a database table. This process only remembers which windows have a vector there;
 * the vectors themselves stay in the database.
 */
export class TableVectors {
  private readonly tables: VectorTables;
  private readonly model: string;
  private readonly indexed: () => IndexedWindows;
  private table: VectorTable | null = null;
  private stored = new SlotSet();
  private building: Promise<void> | null = null;
  private isBuilt = false;
  private failure: string | null = null;

  /** @param indexed returns the windows of the domain */
  constructor(tables: VectorTables, model: string, indexed: () => IndexedWindows) {
    this.tables = tables;
    this.model = model;
    this.indexed = indexed;
  }

  /** Number of windows whose vectors are stored. */
  get size(): number {
    return this.stored.size;
  }

  /** Dimensions of the vectors; 0 if none is stored. */
  get dimensions(): number {
    return this.table?.dimensions ?? 0;
  }

  /** Bytes of vectors in this process. */
  get bytes(): number {
    return 0;
  }

  has(slot: number): boolean {
    return this.stored.has(slot);
  }

  /** Forgets a window. The database deletes its vector together with the document. */
  delete(slot: number): void {
    this.stored.delete(slot);
  }

  /**
   * Remembers which windows of these documents already have vectors, stored by another process or before a restart.
   * @throws StoreError
   */
  async adopt(documentIds: readonly string[]): Promise<void> {
    this.table ??= await this.tables.open({ model: this.model, dimensions: null });
    if (this.table === null) return;
    const places = await this.table.places(documentIds);
    const { documents, entries } = this.indexed();
    for (const id of documentIds) for (const slot of documents.get(id)?.slots ?? []) this.stored.delete(slot);
    for (const [id, starts] of places)
      for (const slot of documents.get(id)?.slots ?? []) if (starts.has((entries[slot] as Entry).window.start)) this.stored.add(slot);
    this.buildIndexIfMany();
  }

  /** Stores the vectors of windows. @throws StoreError */
  async put(vectors: ReadonlyMap<number, Float32Array>): Promise<void> {
    const { entries } = this.indexed();
    const rows = [...vectors].map(([slot, vector]) => ({ slot, entry: entries[slot] as Entry, vector }));
    const [first] = rows;
    if (first === undefined) return;
    this.table ??= await this.tables.open({ model: this.model, dimensions: first.vector.length });
    const stored = rows.map(({ entry, vector }): StoredVector => {
      const { version, tenant, access } = entry.document;
      return { ...windowOf(entry), version, tenant: tenant ?? "", access, vector };
    });
    await this.table?.put(stored);
    // A document may have been removed during the writes.
    for (const { slot, entry } of rows) if (this.indexed().entries[slot] === entry) this.stored.add(slot);
    this.buildIndexIfMany();
  }

  /**
   * Compares a question's vector with the stored ones.
   * @returns a function that finds the slots of the compared windows as they are when it is called
   * @throws StoreError
   */
  async rank({ values, k, scope, visible, among, scored }: TableSearch): Promise<() => VectorRanking> {
    const filters = { vector: values, access: scope.access, tenants: scope.tenant === null ? [""] : ["", scope.tenant] };
    const find = async (limit: number, slots: readonly number[] | null): Promise<readonly FoundVector[]> => {
      if (this.table === null || limit <= 0 || slots?.length === 0) return [];
      const windows = slots?.map((slot) => windowOf(this.indexed().entries[slot] as Entry)) ?? null;
      return this.table.search({ ...filters, k: limit, windows, isExact: slots !== null || visible < this.tables.from });
    };
    const [near, others] = await Promise.all([find(k, among), find(scored.length, scored)]);
    return () => {
      const nearest = this.slotsOf(near);
      const scores = new Map([...this.slotsOf(others), ...nearest].map(({ slot, score }) => [slot, score]));
      return {
        nearest: (windows, accept) => nearest.filter(({ slot }) => accept.has(slot)).slice(0, windows),
        best(slots) {
          const known = slots.flatMap((slot) => scores.get(slot) ?? []);
          return known.length === 0 ? null : Math.max(...known);
        },
      };
    };
  }

  /** Returns found windows by their slots. Windows that are not indexed here, such as those of a newer version, are left out. */
  private slotsOf(found: readonly FoundVector[]): Scored[] {
    const { documents, entries } = this.indexed();
    const slotsByStart = memoised((id: string) => {
      const slots = documents.get(id)?.slots ?? [];
      return new Map(slots.map((slot) => [(entries[slot] as Entry).window.start, slot]));
    });
    return found.flatMap(({ documentId, start, score }): Scored[] => {
      const slot = slotsByStart(documentId).get(start);
      return slot === undefined ? [] : [{ slot, score }];
    });
  }

  /** Resolves when the HNSW index is not being built. */
  async idle(): Promise<void> {
    await this.building;
  }

  /** Starts to build the HNSW index in the background. Until it exists, the database compares all vectors. */
  private buildIndexIfMany(): void {
    if (this.isBuilt || this.building !== null || this.table === null || this.size < this.tables.from) return;
    this.building = this.table
      .buildIndex()
      .then(() => {
        this.isBuilt = true;
      })
      .catch((error: unknown) => {
        const reason = messageOf(error);
        if (reason === this.failure) return;
        this.failure = reason;
        this.tables.warn(`The vector index of "${this.model}" could not be built in PostgreSQL, so questions are slower: ${reason}`);
      })
      .finally(() => {
        this.building = null;
      });
  }
}

function windowOf({ document, window }: Entry): VectorWindow {
  return { documentId: document.id, start: window.start };
}
