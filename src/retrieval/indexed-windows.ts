import { LRUCache } from "lru-cache";
import type { Chunk, Scope, TextRange, Window } from "../shared/types.ts";
import type { IndexedDocument } from "../store/document-rows.ts";
import { tokenize } from "../text/tokens.ts";
import { Bm25Index } from "./bm25.ts";
import { SlotSet } from "./top-k.ts";
import { Vocabulary, type VocabularyOwner } from "./vocabulary.ts";

/** Maximum number of cached scopes. A server has few combinations of tenant and labels in use at a time. */
const MAX_SCOPES = 64;

/** Returns whether the scope may read documents with this tenant and access label. */
export function scopeSees(scope: Scope, { tenant, access }: VocabularyOwner): boolean {
  return scope.access.includes(access) && (tenant === null || tenant === scope.tenant);
}

/** Returns a key of the scope's tenant and access labels. The domain is left out, because an index covers one domain. */
export function scopeKey({ tenant, access }: Scope): string {
  return JSON.stringify([tenant, [...access].sort()]);
}

/** The windows of a document by their slots in the index, with its tenant and access label. */
interface OwnedWindows {
  readonly document: VocabularyOwner;
  readonly slots: readonly number[];
}

/** The windows that each scope may see, cached until `clear`. */
export class ScopeFilter {
  private readonly known: LRUCache<string, SlotSet, Scope>;

  /** @param documents returns all documents that are indexed now */
  constructor(documents: () => Iterable<OwnedWindows>) {
    this.known = new LRUCache({
      max: MAX_SCOPES,
      memoMethod(_key, _stale, { context: scope }) {
        const visible = new SlotSet();
        for (const { document, slots } of documents()) if (scopeSees(scope, document)) for (const slot of slots) visible.add(slot);
        return visible;
      },
    });
  }

  /** Returns the windows that the scope may see. The set is shared, so callers must not change it; `and` returns a new set. */
  slotsFor(scope: Scope): SlotSet {
    return this.known.memo(scopeKey(scope), { context: scope });
  }

  /** Call whenever a document is added or deleted, or its tenant or access label changes. */
  clear(): void {
    this.known.clear();
  }
}

/**
 * Weights of the fields that are indexed with every window, relative to 1 for the text of the window. Chosen by
 * judgement, not measured.
 */
export const FIELD_WEIGHTS = { title: 2, headings: 1, description: 1, body: 1 } as const;

/** The data of a document that a search needs. */
export interface SearchableDocument
  extends Pick<IndexedDocument, "id" | "version" | "tenant" | "access" | "path" | "title" | "description" | "text"> {
  /** Returns a part of the text. May be cheaper than reading `text`. */
  textIn(range: TextRange): string;
}

/** A window with its chunk and document. */
export interface Entry {
  readonly document: SearchableDocument;
  readonly chunk: Chunk;
  readonly window: Window;
}

export interface DocumentInIndex {
  readonly version: string;
  readonly document: SearchableDocument;
  readonly slots: readonly number[];
  /** Numbers of its words in the vocabulary of its tenant and access label. */
  readonly words: Uint32Array;
}

/** All windows of a domain by slot: their words for BM25, their chunks and documents, and the vocabulary. */
export class IndexedWindows {
  readonly words: Bm25Index;
  readonly vocabulary: Vocabulary;
  /** Entry of each slot of `words`; `null` if deleted. */
  readonly entries: (Entry | null)[];
  readonly documents: Map<string, DocumentInIndex>;

  constructor(held?: Pick<IndexedWindows, "words" | "vocabulary" | "entries" | "documents">) {
    this.words = held?.words ?? new Bm25Index();
    this.vocabulary = held?.vocabulary ?? new Vocabulary();
    this.entries = held?.entries ?? [];
    this.documents = held?.documents ?? new Map();
  }

  insert(source: IndexedDocument, stem: (word: string) => string): void {
    const { id, version, tenant, access, path, text, description } = source;
    const textIn = ({ start, end }: TextRange) => text.slice(start, end);
    const document: SearchableDocument = { id, version, tenant, access, path, title: source.title, description, text, textIn };
    const tokens = (part: string) => tokenize(part, stem);
    const about = [
      { tokens: tokens(source.title), weight: FIELD_WEIGHTS.title },
      { tokens: tokens(description ?? ""), weight: FIELD_WEIGHTS.description },
    ];
    const slots: number[] = [];
    for (const chunk of source.chunks) {
      const headings = { tokens: tokens(chunk.headingPath.join(" ")), weight: FIELD_WEIGHTS.headings };
      for (const window of chunk.windows) {
        const slot = this.words.add([...about, headings, { tokens: tokens(textIn(window)), weight: FIELD_WEIGHTS.body }]);
        this.entries[slot] = { document, chunk, window };
        slots.push(slot);
      }
    }
    const words = slots.length > 0 ? this.vocabulary.add(document, wordsOf(source)) : new Uint32Array(0);
    this.documents.set(id, { version, document, slots, words });
  }

  /** Removes a document and returns the freed slots. */
  remove(id: string): readonly number[] {
    const held = this.documents.get(id);
    if (held === undefined) return [];
    if (held.words.length > 0) this.vocabulary.remove(held.document, held.words);
    for (const slot of held.slots) {
      this.words.delete(slot);
      this.entries[slot] = null;
    }
    this.documents.delete(id);
    return held.slots;
  }
}

/** Returns the distinct words of a document, in lower case and not stemmed. */
function wordsOf({ title, description, text }: IndexedDocument): Set<string> {
  const found = new Set<string>();
  tokenize([title, description ?? "", text].join("\n"), (word) => {
    found.add(word);
    return "";
  });
  return found;
}
