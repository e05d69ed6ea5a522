import { BM25_K1, countAmong, foldFields, idfOf, normOf, POSTING_ARRAYS, Postings, saturation, weightsOf } from "./postings.ts";
import { arraySections, arraysIn, damaged, type Section, type Snapshot } from "./snapshot.ts";
import { type Scored, type SlotSet, type TermCounts, TopK, type WeightedField, type WeightedTerm, withRoom } from "./top-k.ts";
import { TERM_ARRAYS, Terms } from "./vocabulary.ts";

/**
 * BM25 over typed arrays, with Lucene's non-negative idf. Fields are combined by weight into one frequency and one
 * length before saturation ("simple BM25F": Robertson, Zaragoza, Taylor, CIKM 2004).
 *
 *   score(q, d) = Σ_t idf(t) · tf·(k1+1) / (tf + k1·(1 − b + b·len/avgLen)),  idf(t) = ln(1 + (N − n + ½)/(n + ½))
 *
 * Here tf and len are weighted sums over fields. A term that occurs twice in the question counts twice.
 *
 * Search proceeds term by term, highest weight first (Turtle & Flood 1995, "MaxScore"). Once the k-th best partial
 * score exceeds everything that the remaining terms can add, these terms are looked up only for entries already found.
 * Contributions are added in the same order with and without this shortcut, so scores are equal to the last bit.
 */
/** Factor by which the average length may change before all bounds of scores are recomputed. Looser bounds skip fewer entries. */
const BOUND_DRIFT = 1.25;

/** Factor that enlarges all bounds. It covers rounding errors, because bounds are summed in another order than scores. */
const SLACK = 1 + 1e-9;

/** Cost of one step of a binary search in a posting list, relative to reading the next entry of the list. */
const PROBE_COST = 3;

/** Arrays of a stored index. `averages`: the total length of the entries, and the average length for which the bounds were computed. */
const PACKED = {
  ...TERM_ARRAYS,
  ...POSTING_ARRAYS,
  bounds: Float64Array,
  averages: Float64Array,
  entryTerms: Uint32Array,
  entryStarts: Uint32Array,
  lengths: Float32Array,
};

/** A query term with its weight and the maximum that it can add to any score. */
interface QueryTerm {
  readonly term: number;
  readonly weight: number;
  readonly bound: number;
}

/**
 * A BM25 index, changed one entry at a time. The number of an entry is its slot. Slots ascend and are never reused. Of
 * entries with equal scores, the lower slot ranks first.
 */
export class Bm25Index implements TermCounts {
  private terms = new Terms();
  private postings = new Postings();
  /** Number of entries with each term, without deleted entries. */
  private termLive = new Uint32Array(0);
  /** For each term, the maximum of tf / (tf + norm) over its entries at `boundAverage`. Deleted entries may make it too large. */
  private termBound = new Float64Array(0);
  /** Average length for which the bounds were computed; 0 before the first search. */
  private boundAverage = 0;
  /** Terms of all slots, concatenated, for deletion. Those of slot s are at entryStarts[s] up to entryStarts[s + 1]. */
  private entryTerms = new Uint32Array(0);
  private entryStarts = new Uint32Array(1);
  private alive = new Uint8Array(0);
  private lengths = new Float32Array(0);
  private used = 0;
  private live = 0;
  private totalLength = 0;
  /**
   * k1·(1 − b + b·len/avgLen) of each slot with avgLen = `normAverage`; ∞ for a deleted slot, so that it contributes 0.
   */
  private norms = new Float64Array(0);
  private normAverage = 0;
  /** Working memory of a search. `scores[slot]` is valid only if `marks[slot]` equals `mark`, the number of the search. */
  private scores = new Float64Array(0);
  private marks = new Uint32Array(0);
  private found = new Uint32Array(0);
  private mark = 0;
  /** Number of entries that are not deleted. */
  get size(): number {
    return this.live;
  }

  /** Number of slots assigned so far, including those of deleted entries. */
  get slots(): number {
    return this.used;
  }

