import type { TextRange } from "../../types.ts";
import { codeSpanFinder } from "./markdown-code-spans.ts";
import { maxIndentOf } from "./markdown-run.ts";
import { BLANK_LINE, fenceAfter, linesOf } from "./markdown-segments.ts";
import type { Mask, MaskedSource } from "./masked-source.ts";
import { DELIMITER_ROW, flanks } from "./plain-markdown.ts";

/** What strikes text through, and what is passed over on the way: escapes, code and addresses. */
const MARK = new RegExp(
  [
    String.raw`\\[\s\S]|\`+|~+`,
    String.raw`<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>`,
    String.raw`\]\((?:<[^<>\n]*>|(?:[^\s()<\`]|\([^\s()\`]*\))*)(?=\)|[ \t]+["'(])`,
    String.raw`\b(?:https?:\/\/|www\.)[^\s<>\`]*[^\s<>\`?!.,:*_~'")]`,
  ].join("|"),
  "gi",
);
const MARK_LENGTH = 2;
/** What opens another block: nothing is struck from one into the next. */
const BLOCK_START = /^[ \t]*(?:[#>|]|(?:=+|-+)[ \t\r]*$|(?:[-+*]|\d{1,9}[.)])[ \t])/;

/** What parts the cells of a table. */
const BORDER = /(?<!\\)\|/;
/** What stands before a line of a block inside of quotes. */
const QUOTED = /^[ \t>]*/;

/** What two tildes on either side strike through, as on GitHub, with its marks: within one block and one cell, not in code and addresses. Linear. */
export function findStruck(source: MaskedSource, from: number): TextRange[] {
  const { masked } = source;
  const found: TextRange[] = [];
  const spanAt = codeSpanFinder(masked);
  const maxIndent = maxIndentOf(source);
  let [fence, open, codeEnd, inTable] = ["", -1, 0, false];
  for (const line of linesOf(masked, from, masked.length)) {
    const wasFence = fence;
    fence = fenceAfter(fence, line.text, maxIndent);
    inTable = (inTable && !BLANK_LINE.test(line.text.replace(QUOTED, ""))) || headsTable(masked, line);
    if (wasFence !== "" || fence !== "" || inTable || BLANK_LINE.test(line.text) || BLOCK_START.test(line.text)) open = -1;
    if (wasFence !== "" || fence !== "") continue;
    for (const { 0: mark, index } of line.text.matchAll(MARK)) {
      const at = line.start + index;
      if (at < codeEnd) continue;
      if (mark.startsWith("`")) codeEnd = spanAt(at).end;
      if (!mark.startsWith("~") || mark.length !== MARK_LENGTH) continue;
      const end = index + MARK_LENGTH;
      const isRow = inTable || line.text.trimStart().startsWith("|");
      const isCell = isRow && BORDER.test(masked.slice(open, at));
      if (open >= 0 && !isCell && flanks(line.text, index - 1, end)) {
        found.push({ start: open, end: at + MARK_LENGTH });
        open = -1;
      } else if (flanks(line.text, end, index - 1)) open = at;
    }
  }
  return found;
}

/** Whether the line below makes this one the header of a table. */
function headsTable(masked: string, { end, text }: TextRange & { readonly text: string }): boolean {
  if (!BORDER.test(text)) return false;
  const newline = masked.indexOf("\n", end + 1);
  const below = masked.slice(end + 1, newline < 0 ? masked.length : newline).replace(QUOTED, "");
  return DELIMITER_ROW.test(below);
}

/** Masks with what is struck through covered as a whole. */
export function withStruck(masks: readonly Mask[], struck: readonly TextRange[]): readonly Mask[] {
  if (struck.length === 0) return masks;
  const ends = new Map(struck.map(({ start, end }) => [start, end]));
  const all = [...masks, ...struck.map(({ start, end }): Mask => ({ start, end, effect: "struck", shown: "" }))];
  let covered = 0;
  return all
    .sort((a, b) => a.start - b.start)
    .filter((mask) => {
      const isOutside = mask.start >= covered;
      if (mask.effect === "struck") covered = ends.get(mask.start) ?? covered;
      return isOutside;
    });
}
