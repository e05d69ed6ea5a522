import type { ParsedDocument } from "../parse.ts";

/**
 * Returns the violated invariants of a parsed document.
 * @param original the text that the source map points to, if available
 */
export function faultsOf(document: ParsedDocument, original?: string): string[] {
  const { text, blocks, units, sourceMap, reading } = document;
  const faults: string[] = [];
  const demand = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  demand(!/\p{Cs}/u.test(text), "half a surrogate pair");
  let at = 0;
  for (const [i, { start, end, type, header }] of blocks.entries()) {
    const content = text.slice(start, end);
    demand(text.slice(at, start).trim() === "" && start >= at, `text before block ${i}`);
    // The first line of code keeps its indentation.
    demand(
      content !== "" && content === (type === "code" ? content.trimEnd().replace(/^\n/, "") : content.trim()),
      `block ${i} is not trimmed`,
    );
    demand(header < 0 || (header <= i && blocks[header]?.type === "table-row"), `header of block ${i}`);
    at = end;
  }
  demand(at === text.length, "text after the last block");
  at = 0;
  for (const [i, unit] of units.entries()) {
    const block = blocks[unit.block];
    demand(block !== undefined && unit.start >= block.start && unit.end <= block.end, `unit ${i} outside its block`);
    demand(unit.end > unit.start && unit.start >= at && text.slice(at, unit.start).trim() === "", `text before unit ${i}`);
    at = unit.end;
  }
  demand(text.slice(at).trim() === "", "text after the last unit");
  const isOrdered = reading.places?.type !== "cells";
  for (let i = 0; i < sourceMap.length; i += 4) {
    const [outStart = -1, outEnd = -1, start = -1, end = -1] = sourceMap.slice(i, i + 4);
    demand(outStart >= (sourceMap[i - 3] ?? 0) && outEnd > outStart && outEnd <= text.length, `segment ${i} of the text`);
    demand(
      (!isOrdered || start >= (sourceMap[i - 1] ?? 0)) && end > start && end <= (original?.length ?? end),
      `segment ${i} of the original`,
    );
  }
  return faults;
}
