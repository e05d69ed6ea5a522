import type { Nodes, Parent, PhrasingContent, RootContent } from "mdast";
import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import type { TextRange } from "../../types.ts";
import type { BlockWriter, CodePiece } from "../block-writer.ts";
import type { MaskedSource } from "./masked-source.ts";
import { type PlainMarkdown, readPlainMarkdown } from "./plain-markdown.ts";

/** Lists and quotes inside each other, and emphasis marks in one paragraph: beyond, parsing time grows with the square; the text stays. */
const MAX_CONTAINERS = 100;
const MAX_DELIMITERS = 2_000;
/** Long runs are parsed in parts of about this many characters, cut where a block surely begins. */
const GROUP_LENGTH = 8_000;

const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.*$/gm;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const HEADING_LINE = /^#{1,6}[ \t]/;
const BLANK_LINE = /^[ \t\r]*$/;
const MAY_CONTINUE_LIST = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;
const SIMPLE_HEADING = /^ {0,3}(#{1,6})[ \t]+[^\s#*_`[\]<&\\|][^#*_`[\]<&\\|\r\n]*$/;
const INLINE_SYNTAX = /[*_`[\]<&\\]/;
const CONTAINER = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

interface Segment extends TextRange {
  readonly kind: "heading" | "plain" | "hostile" | "markdown";
  readonly plain: PlainMarkdown | null;
}

/** Writes markdown from ranges of one source. */
export interface MarkdownWriter {
  /** `source[start, end)` as blocks; on a single line (a heading, a cell) only inline syntax counts. */
  write(start: number, end: number): void;
}

/** With `alwaysParse`, nothing takes the short way past the full parser; the result must be the same. */
export function createMarkdownWriter(source: MaskedSource, writer: BlockWriter, alwaysParse = false): MarkdownWriter {
  // In a file with HTML, indentation follows the tags and says nothing about code.
  const noIndentedCode = source.hasTags ? ["codeIndented"] : [];
  const blocks = options(noIndentedCode);
  const inline = options([
    ...["blockQuote", "codeFenced", "codeIndented", "definition", "headingAtx", "htmlFlow", "list", "setextUnderline", "table"],
    "thematicBreak",
  ]);
  const definitions = (source.masked.match(DEFINITION) ?? []).join("\n").slice(0, 20_000);
  return { write };

  function write(start: number, end: number): void {
    const trimmed = source.masked.slice(start, end);
    if (BLANK_RUN.test(trimmed)) return;
    if (writer.isSingleLine) {
      if (alwaysParse || INLINE_SYNTAX.test(trimmed)) parse(start, end, inline);
      else source.write(writer, start, end);
      return;
    }
    const parts = segments(source.masked, start, end, source.hasTags ? Number.POSITIVE_INFINITY : 3);
    let groupStart = -1;
    let groupEnd = -1;
    for (const [i, part] of parts.entries()) {
      const next = parts[i + 1];
      const opensBlock = !mayContinueList(part);
      const isContinued = part.plain !== null && part.plain.items.length > 0 && next !== undefined && mayContinueList(next);
      const isSimple =
        part.kind !== "markdown" && !alwaysParse && !isContinued && (groupStart < 0 || opensBlock || part.kind === "hostile");
      if (groupStart >= 0 && (isSimple || (opensBlock && groupEnd - groupStart > GROUP_LENGTH))) {
        parse(groupStart, groupEnd, blocks);
        groupStart = -1;
      }
      if (isSimple) writeSimple(part);
      else {
        if (groupStart < 0) groupStart = part.start;
        groupEnd = part.end;
      }
    }
    if (groupStart >= 0) parse(groupStart, groupEnd, blocks);
  }

  function mayContinueList(part: Segment): boolean {
    return MAY_CONTINUE_LIST.test(source.masked.slice(part.start, part.start + 12));
  }

  function writeSimple({ start, end, kind, plain }: Segment): void {
    if (kind === "heading") {
      const marks = /#+/.exec(source.masked.slice(start, end))?.[0].length ?? 1;
      writer.beginHeading(marks);
      source.write(writer, source.masked.indexOf("#", start) + marks, end);
      writer.end();
      return;
    }
    writer.paragraph();
    for (const range of plain?.paragraph ?? [{ start, end }]) source.write(writer, range.start, range.end);
    writer.paragraph();
    if (plain === null || plain.items.length === 0) return;
    writer.beginList();
    for (const item of plain.items) {
      writer.beginItem();
      for (const range of item) source.write(writer, range.start, range.end);
      writer.end();
    }
    writer.endList();
  }

  function parse(start: number, end: number, parseOptions: Options): void {
    const text = source.masked.slice(start, end);
    if (countDelimiters(text) > MAX_DELIMITERS * (1 + text.length / GROUP_LENGTH) || containerDepth(text) > MAX_CONTAINERS) {
      source.write(writer, start, end);
      return;
    }
    const withDefinitions = definitions !== "" && text.includes("[") ? `${text}\n\n${definitions}` : text;
    const tree = fromMarkdown(withDefinitions, parseOptions);
    for (const node of tree.children) block(node, start);
  }

  function block(node: RootContent, base: number): void {
    switch (node.type) {
      case "heading":
        writer.beginHeading(node.depth);
        phrasing(node.children, base);
        writer.end();
        return;
      case "paragraph":
        writer.paragraph();
        phrasing(node.children, base);
        writer.paragraph();
        return;
      case "list":
        writer.beginList();
        for (const item of node.children) {
          writer.beginItem();
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
      case "table": {
        const table = writer.beginTable();
        for (const [index, row] of node.children.entries()) {
          writer.beginRow(table, index === 0);
          for (const cell of row.children) {
            writer.beginCell();
            phrasing(cell.children, base);
          }
          writer.end();
        }
        return;
      }
      case "code":
        writer.code(codePieces(source.masked, node.value, startOf(node) + base, endOf(node) + base));
        return;
      default:
        return;
    }
  }

  function phrasing(nodes: readonly PhrasingContent[], base: number): void {
    for (const node of nodes) {
      const start = startOf(node) + base;
      const end = endOf(node) + base;
      if (node.type === "text") source.writeDecoded(writer, node.value, start, end);
      else if (node.type === "inlineCode") source.writeDecoded(writer, node.value, ...codeRange(source.masked, start, end), true);
      else if (node.type === "break") writer.lineBreak();
      else if ((node.type === "image" || node.type === "imageReference") && node.alt) source.writeDecoded(writer, node.alt, start + 2, end);
      else if (isParent(node)) phrasing(node.children as PhrasingContent[], base);
    }
  }
}

const BLANK_RUN = /^\s*$/;

function options(disabled: readonly string[]): Options {
  return { extensions: [gfmTable(), { disable: { null: [...disabled] } }], mdastExtensions: [gfmTableFromMarkdown()] };
}

/** Parts of a run between empty lines; headings stand alone, fenced code stays in one part. What needs no parser is named so. */
function segments(text: string, start: number, end: number, maxIndent: number): Segment[] {
  const found: Segment[] = [];
  let segmentStart = -1;
  let segmentEnd = -1;
  let fence = "";
  let isFenced = false;
  const take = (): void => {
    if (segmentStart < 0) return;
    found.push(segmentOf(text, segmentStart, segmentEnd, isFenced, maxIndent));
    segmentStart = -1;
    isFenced = false;
  };
  for (let lineStart = start; lineStart < end; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    const line = text.slice(lineStart, lineEnd);
    const isHeading = fence === "" && HEADING_LINE.test(line);
    if (isHeading || (fence === "" && BLANK_LINE.test(line))) take();
    if (!BLANK_LINE.test(line)) {
      if (segmentStart < 0) segmentStart = lineStart;
      segmentEnd = lineEnd;
    }
    if (isHeading) take();
    const marks = FENCE.exec(line)?.[1] ?? "";
    if (fence === "") {
      fence = marks;
      isFenced ||= marks !== "";
    } else if (marks.startsWith(fence) && line.trim() === marks) fence = "";
    lineStart = lineEnd + 1;
  }
  take();
  return found;
}

function segmentOf(text: string, start: number, end: number, isFenced: boolean, maxIndent: number): Segment {
  if (isFenced) return { start, end, kind: "markdown", plain: null };
  const segment = text.slice(start, end);
  if (SIMPLE_HEADING.test(segment.trimEnd())) return { start, end, kind: "heading", plain: null };
  const plain = readPlainMarkdown(text, start, end, maxIndent);
  if (plain !== null) return { start, end, kind: "plain", plain };
  const isHostile = countDelimiters(segment) > MAX_DELIMITERS || containerDepth(segment) > MAX_CONTAINERS;
  return { start, end, kind: isHostile ? "hostile" : "markdown", plain: null };
}

function countDelimiters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // * _ [ ] ` <
    if (code === 42 || code === 95 || code === 91 || code === 93 || code === 96 || code === 60) count++;
  }
  return count;
}

