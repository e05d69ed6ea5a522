import type { Chunk, Scope } from "../shared/types.ts";
import { compareText } from "../text/normalise.ts";
import { fuseMinMax, fuseReciprocalRank, type Ranked } from "./fuse.ts";
import { type Entry, FIELD_WEIGHTS, IndexedWindows, ScopeFilter } from "./indexed-windows.ts";
import { isOverlapped, partOf, rangeAround } from "./search-area.ts";
import type { Candidate, SearchRequest } from "./search-index.ts";
import { SlotSet } from "./slot-set.ts";
import { type Scored, type TermCounts, untimed } from "./top-k.ts";
import type { IndexWords } from "./understand.ts";
import type { QuestionVector } from "./vector-index.ts";

/** Windows asked of a ranking for each chunk wanted, at first: most chunks that are found have one or two among the best. */
const WINDOWS_PER_CHUNK = 2;

/** Chunks by their best windows, best first, with the slots of those. */
interface BestChunks {
  readonly ranking: readonly Ranked<string>[];
  readonly slots: ReadonlyMap<string, number>;
}

const NO_CHUNKS: BestChunks = { ranking: [], slots: new Map() };

/** Words of the windows that a scope may see, with the counts by which they are weighed. */
interface VisibleWords extends IndexWords {
  counts(): TermCounts;
}

/** Ranks the windows of a domain for a request: what the request may find first, then words and vectors, fused. */
export class WindowSearch {
  /** The windows that are ranked; call `clear` after they changed. */
  indexed = new IndexedWindows();
  private readonly tokens: (text: string) => string[];
  private readonly scopes = new ScopeFilter(() => this.indexed.documents.values());
  /** Words of each scope, until its windows change. */
  private readonly words = new WeakMap<SlotSet, VisibleWords>();
  /** Words of whoever may see all: what is remembered by them outlives a change of the index. */
  private readonly everyWord: VisibleWords;

  constructor(tokens: (text: string) => string[]) {
    this.tokens = tokens;
    this.everyWord = this.wordsBy(() => this.indexed.words);
  }

  /** Must be called whenever a document is added or deleted. */
  clear(): void {
    this.scopes.clear();
  }

  /** The words of the windows that a scope may see, and how rare they are among them: the same object until the windows change. */
  wordsIn(scope: Scope): VisibleWords {
    const visible = this.scopes.slotsFor(scope);
    const known = this.words.get(visible);
    if (known !== undefined) return known;
    const counts = this.indexed.words.countsAmong(visible);
    const words = counts === this.indexed.words ? this.everyWord : this.wordsBy(() => counts);
    this.words.set(visible, words);
    return words;
  }

  private wordsBy(counts: () => TermCounts): VisibleWords {
    return {
      counts,
      tokens: this.tokens,
      idf: (token) => this.indexed.words.idf(token, counts()),
      has: (token) => this.indexed.words.has(token, counts()),
    };
  }

  /** Windows that a scope may see. */
  visibleTo(scope: Scope): SlotSet {
    return this.scopes.slotsFor(scope);
  }

  /** Chunks ranked by fused score, best first, those with a code of the question before all others; filters apply before ranking. */
  search(request: SearchRequest): Candidate[] {
    const accept = this.filter(request);
    const all = this.rank(request, accept, request.near ?? null);
    const coded = this.slotsWith(request.codes, accept);
    if (coded === null) return all;
    const first = this.rank(request, coded).map((candidate) => ({ ...candidate, coded: true }));
    const chunks = new Set(first.map(({ chunk }) => chunk.id));
    return [...first, ...all.filter(({ chunk }) => !chunks.has(chunk.id))];
  }

  /** BM25 of a text as if it were a window of its document, under its headings. */
  scoreText(
    { documentId, chunk, text }: Pick<Candidate, "documentId" | "chunk" | "text">,
    { terms, scope }: Pick<SearchRequest, "terms" | "scope">,
  ): number {
    const document = this.indexed.entries[this.indexed.documents.get(documentId)?.slots[0] ?? -1]?.document;
    const fields = [
      { tokens: this.tokens(document?.title ?? ""), weight: FIELD_WEIGHTS.title },
      { tokens: this.tokens(document?.description ?? ""), weight: FIELD_WEIGHTS.description },
      { tokens: this.tokens(chunk.headingPath.join(" ")), weight: FIELD_WEIGHTS.headings },
      { tokens: this.tokens(text), weight: FIELD_WEIGHTS.body },
    ];
    return this.indexed.words.score(terms, fields, this.wordsIn(scope).counts());
  }

  /** Windows that hold a code; `null`: none does. */
  private slotsWith(codes: readonly string[], accept: SlotSet): SlotSet | null {
    if (codes.length === 0) return null;
    const found = this.indexed.words.search(codes, this.indexed.words.slots, (slot) => accept.has(slot));
    if (found.length === 0) return null;
    const slots = new SlotSet();
    for (const { slot } of found) slots.add(slot);
    return slots;
  }

