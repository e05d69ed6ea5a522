import type { Nodes, Parent, PhrasingContent, RootContent, TableRow } from "mdast";
import type { BlockWriter } from "../block-writer.ts";
import type { CodePiece } from "../visible.ts";
import { IMAGE_LABEL } from "./described-figures.ts";
import type { MaskedSource } from "./masked-source.ts";

/** Creates a writer of the full parser's nodes. `base` is the source offset of their position 0. */
export function createTreeWriter(sides: Sides): (node: RootContent, base: number) => void {
  const { source, writer } = sides;
  let hasStar = false;
  return block;

  /** Labels the descriptions of pictures that stand alone, so that a quote of one is not taken for running text. */
  function writeImages(images: readonly PhrasingContent[], base: number): void {
    for (const image of images) {
      const start = startOf(image) + base;
      writer.paragraph();
      if ("alt" in image && image.alt) {
        writer.opaque(IMAGE_LABEL, start, start + 1);
        writer.opaque(" ", start + 1, start + 2);
      }
      writePhrasing(sides, [image], base);
    }
  }

  function block(node: RootContent, base: number): void {
    switch (node.type) {
      case "heading":
        writer.beginHeading(node.depth);
        writePhrasing(sides, node.children, base);
        writer.end();
        return;
      case "paragraph":
        writer.paragraph();
        if (node.children.every(isImageOrBlank)) writeImages(node.children, base);
        else writePhrasing(sides, node.children, base);
        writer.paragraph();
        hasStar ||= node.children.some((child) => child.type === "text" && CALLS_STAR.test(child.value));
        return;
      case "list":
        writer.beginList();
        for (const [i, item] of node.children.entries()) {
          writer.beginItem();
          const start = startOf(item) + base;
          const [, digits, sign] = (node.ordered && /^(\d{1,9})([.)])/.exec(source.masked.slice(start, start + 10))) || [];
          // A single bullet after a word with an asterisk is the note to it.
          if (hasStar && !node.ordered && node.children.length === 1 && source.masked[start] === "*")
            writer.mark({ text: "*", start, end: start + 1 });
          if (digits !== undefined) writer.mark({ text: `${(node.start ?? 1) + i}${sign}`, start, end: start + digits.length + 1 });
          for (const child of item.children) block(child, base);
          writer.end();
        }
        writer.endList();
        return;
      case "blockquote":
        writer.beginQuote();
        for (const child of node.children) block(child, base);
        writer.end();
        return;
      case "table":
        writeRows(sides, node.children, base);
        return;
      case "code":
        writer.code(codePieces(source.masked, node.value, startOf(node) + base, endOf(node) + base));
        return;
      default:
        return;
    }
  }
}

/** Returns whether a node of a paragraph is a picture, or white space between pictures. */
function isImageOrBlank(node: PhrasingContent): boolean {
  return node.type === "image" || node.type === "imageReference" || (node.type === "text" && node.value.trim() === "");
}

/** The source and destination of the text. */
export interface Sides {
  readonly source: MaskedSource;
  readonly writer: BlockWriter;
  readonly leftOut: LeftOutMarkdown;
}

/** Numbers of struck-through characters, and of pictures without alternative text. */
export interface LeftOutMarkdown {
  struck: number;
  figures: number;
}

/** An asterisk after a word that is no markup. */
const CALLS_STAR = /[^\s*]\*(?=\s|$)/;

function writeRows(sides: Sides, rows: readonly TableRow[], base: number): void {
  const { writer } = sides;
  const table = writer.beginTable();
  for (const [index, row] of rows.entries()) {
    writer.beginRow(table, index === 0);
    for (const cell of row.children) {
      writer.beginCell();
      writePhrasing(sides, cell.children, base);
    }
    writer.end();
  }
}

function writePhrasing(sides: Sides, nodes: readonly PhrasingContent[], base: number): void {
  const { source, writer } = sides;
  for (const node of nodes) {
    const start = startOf(node) + base;
    const end = endOf(node) + base;
    if (node.type === "text") source.writeDecoded(writer, node.value, start, end);
    else if (node.type === "inlineCode") source.writeDecoded(writer, node.value, ...codeRange(source.masked, start, end), true);
    else if (node.type === "delete") sides.leftOut.struck += end - start;
    else if (node.type === "break") writer.lineBreak();
    else if (node.type === "image" || node.type === "imageReference") {
      if (node.alt) source.writeDecoded(writer, node.alt, start + 2, end);
      else sides.leftOut.figures++;
    } else if (isParent(node)) {
      if (node.type === "strong") writer.beginBold();
      writePhrasing(sides, node.children as PhrasingContent[], base);
      if (node.type === "strong") writer.endBold();
    }
  }
}

/** Returns the lines of a code block without its fences and its container's indentation. */
function codePieces(text: string, value: string, start: number, end: number): CodePiece[] {
  const pieces: CodePiece[] = [];
  const isFenced = /^(?:`{3}|~{3})/.test(text.slice(start, start + 3));
  const firstBreak = text.indexOf("\n", start);
  if (isFenced && (firstBreak < 0 || firstBreak >= end)) return [];
  let at = isFenced ? firstBreak + 1 : start;
  for (const line of value === "" ? [] : value.split("\n")) {
    if (at >= end) break;
    const newline = text.indexOf("\n", at);
    const stop = newline < 0 || newline >= end ? end : newline;
    const whole = text.slice(at, stop).trimEnd();
    // Partial tabs of indentation are spaces in `value` that the source does not have.
    const content = [line.trimEnd(), line.trim()].find((candidate) => whole.endsWith(candidate)) ?? whole;
    pieces.push({ start: at + whole.length - content.length, end: Math.min(end, stop + 1) });
    at = stop + 1;
  }
  return pieces;
}

function codeRange(text: string, start: number, end: number): [number, number] {
  const marks = /^`*/.exec(text.slice(start, end))?.[0].length ?? 0;
  return [start + marks, end - marks];
}

function isParent(node: Nodes): node is Nodes & Parent {
  return "children" in node;
}

export function startOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

function endOf(node: Nodes): number {
  return node.position?.end.offset ?? 0;
}
