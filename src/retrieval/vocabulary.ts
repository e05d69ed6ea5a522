import { z } from "zod";
import { allowedEdits, deletesOf, REPAIR_MIN_LETTERS } from "../text/spelling.ts";
import type { ArraysOf, Section, Snapshot } from "./snapshot.ts";
import { arrayIn, arraySections, arraysIn, damaged, prefixed, StringColumn, stringSections } from "./snapshot.ts";
import { withRoom } from "./top-k.ts";

/**
 * Arrays of a `Terms` object, as they are stored.
 * - `units`: UTF-16 code units of all terms, concatenated.
 * - `ends`: the end of each term in `units`.
 * - `table`: an open-addressing hash table whose length is a power of two. An entry is the number of a term plus 1; 0
 * means free. A term is at the index given by its hash, or after it if that index was taken.
 */
export const TERM_ARRAYS = { units: Uint16Array, ends: Uint32Array, table: Uint32Array };

type PackedTerms = ArraysOf<typeof TERM_ARRAYS>;

/**
 * Numbers terms from 0 in order of arrival. Typed arrays load fast. Building a `Map` of 200,000 strings would take most
 * of the time of loading an index.
 */
export class Terms {
  private units: Uint16Array;
  private ends: Uint32Array;
  private table: Uint32Array;
  private count: number;

  constructor(packed?: PackedTerms) {
    this.units = packed?.units ?? new Uint16Array(0);
    this.ends = packed?.ends ?? new Uint32Array(0);
    this.table = packed?.table ?? new Uint32Array(64);
    this.count = this.ends.length;
  }

  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return this.units.byteLength + this.ends.byteLength + this.table.byteLength;
  }

  /** Returns the number of a term, or −1 if it is unknown. */
  get(term: string): number {
    return (this.table[this.place(term)] as number) - 1;
  }

  /** Returns the number of a term, adding the term if it is unknown. */
  add(term: string): number {
    const place = this.place(term);
    const known = (this.table[place] as number) - 1;
    if (known >= 0) return known;
    const id = this.count++;
    const start = this.start(id);
    this.units = withRoom(this.units, start + term.length);
    for (let i = 0; i < term.length; i++) this.units[start + i] = term.charCodeAt(i);
    this.ends = withRoom(this.ends, this.count);
    this.ends[id] = start + term.length;
    this.table[place] = this.count;
    if (this.count * 2 > this.table.length) this.enlarge();
    return id;
  }

  /** Returns a copy with only the given terms, numbered from 0 in the given order. */
  packed(ids: readonly number[]): PackedTerms {
    const all = ids.length === this.count;
    const kept = all ? this : new Terms();
    if (!all) for (const id of ids) kept.add(this.name(id));
    return { units: kept.units.slice(0, kept.start(kept.count)), ends: kept.ends.slice(0, kept.count), table: kept.table.slice() };
  }

  private start(id: number): number {
    return id === 0 ? 0 : (this.ends[id - 1] as number);
  }

  /** Returns the term with a number. */
  name(id: number): string {
    return String.fromCharCode(...this.units.subarray(this.start(id), this.ends[id]));
  }

  /** Returns the place of a term in the table, or the free place where it belongs. */
  private place(term: string): number {
    const { table } = this;
    const last = table.length - 1;
    let place = hashOf(term) & last;
    while (table[place] !== 0 && !this.equals((table[place] as number) - 1, term)) place = (place + 1) & last;
    return place;
  }

  private equals(id: number, term: string): boolean {
    const start = this.start(id);
    if ((this.ends[id] as number) - start !== term.length) return false;
    for (let i = 0; i < term.length; i++) if (this.units[start + i] !== term.charCodeAt(i)) return false;
    return true;
  }

  private enlarge(): void {
    this.table = new Uint32Array(this.table.length * 2);
    for (let id = 0; id < this.count; id++) this.table[this.place(this.name(id))] = id + 1;
  }
}

/** FNV-1a over code units. An extra step mixes the bits, because the table uses only the low ones. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 8;
}

/**
 * Maximum number of words in each part of the vocabulary that can be suggested as corrections: the most frequent ones.
 * This bounds the memory of very large corpora.
 */
export const REPAIR_WORDS = 50_000;

/** Tenant and access label of documents. The vocabulary has one part for each such pair. */
export interface VocabularyOwner {
  readonly tenant: string | null;
  readonly access: string;
}

interface Part {
  readonly owner: VocabularyOwner;
  /** Words in lower case, not stemmed. */
  readonly words: Terms;
  /** Number of documents that contain each word. */
  wordDocuments: Uint32Array;
  /** Maps a word with some letters deleted to the complete words. Built for the first misspelt word, then updated. */
  deletes: Map<string, string[]> | null;
  readonly indexed: Set<string>;
  /** Words of documents that are not yet in `deletes`. */
  readonly pending: Set<string>;
}

/**
 * The words of the corpus, separated by tenant and access label. So users never see a word that occurs only in
 * documents that they may not read. Typed arrays load directly from a snapshot.
 */
export class Vocabulary {
  private readonly parts = new Map<string, Part>();

  /**
   * Adds the words of a document.
   * @returns the numbers of the words in the part of `owner`, for `remove`
   */
  add(owner: VocabularyOwner, words: ReadonlySet<string>): Uint32Array {
    const part = this.partOf(owner);
    const numbers = new Uint32Array(words.size);
    let next = 0;
    for (const word of words) numbers[next++] = numberIn(part, word);
    for (const number of numbers) part.wordDocuments[number] = (part.wordDocuments[number] as number) + 1;
    return numbers;
  }

