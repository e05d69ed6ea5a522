import { isListItem, type WireLine } from "../../src/client/index.ts";

/** A line of an answer with its index. */
export interface PlacedLine extends WireLine {
  readonly index: number;
}

/** A part of a line: a paragraph or an item of a list. */
export interface Part {
  readonly text: string;
  /** Offset in the line, in characters. */
  readonly from: number;
  readonly line: PlacedLine;
  /** Whether the line ends here; its sources follow. */
  readonly isLast: boolean;
}

/** Lines shown together: consecutive rows of a source table form a table, consecutive list items a list. */
export type AnswerBlock = { readonly label: string | null } & (
  | { readonly type: "text" | "list"; readonly parts: readonly Part[] }
  | { readonly type: "table"; readonly rows: readonly PlacedLine[] }
);

/** Groups lines into blocks: consecutive rows of one table become one table, consecutive items of one document one list. */
export function toBlocks(lines: readonly WireLine[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  for (const [index, one] of lines.entries()) {
    const line = { ...one, index };
    const { source, label } = line;
    const [last, before] = [blocks.at(-1), lines[index - 1]?.source];
    const follows = label === null && source !== null && before?.documentId === source.documentId;
    if (source?.row !== undefined) {
      if (last?.type === "table" && follows && before?.row?.headerStart === source.row.headerStart)
        blocks[blocks.length - 1] = { ...last, rows: [...last.rows, line] };
      else blocks.push({ type: "table", label, rows: [line] });
    } else if (source !== null && (line.text.includes("\n\n") || ANNOUNCED.test(line.text))) {
      blocks.push(...partsOf(line));
    } else if (source !== null && isListItem(source)) {
      const parts = splitLines(line, line.text, 0);
      if (last?.type === "list" && follows) blocks[blocks.length - 1] = { ...last, parts: [...last.parts, ...parts] };
      else blocks.push({ type: "list", label, parts });
    } else blocks.push({ type: "text", label, parts: [{ text: line.text, from: 0, line, isLast: true }] });
  }
  return blocks;
}

/** Matches a text whose first line ends in a colon and introduces the lines directly below it. */
const ANNOUNCED = /^[^\n]*:[^\S\n]*\n(?!\n)/;

/** Splits a line at blank lines: one text line is a paragraph, several are a list. */
function partsOf(line: PlacedLine): AnswerBlock[] {
  let from = 0;
  return line.text.split("\n\n").flatMap((text) => {
    const parts = splitLines(line, text, from);
    from += text.length + 2;
    // The introducing line is a paragraph, not an item of its list.
    const groups = ANNOUNCED.test(text) ? [parts.slice(0, 1), parts.slice(1)] : [parts];
    return groups.map((group): AnswerBlock => {
      const label = group[0]?.from === 0 ? line.label : null;
      return { type: group.length === 1 ? "text" : "list", label, parts: group };
    });
  });
}

/** Splits a text at line breaks. @param start offset of the text in the line */
function splitLines(line: PlacedLine, whole: string, start: number): Part[] {
  let from = start;
  return whole.split("\n").map((text) => {
    const part = { text, from, line, isLast: from + text.length === line.text.length };
    from += text.length + 1;
    return part;
  });
}