/** Deepest nesting of lists and quotes that the lines can open, judged by markers and indentation. */
function containerDepth(text: string): number {
  let deepest = 0;
  const columns: number[] = [];
  for (const line of text.split("\n")) {
    CONTAINER.lastIndex = 0;
    let markers = 0;
    let column = -1;
    while (CONTAINER.test(line)) {
      if (column < 0) column = line.search(/\S/);
      if (++markers > MAX_CONTAINERS * 2) break;
    }
    if (markers === 0 || /^[ \t]*([-*])(?:[ \t]*\1)+[ \t\r]*$/.test(line)) continue;
    while ((columns.at(-1) ?? -1) >= column) columns.pop();
    columns.push(column);
    deepest = Math.max(deepest, columns.length + markers - 1);
  }
  return deepest;
}

/** The lines of a code block without its fences and the indentation that its container takes away. */
function codePieces(text: string, value: string, start: number, end: number): CodePiece[] {
  const pieces: CodePiece[] = [];
  const isFenced = /^(?:`{3}|~{3})/.test(text.slice(start, start + 3));
  let at = isFenced ? text.indexOf("\n", start) + 1 : start;
  for (const line of value === "" ? [] : value.split("\n")) {
    const bare = line.replace(/\r$/, "");
    const found = text.indexOf(bare, at);
    if (found < 0 || found + bare.length > end) break;
    const newline = text.indexOf("\n", found + bare.length);
    const stop = newline < 0 || newline >= end ? found + bare.length : newline + 1;
    pieces.push({ start: found, end: stop });
    at = stop;
  }
  const last = pieces.at(-1);
  if (last === undefined) return [];
  const trailing = /\s*$/.exec(text.slice(last.start, last.end))?.[0].length ?? 0;
  return [...pieces.slice(0, -1), { start: last.start, end: last.end - trailing }];
}

function codeRange(text: string, start: number, end: number): [number, number] {
  const marks = /^`*/.exec(text.slice(start, end))?.[0].length ?? 0;
  return [start + marks, end - marks];
}

function isParent(node: Nodes): node is Nodes & Parent {
  return "children" in node;
}

function startOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

function endOf(node: Nodes): number {
  return node.position?.end.offset ?? 0;
}
