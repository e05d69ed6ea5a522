import type { Block, Chunk, TextRange, Window } from "../shared/types.ts";
import { createTokenCounter, type TokenCounter } from "../text/cl100k.ts";
import { namesOf, walkHeadings } from "../text/units.ts";
import { type Atom, atomsOf, type Boundary } from "./atoms.ts";
import type { ParsedDocument } from "./parse.ts";

interface PartitionOptions {
  /** Target size of a part (chunk or window), in tokens. `min` and `max` are in tokens too. */
  readonly target: number;
  readonly min: number;
  readonly max: number;
  /** Maximum number of tokens that a part may repeat from the end of the preceding part. */
  readonly overlap: number;
  /** Whether a cut inside a sentence, table or quotation, or after a heading, is better than a part smaller than `min`. */
  readonly mayCutUnits: boolean;
}

/** A chunk or window: the atoms from index `first` to `last`. The atoms before index `own` repeat the end of the preceding part. */
type Part = Readonly<Record<"first" | "own" | "last", number>>;

/**
 * Cost of a cut at each kind of boundary, on the scale of `sizeCost`. For comparison: a part costs 25 if its size
 * misses the target by half of the target. A part below the minimum costs at least 1,000.
 */
const CUT_COST: Readonly<Record<Boundary, number>> = {
  section: 0,
  block: 4,
  list: 6,
  row: 6,
  sentence: 12,
  introduction: 20,
  word: 200,
  attached: 400,
  whole: 5_000,
  heading: 20_000,
};
const UNIT_CUT_COST = 1_000_000;
const BELOW_MIN_COST = 1_000;
/** Safety margin in tokens. The summed token counts of atoms can differ from the count of their joint text by one at either end. */
const MARGIN = 2;

/**
 * Groups atoms into parts of `min` to `max` tokens near `target`. Dynamic programming minimises the total cost of all
 * parts, so the last part is not just a small remainder. On equal cost, the longer part wins.
 */
function partition(atoms: readonly Atom[], options: PartitionOptions): Part[] {
  const count = atoms.length;
  if (count === 0) return [];
  const sums = new Float64Array(count + 1);
  for (const [i, atom] of atoms.entries()) sums[i + 1] = (sums[i] ?? 0) + atom.tokens;
  const limit = options.max - MARGIN;
  const overlapStarts = atoms.map((_, i) => overlapStart(atoms, sums, i, options.overlap));
  const best = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(count + 1);
  best[0] = 0;
  for (let end = 1; end <= count; end++) {
    const cut = end === count ? 0 : cutCost(atoms[end]?.boundary ?? "block", options.mayCutUnits);
    for (let own = end - 1; own >= 0; own--) {
      const ownTokens = tokensBetween(sums, own, end);
      if (ownTokens > limit && own < end - 1) break;
      const tokens = Math.min(Math.max(limit, ownTokens), tokensBetween(sums, overlapStarts[own] ?? own, end));
      const cost = (best[own] ?? 0) + sizeCost(tokens, options) + cut;
      if (cost <= (best[end] ?? 0)) {
        best[end] = cost;
        from[end] = own;
      }
    }
  }
  const parts: Part[] = [];
  for (let end = count; end > 0; end = from[end] ?? 0) {
    const own = from[end] ?? 0;
    parts.push({ first: fittingOverlap(atoms, sums, overlapStarts[own] ?? own, own, end, limit), own, last: end - 1 });
  }
  return parts.reverse();
}

function sizeCost(tokens: number, { target, min }: PartitionOptions): number {
  const miss = (tokens - target) / target;
  const below = tokens < min ? BELOW_MIN_COST * (1 + (2 * (min - tokens)) / min) : tokens < min + MARGIN ? BELOW_MIN_COST / 20 : 0;
  return 100 * miss * miss + below;
}

function cutCost(boundary: Boundary, mayCutUnits: boolean): number {
  if (boundary === "word" && !mayCutUnits) return UNIT_CUT_COST;
  return mayCutUnits ? Math.min(CUT_COST[boundary], BELOW_MIN_COST / 4) : CUT_COST[boundary];
}

/** Returns the index of the first atom of the longest possible overlap before atom `own`. An overlap has at most `overlap` tokens. */
function overlapStart(atoms: readonly Atom[], sums: Float64Array, own: number, overlap: number): number {
  let start = own;
  for (let i = own - 1; i >= 0 && tokensBetween(sums, i, own) <= overlap; i--) {
    if (isRepeatable(atoms, i)) start = i;
  }
  return start;
}

/** Shortens the overlap until the part has at most `limit` tokens. Returns the index of its first atom. */
function fittingOverlap(atoms: readonly Atom[], sums: Float64Array, first: number, own: number, end: number, limit: number): number {
  let start = first;
  while (start < own && (tokensBetween(sums, start, end) > limit || !isRepeatable(atoms, start))) start++;
  return start;
}

/**
 * Checks whether an overlap may begin with this atom. It may not begin inside a sentence or other unit, or inside a
 * table or quotation that should stay in one chunk.
 */
function isRepeatable(atoms: readonly Atom[], index: number): boolean {
  const boundary = atoms[index]?.boundary;
  return boundary !== "word" && boundary !== "whole";
}

