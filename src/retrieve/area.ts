import type { Area, AreaPart, Selection, TextRange } from "../types.ts";

/** Later than the end of any text. */
export const OPEN_END: number = Number.MAX_SAFE_INTEGER;

/** Ranges in order, with those that overlap or touch made one; empty ones are left out. */
export function mergeRanges(ranges: readonly TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const { start, end } of [...ranges].filter((one) => one.end > one.start).sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}

/** What lies in both, in order. */
export function intersectRanges(a: readonly TextRange[], b: readonly TextRange[]): TextRange[] {
  const both = a.flatMap((one) => b.map((other) => ({ start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) })));
  return mergeRanges(both);
}

/** The range that holds another one whole, if any. */
export function rangeAround({ ranges }: AreaPart, { start, end }: TextRange): TextRange | undefined {
  return ranges.find((range) => start >= range.start && end <= range.end);
}

export function isOverlapped({ ranges }: AreaPart, { start, end }: TextRange): boolean {
  return ranges.some((range) => start < range.end && range.start < end);
}

/** The part of an area that is of a document at a version. */
export function partOf(area: Area, { id, version }: { readonly id: string; readonly version: string }): AreaPart | undefined {
  const part = area.get(id);
  return part === undefined || (part.version !== null && part.version !== version) ? undefined : part;
}

export function selectionArea({ documentId, start, end }: Selection): Area {
  return new Map([[documentId, { version: null, ranges: [{ start, end }] }]]);
}

/** What of an area is selected too. */
export function intersectSelection(area: Area, { documentId, start, end }: Selection): Area {
  const part = area.get(documentId);
  const ranges = part === undefined ? [] : intersectRanges(part.ranges, [{ start, end }]);
  return part === undefined || ranges.length === 0 ? new Map() : new Map([[documentId, { ...part, ranges }]]);
}