  get bytes(): number {
    const { termLive, termBound, entryTerms, entryStarts, alive, lengths, norms, scores, marks, found } = this;
    const arrays = [termLive, termBound, entryTerms, entryStarts, alive, lengths, norms, scores, marks, found];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, this.postings.bytes + this.terms.bytes);
  }

  /**
   * Adds an entry; returns its slot.
   * @throws RangeError when a weight is not finite
   */
  add(fields: readonly WeightedField[]): number {
    for (const { weight } of fields)
      if (!Number.isFinite(weight)) throw new RangeError(`A field weight must be a finite number, not ${weight}.`);
    const slot = this.used++;
    const { frequencies, length } = foldFields(fields, (token) => this.termId(token));
    const start = this.entryStarts[slot] as number;
    this.entryStarts = withRoom(this.entryStarts, slot + 2);
    this.entryStarts[slot + 1] = start + frequencies.size;
    this.entryTerms = withRoom(this.entryTerms, start + frequencies.size);
    this.alive = withRoom(this.alive, slot + 1);
    this.lengths = withRoom(this.lengths, slot + 1);
    this.alive[slot] = 1;
    this.lengths[slot] = length;
    this.totalLength += length;
    this.live++;
    this.normAverage = 0;
    const norm = this.boundAverage === 0 ? 0 : normOf(length, this.boundAverage);
    let at = start;
    for (const [term, frequency] of frequencies) {
      this.entryTerms[at++] = term;
      this.postings.append(term, slot, frequency);
      this.termLive[term] = (this.termLive[term] as number) + 1;
      if (this.boundAverage > 0) this.termBound[term] = Math.max(this.termBound[term] as number, saturation(Math.fround(frequency), norm));
    }
    return slot;
  }

  /** Deletes an entry; unknown and deleted slots are ignored. */
  delete(slot: number): void {
    if (this.alive[slot] !== 1) return;
    for (let i = this.entryStarts[slot] as number; i < (this.entryStarts[slot + 1] as number); i++) {
      const term = this.entryTerms[i] as number;
      this.termLive[term] = (this.termLive[term] as number) - 1;
    }
    this.alive[slot] = 0;
    this.totalLength -= this.lengths[slot] as number;
    this.live--;
    this.normAverage = 0;
  }

  /** Returns the counts of terms in a subset of the live entries; see `countAmong`. */
  countsAmong(slots: SlotSet): TermCounts {
    return slots.size === this.live ? this : countAmong(slots, this.postings);
  }

  /** Returns the number of live entries with a term. @param term number of the term */
  holding(term: number): number {
    return this.termLive[term] as number;
  }

  /** Returns the number of entries with a token, among the entries of `counts`. */
  frequency(token: string, counts: TermCounts = this): number {
    const term = this.terms.get(token);
    return term < 0 ? 0 : counts.holding(term);
  }

  /** Mean length of the live entries; 1 without entries. */
  get averageLength(): number {
    return this.totalLength / this.live || 1;
  }

  /**
   * Returns the `k` best accepted entries, best first.
   * @param terms tokens, with or without weights; a weight multiplies the score, and the weights of a repeated token
   * add up
   * @param accept deterministic filter by slot, applied before ranking; absent: all entries
   * @param counts statistics for idf, over all entries that `accept` can accept
   */
  search(terms: readonly (string | WeightedTerm)[], k: number, accept?: (slot: number) => boolean, counts: TermCounts = this): Scored[] {
    if (this.live === 0 || k <= 0) return [];
    this.prepare();
    const asked = this.queryTerms(terms, counts);
    /** `rest[i]` is the maximum that the terms from `i` on can add to one score. */
    const rest = new Float64Array(asked.length + 1);
    for (let i = asked.length - 1; i >= 0; i--) rest[i] = (rest[i + 1] as number) + (asked[i] as QueryTerm).bound * SLACK;
    let postingsLeft = asked.reduce((sum, { term }) => sum + this.postings.length(term), 0);
    const wanted = Math.min(k, this.live);
    let count = 0;
    let closed = false;
    for (const [i, one] of asked.entries()) {
      const left = rest[i] as number;
      const worthwhile = closed || ((rest[0] as number) > 2 * left && postingsLeft > count);
      if (count >= wanted && worthwhile) {
        const best = new TopK(wanted);
        count = this.offerFound(count, best, accept);
        if (closed || best.threshold > left) {
          closed = true;
          count = this.dropBelow(count, best.threshold / SLACK - left);
        }
      }
      if (!closed) count = this.addAll(one, count);
      else this.addFound(one, count);
      postingsLeft -= this.postings.length(one.term);
    }
    const best = new TopK(Math.min(wanted, count));
    this.offerFound(count, best, accept);
    return best.ranked();
  }

  /** Serialises the live entries. They and their terms are renumbered in order. All arrays are copies. */
  save(): Section[] {
    // The bounds are stored too, so that the first search after loading need not compute them.
    if (this.live > 0) this.prepare();
    const kept: number[] = [];
    const newTerm = new Uint32Array(this.terms.size);
    for (let term = 0; term < this.terms.size; term++) if (this.holding(term) > 0) newTerm[term] = kept.push(term) - 1;
    const renamed = new Int32Array(this.used).fill(-1);
    const lengths = new Float32Array(this.live);
    const entryStarts = new Uint32Array(this.live + 1);
    const entryTerms = new Uint32Array(this.entryStarts[this.used] as number);
    let next = 0;
    let at = 0;
    for (let slot = 0; slot < this.used; slot++) {
      if (this.alive[slot] !== 1) continue;
      renamed[slot] = next;
      lengths[next++] = this.lengths[slot] as number;
      for (let i = this.entryStarts[slot] as number; i < (this.entryStarts[slot + 1] as number); i++)
        entryTerms[at++] = newTerm[this.entryTerms[i] as number] as number;
      entryStarts[next] = at;
    }
    return arraySections({
      ...this.terms.packed(kept),
      ...this.postings.packed(kept, renamed),
      bounds: Float64Array.from(kept, (term) => this.termBound[term] as number),
      averages: Float64Array.of(this.totalLength, this.boundAverage),
      ...{ entryTerms: entryTerms.subarray(0, at), entryStarts, lengths },
    });
  }

  /**
   * Loads an index from the sections that `save` returned.
   * @throws SnapshotError when it is incomplete or damaged
   */
  static load(snapshot: Snapshot): Bm25Index {
    const packed = arraysIn(snapshot, PACKED);
    const { units, ends, table, starts, slots, frequencies, bounds, entryTerms, entryStarts, lengths } = packed;
    const [terms, used] = [ends.length, lengths.length];
    const fits =
      table.length > terms &&
      units.length === (ends[terms - 1] ?? 0) &&
      starts.length === terms + 1 &&
      bounds.length === terms &&
      slots.length === starts[terms] &&
      frequencies.length === slots.length &&
      entryStarts.length === used + 1 &&
      entryTerms.length === entryStarts[used];
    if (!fits) throw damaged(`the parts of its word index do not match ${used} indexed texts with ${terms} terms`);
    const index = new Bm25Index();
    index.terms = new Terms(packed);
    index.postings = new Postings(packed);
    index.termLive = Uint32Array.from(ends, (_, term) => index.postings.length(term));
    index.termBound = bounds;
    [index.totalLength = 0, index.boundAverage = 0] = packed.averages;
    index.entryTerms = entryTerms;
    index.entryStarts = entryStarts;
    index.alive = new Uint8Array(used).fill(1);
    index.lengths = lengths;
    index.used = used;
    index.live = used;
    return index;
  }

  private termId(token: string): number {
    const id = this.terms.add(token);
    if (id === this.postings.terms) {
      this.postings.addTerm();
      this.termLive = withRoom(this.termLive, id + 1);
      this.termBound = withRoom(this.termBound, id + 1);
    }
    return id;
  }

  /** Returns the query terms that some entry contains, highest weight first; equal weights in query order. */
  private queryTerms(terms: readonly (string | WeightedTerm)[], counts: TermCounts): QueryTerm[] {
    const weights = weightsOf(terms, (token) => this.frequency(token, counts) > 0);
    // If the average length has grown since the bounds were computed, contributions are larger by at most the same
    // factor. If it has shrunk, contributions are smaller.
    const growth = Math.max(1, this.normAverage / this.boundAverage);
    return [...weights]
      .map(([token, count]) => {
        const term = this.terms.get(token);
        const weight = count * idfOf(counts.holding(term), counts.size) * (BM25_K1 + 1);
        return { term, weight, bound: weight * Math.min(1, (this.termBound[term] as number) * growth) };
      })
      .sort((a, b) => b.weight - a.weight);
  }

  /** Updates norms and bounds after additions and deletions, and resets the working memory for a new search. */
  private prepare(): void {
    const { used } = this;
    const average = this.averageLength;
    if (average !== this.normAverage) {
      this.norms = withRoom(this.norms, used);
      for (let slot = 0; slot < used; slot++)
        this.norms[slot] = this.alive[slot] === 1 ? normOf(this.lengths[slot] as number, average) : Number.POSITIVE_INFINITY;
      this.normAverage = average;
    }
    const drift = average / this.boundAverage;
    if (!(drift < BOUND_DRIFT && drift > 1 / BOUND_DRIFT)) this.renewBounds();
    this.scores = withRoom(this.scores, used);
    this.marks = withRoom(this.marks, used);
    this.found = withRoom(this.found, used);
    if (this.mark === 0xffffffff) {
      this.marks.fill(0);
      this.mark = 0;
    }
    this.mark++;
  }

  private renewBounds(): void {
    const { postings, norms } = this;
    for (let term = 0; term < postings.terms; term++) {
      const start = postings.start(term);
      const end = start + postings.length(term);
      let bound = 0;
      for (let i = start; i < end; i++)
        bound = Math.max(bound, saturation(postings.frequencies[i] as number, norms[postings.slots[i] as number] as number));
      this.termBound[term] = bound;
    }
    this.boundAverage = this.normAverage;
  }

  /** Adds a term's contribution to the score of each entry with the term. Returns the number of entries found so far, over all terms. */
  private addAll({ term, weight }: QueryTerm, count: number): number {
    const { norms, scores, marks, found, mark } = this;
    const { slots, frequencies } = this.postings;
    const start = this.postings.start(term);
    const end = start + this.postings.length(term);
    let next = count;
    for (let i = start; i < end; i++) {
      const slot = slots[i] as number;
      const tf = frequencies[i] as number;
      const part = (weight * tf) / (tf + (norms[slot] as number));
      if (marks[slot] === mark) {
        scores[slot] = (scores[slot] as number) + part;
      } else {
        marks[slot] = mark;
        scores[slot] = part;
        found[next++] = slot;
      }
    }
    return next;
  }

  /** Adds a term's contribution to the scores of found entries. Looks each up in the term's list or, if they are many, reads the list. */
  private addFound({ term, weight }: QueryTerm, count: number): void {
    const { norms, scores, marks, found, mark } = this;
    const { slots, frequencies } = this.postings;
    const start = this.postings.start(term);
    const length = this.postings.length(term);
    if (count * Math.log2(length + 1) * PROBE_COST < length) {
      for (let i = 0; i < count; i++) {
        const slot = found[i] as number;
        const at = this.postings.find(term, slot);
        if (at < 0) continue;
        const tf = frequencies[at] as number;
        scores[slot] = (scores[slot] as number) + (weight * tf) / (tf + (norms[slot] as number));
      }
      return;
    }
    for (let i = start; i < start + length; i++) {
      const slot = slots[i] as number;
      if (marks[slot] !== mark) continue;
      const tf = frequencies[i] as number;
      scores[slot] = (scores[slot] as number) + (weight * tf) / (tf + (norms[slot] as number));
    }
  }

  /** Offers found entries to `best`. Drops entries that reach its threshold but are deleted or not accepted. Returns how many remain. */
  private offerFound(count: number, best: TopK, accept: ((slot: number) => boolean) | undefined): number {
    const { scores, found } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const slot = found[i] as number;
      const score = scores[slot] as number;
      if (score >= best.threshold) {
        if (score === 0 || (accept !== undefined && !accept(slot))) continue;
        best.offer(slot, score);
      }
      found[kept++] = slot;
    }
    return kept;
  }

  private dropBelow(count: number, score: number): number {
    const { scores, found } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const slot = found[i] as number;
      if ((scores[slot] as number) >= score) found[kept++] = slot;
    }
    return kept;
  }
}
