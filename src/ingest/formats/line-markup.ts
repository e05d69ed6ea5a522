import type { TextRange } from "../../types.ts";
import type { BlockWriter } from "../block-writer.ts";

/** A line of a text whose structure is told line by line. */
export interface MarkupLine extends TextRange {
  /** Without the white space around it. */
  readonly text: string;
  /** White space before it, in characters. */
  readonly indent: number;
  readonly kind: "text" | "empty" | "heading" | "code" | "code-gap";
  /** Of headings. */
  readonly level?: number;
}

const ITEM = /^(?:[-*•+]|\.{1,5}|\*{2,5}|\(?(?:\d{1,3}|[a-zA-Z#])[.)])[ \t]+(?=\S)/;

export function linesOf(source: string): MarkupLine[] {
  const lines: MarkupLine[] = [];
  for (const match of source.matchAll(/[^\n]*(?:\n|$)/g)) {
    const raw = match[0].replace(/[\r\n]+$/, "");
    const text = raw.replace(/^\ufeff/, "").trim();
    const indent = text === "" ? 0 : raw.length - raw.trimStart().length;
    lines.push({
      start: match.index + indent,
      end: match.index + raw.trimEnd().length,
      text,
      indent,
      kind: text === "" ? "empty" : "text",
    });
    if (match.index + match[0].length >= source.length) break;
  }
  return lines;
}

/** Writes classified lines: paragraphs are runs of text lines, items begin at their mark, code keeps its lines. */
export function writeMarkupText(writer: BlockWriter, source: string, lines: readonly MarkupLine[]): void {
  let inList = false;
  let inItem = false;
  const endItem = () => {
    if (inItem) writer.end();
    inItem = false;
  };
  const endList = () => {
    endItem();
    if (inList) writer.endList();
    inList = false;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as MarkupLine;
    if (line.kind === "empty" || line.kind === "code-gap") {
      endItem();
      writer.paragraph();
      continue;
    }
    if (line.kind === "heading") {
      endList();
      writer.beginHeading(line.level ?? 1);
      writer.text(line.start, line.end);
      writer.end();
    } else if (line.kind === "code") {
      endList();
      const last = lastOfCode(lines, i);
      writer.code([{ start: line.start - line.indent, end: (lines[last] as MarkupLine).end }]);
      i = last;
    } else {
      const mark = ITEM.exec(line.text)?.[0];
      if (mark !== undefined) {
        endItem();
        if (!inList) writer.beginList();
        inList = true;
        writer.beginItem();
        inItem = true;
        writer.text(line.start + (/^[-*•+.]/.test(mark) ? mark.length : 0), withBreak(source, line.end));
      } else {
        if (!inItem) endList();
        writer.text(line.start, withBreak(source, line.end));
      }
    }
  }
  endList();
}

/** The line break after a line is the blank between it and the next. */
function withBreak(source: string, end: number): number {
  return Math.min(source.length, end + 1);
}

function lastOfCode(lines: readonly MarkupLine[], from: number): number {
  let last = from;
  for (let i = from; i < lines.length && (lines[i]?.kind === "code" || lines[i]?.kind === "code-gap"); i++)
    if (lines[i]?.kind === "code") last = i;
  return last;
}
