import { z } from "zod";
import type { PackedPostings, Postings } from "./postings.ts";
import { arrayOf, damaged, readFacts, readSnapshot, type SnapshotFile, writeSnapshot } from "./snapshot.ts";
import type { PackedTerms, Terms } from "./vocabulary.ts";

/** An index without gaps: every list is contiguous, and only `alive` marks deleted entries. */
export interface PackedIndex extends PackedTerms, PackedPostings {
  readonly used: number;
  readonly totalLength: number;
  readonly boundAverage: number;
  readonly bounds: Float64Array<ArrayBuffer>;
  readonly entryTerms: Uint32Array<ArrayBuffer>;
  readonly entryStarts: Uint32Array<ArrayBuffer>;
  readonly alive: Uint8Array<ArrayBuffer>;
  readonly lengths: Float32Array<ArrayBuffer>;
}

const factsSchema = z.object({ slots: z.number().int().nonnegative(), totalLength: z.number(), boundAverage: z.number().nonnegative() });

/** Serialises a packed index. */
export function writeIndex(packed: PackedIndex): Uint8Array<ArrayBuffer> {
  const { units, ends, table, starts, slots, frequencies, bounds, entryTerms, entryStarts, alive, lengths } = packed;
  const facts = { slots: packed.used, totalLength: packed.totalLength, boundAverage: packed.boundAverage };
  return writeSnapshot("bm25", facts, [
    ["termUnits", [units]],
    ["termEnds", [ends]],
    ["termTable", [table]],
    ["starts", [starts]],
    ["slots", [slots]],
    ["frequencies", [frequencies]],
    ["bounds", [bounds]],
    ["entryTerms", [entryTerms]],
    ["entryStarts", [entryStarts]],
    ["alive", [alive]],
    ["lengths", [lengths]],
  ]);
}

/** @throws SnapshotError when the snapshot is incomplete or damaged */
export function readIndex(from: Uint8Array | SnapshotFile): PackedIndex {
  const snapshot = readSnapshot("bm25", from);
  const { slots: used, totalLength, boundAverage } = readFacts(snapshot, factsSchema);
  const uint32 = (name: string) => arrayOf(Uint32Array, snapshot.section(name));
  const packed: PackedIndex = {
    used,
    totalLength,
    boundAverage,
    units: arrayOf(Uint16Array, snapshot.section("termUnits")),
    ends: uint32("termEnds"),
    table: uint32("termTable"),
    starts: uint32("starts"),
    slots: uint32("slots"),
    frequencies: arrayOf(Float32Array, snapshot.section("frequencies")),
    bounds: arrayOf(Float64Array, snapshot.section("bounds")),
    entryTerms: uint32("entryTerms"),
    entryStarts: uint32("entryStarts"),
    alive: snapshot.section("alive"),
    lengths: arrayOf(Float32Array, snapshot.section("lengths")),
  };
  const terms = packed.ends.length;
  const fits =
    packed.table.length > terms &&
    packed.units.length === (packed.ends[terms - 1] ?? 0) &&
    packed.starts.length === terms + 1 &&
    packed.bounds.length === terms &&
    packed.slots.length === packed.starts[terms] &&
    packed.frequencies.length === packed.slots.length &&
    packed.alive.length === used &&
    packed.lengths.length === used &&
    packed.entryStarts.length === used + 1 &&
    packed.entryTerms.length === packed.entryStarts[used];
  if (!fits) throw damaged(`${used} slots and ${terms} terms do not fill its sections`);
  return packed;
}

/** Arrays of a live index, with gaps. */
export interface HeldIndex {
  readonly terms: Terms;
  readonly postings: Postings;
  /** Number of live entries that contain each term. */
  readonly termLive: Uint32Array;
  readonly termBound: Float64Array;
  readonly entryStarts: Uint32Array;
  readonly entryTerms: Uint32Array;
  readonly lengths: Float32Array;
  readonly totalLength: number;
  readonly boundAverage: number;
  /** Number of slots ever assigned. */
  readonly used: number;
}

/** Returns the index without gaps and with renumbered slots. −1 in `renamed` drops a slot's entry. */
export function packIndex(held: HeldIndex, renamed: Int32Array, used: number): PackedIndex {
  const kept: number[] = [];
  const newTerm = new Uint32Array(held.terms.size);
  for (let term = 0; term < held.terms.size; term++) if ((held.termLive[term] as number) > 0) newTerm[term] = kept.push(term) - 1;
  const alive = new Uint8Array(used);
  const lengths = new Float32Array(used);
  const entryStarts = new Uint32Array(used + 1);
  const entryTerms = new Uint32Array(held.entryStarts[held.used] as number);
  let at = 0;
  let next = 0;
  for (let slot = 0; slot < held.used; slot++) {
    const to = renamed[slot] as number;
    if (to < 0) continue;
    for (; next <= to; next++) entryStarts[next] = at;
    for (let i = held.entryStarts[slot] as number; i < (held.entryStarts[slot + 1] as number); i++)
      entryTerms[at++] = newTerm[held.entryTerms[i] as number] as number;
    alive[to] = 1;
    lengths[to] = held.lengths[slot] as number;
  }
  for (; next <= used; next++) entryStarts[next] = at;
  return {
    used,
    totalLength: held.totalLength,
    boundAverage: held.boundAverage,
    ...held.terms.packed(kept),
    ...held.postings.packed(kept, renamed),
    bounds: Float64Array.from(kept, (term) => held.termBound[term] as number),
    entryTerms: entryTerms.subarray(0, at),
    entryStarts,
    alive,
    lengths,
  };
}
