import { allowedEdits, bestRepair, deletesOf, REPAIR_MIN_LETTERS } from "../language/spelling.ts";

/** Words of one part of the vocabulary that repairs may lead to, the most frequent first: bounds the memory of very large corpora. */
export const REPAIR_WORDS = 50_000;

/** Whose documents a part of the vocabulary comes from. */
export interface VocabularyOwner {
  readonly tenant: string | null;
  readonly access: string;
}

interface Part {
  readonly owner: VocabularyOwner;
  /** Documents that hold each word, as written in lower case. */
  readonly words: Map<string, number>;
  /** Documents that hold a word of each stem. */
  readonly stems: Map<string, number>;
  /** Words by what is left of them with letters left out; filled at the first misspelt word, then kept up. */
  deletes: Map<string, string[]> | null;
  indexed: Set<string>;
  /** Words not yet in `deletes`. */
  readonly pending: Set<string>;
}

/**
 * The words of the corpus, apart for every tenant and access label, so that nobody is shown a word which stands only in documents
 * that they may not read.
 */
export class Vocabulary {
  private readonly parts = new Map<string, Part>();

  /** Takes in the words of a document, each once. @param stems the stem of each word, in the same order */
  add(owner: VocabularyOwner, words: ReadonlyMap<string, string>): void {
    const part = this.partOf(owner);
    for (const word of words.keys()) {
      if (!part.words.has(word) && word.length >= REPAIR_MIN_LETTERS && !part.indexed.has(word)) part.pending.add(word);
      part.words.set(word, (part.words.get(word) ?? 0) + 1);
    }
    for (const stem of new Set(words.values())) part.stems.set(stem, (part.stems.get(stem) ?? 0) + 1);
  }

  /** Takes out what `add` took in. */
  remove(owner: VocabularyOwner, words: ReadonlyMap<string, string>): void {
    const part = this.partOf(owner);
    for (const word of words.keys()) decrement(part.words, word);
    for (const stem of new Set(words.values())) decrement(part.stems, stem);
  }

  /** Does a document that `sees` lets through hold a word of this stem? */
  has(stem: string, sees: (owner: VocabularyOwner) => boolean): boolean {
    return this.visible(sees).some(({ stems }) => stems.has(stem));
  }

  /** What a word that no visible document holds was most likely meant to be; `null` when nothing is near. */
  repair(word: string, sees: (owner: VocabularyOwner) => boolean): string | null {
    const edits = allowedEdits(word.length);
    if (edits === 0) return null;
    const deletes = deletesOf(word, edits);
    const candidates = new Map<string, number>();
    for (const part of this.visible(sees)) {
      const index = this.deletesOfPart(part);
      const near = new Set<string>();
      for (const one of deletes) for (const candidate of index.get(one) ?? []) near.add(candidate);
      for (const candidate of near) {
        const frequency = part.words.get(candidate);
        if (frequency !== undefined) candidates.set(candidate, (candidates.get(candidate) ?? 0) + frequency);
      }
    }
    return bestRepair(word, candidates);
  }

  private visible(sees: (owner: VocabularyOwner) => boolean): Part[] {
    return [...this.parts.values()].filter(({ owner }) => sees(owner));
  }

  private partOf(owner: VocabularyOwner): Part {
    const key = JSON.stringify([owner.tenant, owner.access]);
    const known = this.parts.get(key);
    if (known !== undefined) return known;
    const part: Part = { owner, words: new Map(), stems: new Map(), deletes: null, indexed: new Set(), pending: new Set() };
    this.parts.set(key, part);
    return part;
  }

  private deletesOfPart(part: Part): Map<string, string[]> {
    const index = part.deletes ?? new Map<string, string[]>();
    const frequency = (word: string) => part.words.get(word) ?? 0;
    const fresh = part.deletes === null ? [...part.pending].sort((a, b) => frequency(b) - frequency(a) || (a < b ? -1 : 1)) : part.pending;
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

function decrement(counts: Map<string, number>, key: string): void {
  const count = counts.get(key) ?? 0;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
}
