import type { PassagePlace } from "../text/read-passage.ts";
import type { Area, Chunk, StoredDocument, TextRange, Unit, Window } from "../types.ts";
import { partOf, rangeAround } from "./area.ts";

/** A window of a document as far as it lies in a selection, at sentence bounds. */
export interface ClippedWindow {
  readonly chunk: Chunk;
  readonly range: TextRange;
}

/** Units (sentences, list items, rows) that lie wholly inside both ranges. */
export function unitsInside(units: readonly Unit[], range: TextRange, selection: TextRange | null): Unit[] {
  return units.filter((unit) => inside(unit, range) && (selection === null || inside(unit, selection)));
}

/** From the first unit's start to the last one's end; `null` of none. */
export function spanOf(units: readonly TextRange[]): TextRange | null {
  const first = units[0];
  const last = units.at(-1);
  return first === undefined || last === undefined ? null : { start: first.start, end: last.end };
}

/** The document's windows that overlap the selection, clipped to its whole sentences; what holds no whole sentence of it is left out. */
export function clipWindows({ chunks, units }: Pick<StoredDocument, "chunks" | "units">, selection: TextRange): ClippedWindow[] {
  const selected = unitsInside(units, selection, null);
  return chunks.flatMap((chunk) =>
    chunk.windows
      .filter((window) => overlaps(window, selection))
      .flatMap((window: Window) => {
        const range = spanOf(selected.filter((unit) => inside(unit, window)));
        return range === null ? [] : [{ chunk, range }];
      }),
  );
}

/** What an area leaves around a window of a chunk: one range, so that nothing between two of them is shown. `null`: nothing is left. */
export function placeWithin(
  area: Area | null,
  document: StoredDocument,
  { chunk, window }: { readonly chunk: Chunk; readonly window: TextRange },
): Pick<PassagePlace, "range" | "bounds" | "headingPath"> | null {
  const part = area === null ? null : (partOf(area, document) ?? null);
  const bounds = part === null ? null : (rangeAround(part, window) ?? null);
  if (area !== null && bounds === null) return null;
  const range = bounds === null ? { start: chunk.start, end: chunk.end } : spanOf(unitsInside(document.units, chunk, bounds));
  return range === null ? null : { range, bounds, headingPath: range.start === chunk.start ? chunk.headingPath : undefined };
}

function inside(inner: TextRange, outer: TextRange): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function overlaps(a: TextRange, b: TextRange): boolean {
  return a.start < b.end && b.start < a.end;
}