  /** @param near windows by their vectors, best first, where they were found elsewhere; `null`: all are compared here */
  private rank(request: SearchRequest, accept: SlotSet, near: readonly Scored[] | null = null): Candidate[] {
    const { vector, candidates, time = untimed } = request;
    const isAccepted = (slot: number) => accept.has(slot);
    const counts = this.wordsIn(request.scope).counts();
    const byWords = (windows: number) =>
      withTies((wanted) => this.indexed.words.search(request.terms, wanted, isAccepted, counts), windows);
    const bm25 = request.bm25 ? time("words", () => this.bestChunks(byWords, candidates)) : NO_CHUNKS;
    const nearest = ({ index, values }: QuestionVector, wanted: number) =>
      near === null ? index.search(values, wanted, accept) : near.filter(({ slot }) => accept.has(slot)).slice(0, wanted);
    const byVector = (one: QuestionVector) => {
      return (windows: number) => withTies((wanted) => nearest(one, wanted), windows);
    };
    const dense = vector === null ? NO_CHUNKS : time("vectors", () => this.bestChunks(byVector(vector), candidates));
    const slotOf = (id: string) => (dense.slots.get(id) ?? bm25.slots.get(id)) as number;
    const fused =
      request.fusion === "rrf" ? fuseReciprocalRank(dense.ranking, bm25.ranking) : fuseMinMax(dense.ranking, bm25.ranking, request);
    const ranked = fused.sort((a, b) => b.fused - a.fused || this.order(slotOf(a.id), slotOf(b.id)));
    return ranked.map(({ id, ...scores }) => {
      const { document, chunk, window } = this.indexed.entries[slotOf(id)] as Entry;
      // Also of a chunk that only the words found: gates judge by the cosine.
      const cosine = scores.dense ?? (vector === null ? null : this.cosineOf(chunk, vector, accept));
      const text = document.textIn(window);
      return { documentId: document.id, version: document.version, chunk, window, title: document.title, text, ...scores, dense: cosine };
    });
  }

  /** Windows that a request may find: those of its scope, narrowed by what else it asks. */
  private filter({ scope, selection, area = null }: SearchRequest): SlotSet {
    const visible = this.scopes.slotsFor(scope);
    const selected =
      selection === null
        ? visible
        : this.narrowed(visible, [selection.documentId], ({ chunk }) => chunk.start >= selection.start && chunk.end <= selection.end);
    return area === null ? selected : this.narrowed(selected, area.parts.keys(), (entry) => liesIn(area, entry));
  }

  private narrowed(slots: SlotSet, documentIds: Iterable<string>, lies: (entry: Entry) => boolean): SlotSet {
    const left = new SlotSet();
    for (const id of documentIds) {
      for (const slot of this.indexed.documents.get(id)?.slots ?? [])
        if (slots.has(slot) && lies(this.indexed.entries[slot] as Entry)) left.add(slot);
    }
    return left;
  }

  /** Cosine of a chunk's best window; `null` when none has a vector. */
  private cosineOf(chunk: Chunk, { index, values }: QuestionVector, accept: SlotSet): number | null {
    const slots = this.indexed.documents.get(chunk.documentId)?.slots ?? [];
    return index.best(
      values,
      slots.filter((slot) => this.indexed.entries[slot]?.chunk === chunk && accept.has(slot)),
    );
  }

  /** Equal scores rank by place, not by slot: slots depend on what was ingested when. */
  private order(a: number, b: number): number {
    const one = this.indexed.entries[a] as Entry;
    const two = this.indexed.entries[b] as Entry;
    return (
      compareText(one.document.path, two.document.path) ||
      compareText(one.document.id, two.document.id) ||
      one.chunk.ordinal - two.chunk.ordinal ||
      one.window.start - two.window.start
    );
  }

  /**
   * The `limit` best chunks of a ranking of windows; a chunk scores as its best window. Asks for more windows until they hold as many
   * chunks: however many of the best share one, none is missed.
   */
  private bestChunks(search: (windows: number) => Scored[], limit: number): BestChunks {
    for (let windows = limit * WINDOWS_PER_CHUNK; ; windows *= 2) {
      const scored = search(windows);
      const best = this.bestWindows(scored, limit);
      if (best.ranking.length === limit || scored.length < windows) return best;
    }
  }

  private bestWindows(scored: readonly Scored[], limit: number): BestChunks {
    const slots = new Map<string, number>();
    const ranking: Ranked<string>[] = [];
    for (const { slot, score } of [...scored].sort((a, b) => b.score - a.score || this.order(a.slot, b.slot))) {
      const { chunk } = this.indexed.entries[slot] as Entry;
      if (slots.has(chunk.id)) continue;
      if (ranking.length === limit) break;
      slots.set(chunk.id, slot);
      ranking.push({ id: chunk.id, score });
    }
    return { ranking, slots };
  }
}

function liesIn({ parts, fit }: NonNullable<SearchRequest["area"]>, { document, window }: Entry): boolean {
  const part = partOf(parts, document);
  if (part === undefined) return false;
  const isInside = rangeAround(part, window) !== undefined;
  return fit === "window" ? isInside : !isInside && isOverlapped(part, window);
}

/** The `k` best of a ranking and whatever ties with the last of them: an index cuts ties by slot, and slots depend on what was ingested when. */
function withTies(search: (k: number) => Scored[], k: number): Scored[] {
  for (let wanted = k + 1; ; wanted *= 2) {
    const found = search(wanted);
    if (found.length < wanted) return found;
    const end = found.findIndex(({ score }, i) => i >= k && score < (found[k - 1] as Scored).score);
    if (end >= 0) return found.slice(0, end);
  }
}