function tokensBetween(sums: Float64Array, start: number, end: number): number {
  return (sums[end] ?? 0) - (sums[start] ?? 0);
}

/** Target size of chunks, in cl100k tokens: about one screen, enough to answer from. */
export const CHUNK_TARGET_TOKENS = 800;
/** Maximum size of a chunk, in cl100k tokens. */
export const CHUNK_MAX_TOKENS = 1_024;
/** Minimum size of a chunk, in cl100k tokens. A chunk is smaller if the document is short, or to avoid a cut in a table or quotation. */
export const CHUNK_MIN_TOKENS = 512;
/** Maximum overlap of consecutive chunks, in cl100k tokens. The overlap begins at the start of a sentence or other unit. */
export const CHUNK_OVERLAP_TOKENS = 128;
/**
 * Maximum and minimum size of a window, in cl100k tokens. Encoders usually truncate after 256 word pieces. A window of
 * less than half of that has too little context.
 */
export const WINDOW_MAX_TOKENS = 256;
export const WINDOW_MIN_TOKENS = 128;
/**
 * Maximum size in cl100k tokens of an atom, the smallest piece from which chunks and windows are built. Longer
 * sentences are split, so that chunks and windows come close to their target size.
 */
const ATOM_MAX_TOKENS = 48;

const CHUNKS: PartitionOptions = {
  ...{ target: CHUNK_TARGET_TOKENS, min: CHUNK_MIN_TOKENS, max: CHUNK_MAX_TOKENS, overlap: CHUNK_OVERLAP_TOKENS },
  mayCutUnits: false,
};
const WINDOWS: PartitionOptions = {
  ...{ target: Math.round((WINDOW_MIN_TOKENS + WINDOW_MAX_TOKENS) / 2), min: WINDOW_MIN_TOKENS, max: WINDOW_MAX_TOKENS, overlap: 0 },
  mayCutUnits: true,
};

/** Settings that affect chunks. If one of them changes, every document gets a new version. */
export const CHUNK_SETTINGS = [CHUNKS.target, CHUNKS.max, CHUNKS.min, CHUNKS.overlap, WINDOWS.min, WINDOWS.max];

/** A chunk without ids, because its document has no id yet. */
export type ChunkDraft = Omit<Chunk, "id" | "documentId">;

/** The fields of a document that chunking needs. */
export type ChunkSource = Pick<ParsedDocument, "text" | "blocks" | "units">;

/**
 * Splits a document into overlapping chunks, and each chunk into windows. Every chunk and window is `text.slice(start, end)`. The chunks
 * cover all text but white space, and the windows of a chunk cover the chunk. A chunk ends after a paragraph or, if necessary, after a
 * sentence, but not after a heading. It ends inside a table, or inside a quotation with its attribution, only if that table or quotation is
 * larger than a chunk. `headingPath` lists the headings above the start of the chunk, including a heading at the start.
 */
export function chunkDocument(source: ChunkSource): ChunkDraft[] {
  const count = createTokenCounter(source.text);
  const atoms = atomsOf(source, count, { atomTokens: ATOM_MAX_TOKENS, wholeTokens: CHUNK_MAX_TOKENS });
  const headingsAt = headingFinder(source);
  return partsOf(count, atoms, CHUNKS).map(({ first, last, start, end, tokens }, ordinal) => {
    const windows = partsOf(count, atoms.slice(first, last + 1), WINDOWS).map(({ start, end, tokens }): Window => ({ start, end, tokens }));
    return { start, end, ordinal, tokens, headingPath: headingsAt(start), windows };
  });
}

function partsOf(count: TokenCounter, atoms: readonly Atom[], options: PartitionOptions): CountedPart[] {
  return partition(atoms, options).flatMap((part) => fitting(count, atoms, part, options.max));
}

interface CountedPart extends Part, TextRange {
  /** Token count of the part's text. The sum over its atoms is only an estimate. */
  readonly tokens: number;
}

/** If the text of a part has more than `max` tokens, reduces its overlap and, if necessary, halves the part. */
function fitting(count: TokenCounter, atoms: readonly Atom[], part: Part, max: number): CountedPart[] {
  const range = { start: atoms[part.first]?.start ?? 0, end: atoms[part.last]?.end ?? 0 };
  const tokens = count(range);
  if (part.first === part.last || tokens <= max) return [{ ...part, ...range, tokens }];
  if (part.first < part.own) return fitting(count, atoms, { ...part, first: part.first + 1 }, max);
  const middle = (part.first + part.last) >> 1;
  return [
    ...fitting(count, atoms, { first: part.first, own: part.first, last: middle }, max),
    ...fitting(count, atoms, { first: middle + 1, own: middle + 1, last: part.last }, max),
  ];
}

/** Returns a function that returns the headings above an offset, outermost first. Offsets must be in ascending order. */
function headingFinder({ text, blocks }: ChunkSource): (offset: number) => string[] {
  const headings = blocks.filter((block) => block.type === "heading");
  const walk = walkHeadings<Block>();
  let next = 0;
  return (offset) => {
    for (let heading = headings[next]; heading !== undefined && heading.start <= offset; heading = headings[++next]) {
      walk.enter(heading);
    }
    return namesOf(walk.at(offset), text);
  };
}
