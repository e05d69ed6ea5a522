import type { Passage, PlacedUnit, TextRange } from "../types.ts";
import type { Piece } from "./pieces.ts";
import { type OfferedSource, partSource, passageSource } from "./sources.ts";

/** A piece bears on the question if its chance to answer is this share of the best one's; the best of every passage is kept. */
const BEARS = 0.3;
/** Units before and behind what bears on the question that are kept with it. */
const NEIGHBOURS = 1;
/** A passage of which more than this share is kept stays whole. */
const MOSTLY = 0.7;

/**
 * Passages cut to what bears on the question: pieces that may answer with their neighbours, what they cannot be understood without, what limits them, and
 * the heading under which they stand. Best passage first; one without any piece stays whole.
 */
export function trimPassages(passages: readonly Passage[], pieces: readonly WeighedPiece[]): OfferedSource[] {
  const top = Math.max(0, ...pieces.map(({ chance }) => chance));
  const trimmed = passages.map((passage) => {
    const own = pieces.filter(({ view }) => view.evidence.passage.sid === passage.sid);
    const best = Math.max(0, ...own.map(({ chance }) => chance));
    const kept = own.filter(({ chance }) => chance >= Math.min(best, BEARS * top));
    return { best, source: kept.length === 0 ? passageSource(passage) : trim(passage, kept) };
  });
  return trimmed.sort((a, b) => b.best - a.best).map(({ source }) => source);
}

/** A piece as far as it is looked at here. */
export interface WeighedPiece {
  readonly view: {
    readonly piece: Pick<Piece, "range" | "context" | "conditions">;
    readonly evidence: { readonly passage: Pick<Passage, "sid"> };
  };
  /** Chance that it answers, 0 to 1. */
  readonly chance: number;
}

function trim(passage: Passage, kept: readonly WeighedPiece[]): OfferedSource {
  const { units } = passage;
  const keep = new Set<number>();
  for (const { view } of kept) {
    const { range, context, conditions } = view.piece;
    for (const part of [range, ...context, ...conditions]) for (const i of unitsIn(units, part)) keep.add(i);
    const own = unitsIn(units, range);
    for (let near = 1; near <= NEIGHBOURS; near++) {
      for (const i of [(own[0] ?? 0) - near, (own.at(-1) ?? 0) + near])
        if (units[i] !== undefined && units[i]?.type !== "heading") keep.add(i);
    }
  }
  for (const i of [...keep]) {
    const heading = headingAbove(units, i);
    if (heading >= 0) keep.add(heading);
  }
  const parts = runsOf(units, keep);
  const length = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  return length > MOSTLY * (passage.range.end - passage.range.start) ? passageSource(passage) : partSource(passage, parts);
}

function unitsIn(units: readonly PlacedUnit[], { start, end }: TextRange): number[] {
  return units.flatMap((unit, i) => (unit.start < end && unit.end > start ? [i] : []));
}

function headingAbove(units: readonly PlacedUnit[], at: number): number {
  let i = at;
  while (i >= 0 && units[i]?.type !== "heading") i--;
  return i;
}

/** Kept units as ranges, those beside each other as one. */
function runsOf(units: readonly PlacedUnit[], keep: ReadonlySet<number>): TextRange[] {
  const runs: { start: number; end: number; last: number }[] = [];
  for (const [i, { start, end }] of units.entries()) {
    if (!keep.has(i)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.last === i - 1) Object.assign(run, { end, last: i });
    else runs.push({ start, end, last: i });
  }
  return runs.map(({ start, end }) => ({ start, end }));
}
