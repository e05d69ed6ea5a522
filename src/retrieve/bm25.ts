/**
 * Words ranking over typed arrays: BM25 with Lucene's non-negative idf, fields folded by weight into one frequency and one length
 * before saturation ("simple BM25F": Robertson, Zaragoza, Taylor, CIKM 2004).
 *
 *   score(q, d) = Σ_t idf(t) · tf·(k1+1) / (tf + k1·(1 − b + b·len/avgLen)),  idf(t) = ln(1 + (N − n + ½)/(n + ½))
 *
 * with tf and len weighted sums over fields. A term that stands twice in the question counts twice.
 */

/** Saturation of term frequency (Robertson & Zaragoza 2009, section 3.4: 1.2 to 2). */
export const BM25_K1 = 1.2;
/** Share of length normalisation. */
export const BM25_B = 0.75;

/** Tokens of one field and its weight. */
export interface WeightedField {
  readonly tokens: readonly string[];
  readonly weight: number;
}

/** An entry's slot and its score. */
export interface Scored {
  readonly slot: number;
  readonly score: number;
}

interface Postings {
  slots: Uint32Array;
  frequencies: Float32Array;
  /** Used part of the arrays, deleted slots included. */
  length: number;
  /** Entries alive that hold the term. */
  live: number;
}

/**
 * An index with entries added and deleted one at a time. Slots are handed out in rising order and never reused until `compact`;
 * equal scores rank the lower slot first.
 */
export class Bm25Index {
  private readonly terms = new Map<string, number>();
  private postings: Postings[] = [];
  /** Terms of each slot, for deletion; `null` once deleted. */
  private entries: (Uint32Array | null)[] = [];
  private lengths: Float32Array = new Float32Array(1024);
  private totalLength = 0;
  private live = 0;

  /** Number of entries alive. */
  get size(): number {
    return this.live;
  }

  /** Number of slots ever handed out. */
  get slots(): number {
    return this.entries.length;
  }

  /** Adds an entry; returns its slot. */
  add(fields: readonly WeightedField[]): number {
    const slot = this.entries.length;
    const frequencies = new Map<number, number>();
    let length = 0;
    for (const { tokens, weight } of fields) {
      if (weight <= 0) continue;
      length += weight * tokens.length;
      for (const token of tokens) {
        const term = this.termId(token);
        frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
      }
    }
    const ids = new Uint32Array(frequencies.size);
    let at = 0;
    for (const [term, frequency] of frequencies) {
      ids[at++] = term;
      append(this.postings[term] as Postings, slot, frequency);
    }
    this.entries.push(ids);
    if (slot >= this.lengths.length) this.lengths = grown(this.lengths, slot + 1);
    this.lengths[slot] = length;
    this.totalLength += length;
    this.live++;
    return slot;
  }

  /** Deletes an entry; unknown and deleted slots are ignored. */
  delete(slot: number): void {
    const ids = this.entries[slot];
    if (ids === undefined || ids === null) return;
    for (const term of ids) (this.postings[term] as Postings).live--;
    this.entries[slot] = null;
    this.totalLength -= this.lengths[slot] as number;
    this.live--;
  }

  /** ln(1 + (N − n + ½)/(n + ½)); for a term that no entry holds, n = 0. */
  idf(token: string): number {
    const term = this.terms.get(token);
    const n = term === undefined ? 0 : (this.postings[term] as Postings).live;
    return Math.log(1 + (this.live - n + 0.5) / (n + 0.5));
  }

  /** Does any entry alive hold the term? */
  has(token: string): boolean {
    const term = this.terms.get(token);
    return term !== undefined && (this.postings[term] as Postings).live > 0;
  }

  /**
   * The `k` best entries that `accept` lets through, best first, and whatever ties with the last of them.
   * @param accept decides by slot before ranking; absent: all
   */
  search(tokens: readonly string[], k: number, accept?: (slot: number) => boolean): Scored[] {
    if (this.live === 0 || k <= 0) return [];
    const counts = new Map<number, number>();
    for (const token of tokens) {
      const term = this.terms.get(token);
      if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    const average = this.totalLength / this.live || 1;
    const scores = new Float64Array(this.entries.length);
    const touched: number[] = [];
    for (const [term, count] of counts) {
      const { slots, frequencies, length, live } = this.postings[term] as Postings;
      if (live === 0) continue;
      const weight = count * Math.log(1 + (this.live - live + 0.5) / (live + 0.5)) * (BM25_K1 + 1);
      for (let i = 0; i < length; i++) {
        const slot = slots[i] as number;
        if (this.entries[slot] === null) continue;
        const tf = frequencies[i] as number;
        if (scores[slot] === 0) touched.push(slot);
        scores[slot] =
          (scores[slot] as number) + (weight * tf) / (tf + BM25_K1 * (1 - BM25_B + (BM25_B * (this.lengths[slot] as number)) / average));
      }
    }
    return selectTop(touched, scores, k, accept);
  }

  private termId(token: string): number {
    const known = this.terms.get(token);
    if (known !== undefined) return known;
    const id = this.postings.length;
    this.terms.set(token, id);
    this.postings.push({ slots: new Uint32Array(2), frequencies: new Float32Array(2), length: 0, live: 0 });
    return id;
  }
}

function append(postings: Postings, slot: number, frequency: number): void {
  if (postings.length === postings.slots.length) {
    const slots = new Uint32Array(postings.length * 2);
    slots.set(postings.slots);
    postings.slots = slots;
    postings.frequencies = grown(postings.frequencies, postings.length + 1);
  }
  postings.slots[postings.length] = slot;
  postings.frequencies[postings.length] = frequency;
  postings.length++;
  postings.live++;
}

function grown(array: Float32Array, needed: number): Float32Array {
  const larger = new Float32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}

function selectTop(touched: readonly number[], scores: Float64Array, k: number, accept: ((slot: number) => boolean) | undefined): Scored[] {
  const found: Scored[] = [];
  for (const slot of touched) if (accept === undefined || accept(slot)) found.push({ slot, score: scores[slot] as number });
  return cutWithTies(
    found.sort((a, b) => b.score - a.score || a.slot - b.slot),
    k,
  );
}

/** The first `k` of a ranking and whatever ties with the last of them: who asks decides between equals by something better than slots. */
export function cutWithTies(ranking: readonly Scored[], k: number): Scored[] {
  const last = ranking[k - 1]?.score;
  let end = Math.min(k, ranking.length);
  while (end < ranking.length && ranking[end]?.score === last) end++;
  return ranking.slice(0, end);
}
