import type { Nodes, Parent, PhrasingContent, RootContent } from "mdast";
import { fromMarkdown, type Options } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import type { BlockWriter, CodePiece } from "../block-writer.ts";
import { type Segment, segmentsOf } from "./markdown-segments.ts";
import type { MaskedSource } from "./masked-source.ts";
import type { PlainMarkdown } from "./plain-markdown.ts";

/** Parts are parsed together up to about this many characters, and cut where a block surely begins; list items where they must. */
const GROUP_LENGTH = 1_000;
const LIST_GROUP_LENGTH = 8_000;

const DEFINITION = /^ {0,3}\[([^\]\n]{1,200})\]:[ \t]*\S.*$/gm;
const REFERENCE = /\[([^[\]\n]{1,200})\]/g;
const MAY_CONTINUE_LIST = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;
const INLINE_SYNTAX = /[*_`[\]<&\\]/;
const BLANK_RUN = /^\s*$/;

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
  const definitions = new Map<string, string>();
  for (const [line, label] of source.masked.matchAll(DEFINITION)) {
    const key = labelKey(label ?? "");
    if (!definitions.has(key)) definitions.set(key, line);
  }
  const plainFile = { maxIndent: source.hasTags ? Number.POSITIVE_INFINITY : 3, hasDefinitions: source.masked.includes("]:") };
  /** Where the part ends that is being written; an unclosed fence would run on into the definitions after it. */
  let partEnd = 0;
  return { write };

  function write(start: number, end: number): void {
    const text = source.masked.slice(start, end);
    if (BLANK_RUN.test(text)) return;
    if (writer.isSingleLine) {
      writeLine(start, end);
      return;
    }
    const parts = segmentsOf(source.masked, { start, end }, plainFile);
    let groupStart = -1;
    let groupEnd = -1;
    for (const [i, part] of parts.entries()) {
      const next = parts[i + 1];
      const opensBlock = part.isCut || !mayContinueList(part);
      const isContinued = part.kind === "plain" && part.plain.items.length > 0 && next !== undefined && mayContinueList(next);
      const isSimple =
        part.kind !== "markdown" && !alwaysParse && !isContinued && (groupStart < 0 || opensBlock || part.kind === "hostile");
      const length = groupEnd - groupStart;
      const mayCut =
        part.isCut || (opensBlock && length > GROUP_LENGTH) || (!/\s/.test(source.masked[part.start] ?? "") && length > LIST_GROUP_LENGTH);
      if (groupStart >= 0 && (isSimple || mayCut)) {
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

  function writeLine(start: number, end: number): void {
    if (alwaysParse || INLINE_SYNTAX.test(source.masked.slice(start, end))) parse(start, end, inline);
    else source.write(writer, start, end);
  }

  function writeSimple(part: Segment): void {
    if (part.kind === "heading") {
      const marks = /#+/.exec(source.masked.slice(part.start, part.end))?.[0].length ?? 1;
      writer.beginHeading(marks);
      source.write(writer, source.masked.indexOf("#", part.start) + marks, headingEnd(source.masked, part.start, part.end));
      writer.end();
    } else if (part.kind === "plain") writePlain(part.plain);
    else if (part.kind === "code") {
      const lines = source.masked.slice(part.start, part.end).split("\n").slice(1, -1);
      writer.code(codePieces(source.masked, lines.join("\n"), part.start, part.end));
    } else if (part.kind === "table") {
      const table = writer.beginTable();
      for (const [index, row] of part.table.entries()) {
        writer.beginRow(table, index === 0);
        for (const cell of row) {
          writer.beginCell();
          writeLine(cell.start, cell.end);
        }
        writer.end();
      }
    } else {
      writer.paragraph();
      source.write(writer, part.start, part.end);
      writer.paragraph();
    }
  }

  function writePlain({ paragraph, items }: PlainMarkdown): void {
    writer.paragraph();
    for (const range of paragraph) source.write(writer, range.start, range.end);
    writer.paragraph();
    if (items.length === 0) return;
    writer.beginList();
    for (const item of items) {
      writer.beginItem();
      for (const range of item) source.write(writer, range.start, range.end);
      writer.end();
    }
    writer.endList();
  }

  function parse(start: number, end: number, parseOptions: Options): void {
    const text = source.masked.slice(start, end);
    const tree = fromMarkdown(text + definitionsFor(text), parseOptions);
    partEnd = end;
    // Definitions that turn out to be none would be text twice.
    for (const node of tree.children) if (startOf(node) < text.length) block(node, start);
  }

  /** The link definitions that a part may refer to, wherever in the file they stand. */
  function definitionsFor(text: string): string {
    if (definitions.size === 0) return "";
    const labels = new Set([...text.matchAll(REFERENCE)].map(([, label]) => labelKey(label ?? "")));
    const lines = [...labels].map((label) => definitions.get(label)).filter((line) => line !== undefined);
    return lines.length === 0 ? "" : `\n\n${lines.join("\n")}`;
  }

  function block(node: RootContent, base: number): void {
    switch (node.type) {
      case "heading":
        writer.beginHeading(node.depth);
        phrasing(node.children, base, headingEnd(source.masked, startOf(node) + base, endOf(node.children.at(-1) ?? node) + base));
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
        writer.code(codePieces(source.masked, node.value, startOf(node) + base, Math.min(partEnd, endOf(node) + base)));
        return;
      default:
        return;
    }
  }

  function phrasing(nodes: readonly PhrasingContent[], base: number, limit = Number.POSITIVE_INFINITY): void {
    for (const node of nodes) {
      const start = startOf(node) + base;
      const end = Math.min(limit, endOf(node) + base);
      if (end <= start) continue;
      if (node.type === "text")
        source.writeDecoded(writer, node.value.slice(0, node.value.length - (endOf(node) + base - end)), start, end);
      else if (node.type === "inlineCode") source.writeDecoded(writer, node.value, ...codeRange(source.masked, start, end), true);
      else if (node.type === "break") writer.lineBreak();
      else if ((node.type === "image" || node.type === "imageReference") && node.alt) source.writeDecoded(writer, node.alt, start + 2, end);
      else if (isParent(node)) phrasing(node.children as PhrasingContent[], base);
    }
  }
}

function options(disabled: readonly string[]): Options {
  return { extensions: [gfmTable(), { disable: { null: [...disabled] } }], mdastExtensions: [gfmTableFromMarkdown()] };
}

function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase();
}

/** The lines of a code block without its fences and the indentation that its container takes away. */
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
    // Half a tab of indentation stands in `value` as blanks that the source does not have.
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

function startOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

function endOf(node: Nodes): number {
  return node.position?.end.offset ?? 0;
}

/** Where the words of a heading end: before `{#id .class}`, by which generators of sites name it. */
function headingEnd(text: string, start: number, end: number): number {
  const heading = text.slice(start, end).trimEnd();
  const open = heading.endsWith("}") ? heading.lastIndexOf("{") : -1;
  const names = open > 0 && /^\{[#.:][^\s{}]*(?:[ \t]+[^{}]*)?\}$/.test(heading.slice(open)) && /[ \t]/.test(heading.charAt(open - 1));
  return names ? start + open : end;
}
