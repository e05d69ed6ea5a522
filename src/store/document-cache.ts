import type { StoredDocument } from "../types.ts";

/** Characters of documents that are kept; with their sentences and offsets about three times as many bytes. */
export const CACHED_CHARACTERS = 32_000_000;

/**
 * Documents as they were read, for as long as they are among the last used. A version is a hash of all that a document says and of who may
 * see it, so what is kept under one never goes stale; whether a version is current and visible is for the store to ask.
 */
export class DocumentCache {
  private readonly limit: number;
  private readonly documents = new Map<string, StoredDocument>();
  private characters = 0;

  /** @param limit characters kept at most */
  constructor(limit: number = CACHED_CHARACTERS) {
    this.limit = limit;
  }

  /** Number of documents kept. */
  get size(): number {
    return this.documents.size;
  }

  /** The document in this version; `null` when it is not kept. */
  get(id: string, version: string): StoredDocument | null {
    const known = this.documents.get(id);
    if (known === undefined || known.version !== version) return null;
    this.documents.delete(id);
    this.documents.set(id, known);
    return known;
  }

  set(document: StoredDocument): void {
    this.drop(document.id);
    if (document.text.length > this.limit) return;
    this.documents.set(document.id, document);
    this.characters += document.text.length;
    for (const id of this.documents.keys()) {
      if (this.characters <= this.limit) return;
      this.drop(id);
    }
  }

  private drop(id: string): void {
    this.characters -= this.documents.get(id)?.text.length ?? 0;
    this.documents.delete(id);
  }
}