  /** Undoes `add` for one document. @param numbers the numbers that `add` returned */
  remove(owner: VocabularyOwner, numbers: Uint32Array): void {
    const part = this.partOf(owner);
    for (const number of numbers) part.wordDocuments[number] = (part.wordDocuments[number] as number) - 1;
  }

  /** Returns words a few edits away from `word`, with the number of visible documents that contain them. */
  near(word: string, sees: (owner: VocabularyOwner) => boolean): Map<string, number> {
    const candidates = new Map<string, number>();
    const edits = allowedEdits(word.length);
    if (edits === 0) return candidates;
    const deletes = deletesOf(word, edits);
    for (const part of this.parts.values()) {
      if (!sees(part.owner)) continue;
      const index = this.deletesOfPart(part);
      const near = new Set<string>();
      for (const one of deletes) for (const candidate of index.get(one) ?? []) near.add(candidate);
      for (const candidate of near) {
        const frequency = part.wordDocuments[part.words.get(candidate)] as number;
        if (frequency > 0) candidates.set(candidate, (candidates.get(candidate) ?? 0) + frequency);
      }
    }
    return candidates;
  }

  /** Serialises the words that documents contain. `renamed` returns, for an owner, an array from old to new numbers of words. */
  save(): { sections: Section[]; renamed: (owner: VocabularyOwner) => Uint32Array } {
    const saved = [...this.parts.values()].map(packed);
    const kept = saved.filter(({ words }) => words > 0);
    const owners = kept.map(({ owner }) => JSON.stringify(owner));
    const renamed = new Map(saved.map((one) => [keyOf(one.owner), one.renamed]));
    return {
      sections: [...stringSections("owners", owners), ...kept.flatMap(({ sections }, i) => prefixed(`${i}.`, sections))],
      renamed: (owner) => renamed.get(keyOf(owner)) ?? new Uint32Array(0),
    };
  }

  /**
   * Loads the words that `save` returned.
   * @throws SnapshotError when they are incomplete or damaged
   */
  static load(snapshot: Snapshot): Vocabulary {
    const vocabulary = new Vocabulary();
    for (const [i, owner] of readOwners(snapshot).entries()) vocabulary.parts.set(keyOf(owner), unpacked(owner, snapshot.part(`${i}.`)));
    return vocabulary;
  }

  private partOf({ tenant, access }: VocabularyOwner): Part {
    const owner = { tenant, access };
    const part = this.parts.get(keyOf(owner)) ?? partWith(owner, new Terms());
    this.parts.set(keyOf(owner), part);
    return part;
  }

  private deletesOfPart(part: Part): Map<string, string[]> {
    const index = part.deletes ?? new Map<string, string[]>();
    const fresh = part.deletes === null ? byFrequency(part) : part.pending;
    for (const word of fresh) {
      if (part.indexed.size >= REPAIR_WORDS) break;
      part.indexed.add(word);
      for (const one of deletesOf(word, allowedEdits(word.length))) {
        const words = index.get(one);
        if (words === undefined) index.set(one, [word]);
        else words.push(word);
      }
    }
    part.pending.clear();
    part.deletes = index;
    return index;
  }
}

/** Returns the number of a word, adding the word if it is unknown. */
function numberIn(part: Part, word: string): number {
  const number = part.words.add(word);
  part.wordDocuments = withRoom(part.wordDocuments, number + 1);
  const isNew = part.wordDocuments[number] === 0 && !part.indexed.has(word);
  if (isNew && part.deletes !== null && word.length >= REPAIR_MIN_LETTERS) part.pending.add(word);
  return number;
}

/** Returns the words that are long enough to be corrections, most frequent first. */
function byFrequency({ words, wordDocuments }: Part): string[] {
  const found: { word: string; documents: number }[] = [];
  for (let number = 0; number < words.size; number++) {
    const documents = wordDocuments[number] as number;
    const word = documents > 0 ? words.name(number) : "";
    if (word.length >= REPAIR_MIN_LETTERS) found.push({ word, documents });
  }
  found.sort((a, b) => b.documents - a.documents || (a.word < b.word ? -1 : 1));
  return found.map(({ word }) => word);
}

/** Serialises a part of the vocabulary, without words that no document contains any more. */
function packed({ owner, words, wordDocuments }: Part) {
  const renamed = new Uint32Array(words.size);
  const kept: number[] = [];
  for (let number = 0; number < words.size; number++) if ((wordDocuments[number] as number) > 0) renamed[number] = kept.push(number) - 1;
  const documents = Uint32Array.from(kept, (number) => wordDocuments[number] as number);
  return { owner, words: kept.length, renamed, sections: arraySections({ ...words.packed(kept), documents }) };
}

function unpacked(owner: VocabularyOwner, snapshot: Snapshot): Part {
  const part = partWith(owner, new Terms(arraysIn(snapshot, TERM_ARRAYS)));
  part.wordDocuments = arrayIn(snapshot, "documents", Uint32Array);
  if (part.wordDocuments.length !== part.words.size) throw damaged(`the parts of its list of ${part.words.size} words do not match`);
  return part;
}

export function readOwners(snapshot: Snapshot): VocabularyOwner[] {
  const names = new StringColumn(snapshot, "owners");
  return Array.from({ length: names.length }, (_, i) => ownerSchema.parse(JSON.parse(names.get(i))));
}

function partWith(owner: VocabularyOwner, words: Terms): Part {
  return { owner, words, wordDocuments: new Uint32Array(0), deletes: null, indexed: new Set(), pending: new Set() };
}

function keyOf({ tenant, access }: VocabularyOwner): string {
  return JSON.stringify([tenant, access]);
}

const ownerSchema: z.ZodType<VocabularyOwner> = z.object({ tenant: z.string().nullable(), access: z.string() });
