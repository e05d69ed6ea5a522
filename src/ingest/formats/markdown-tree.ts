import { decodeHTMLStrict } from "entities";
import type { TextRange } from "../../shared/types.ts";
import type { BlockWriter } from "../block-writer.ts";
import { type CodePiece, linesOf } from "../visible.ts";
import { IMAGE_LABEL } from "./described-figures.ts";
import { coverBrackets, definedLabels, labelKey, MARKDOWN_PARSERS } from "./markdown-parser.ts";
import { COVER, type MaskedSource } from "./masked-source.ts";

interface MarkdownParts {
  readonly source: MaskedSource;
  /** Writes the blocks of the source. */
  readonly writer: BlockWriter;
  /** Numbers of struck-through characters, and of pictures without alternative text. */
  readonly leftOut: Record<"struck" | "figures", number>;
  /** Footnote definitions, in order. Each definition ends the block before it. */
  readonly notes: readonly TextRange[];
  /** The footnotes that are written where they are cited, not where they are defined. */
  readonly moved: ReadonlySet<TextRange>;
}

/** A node of a syntax tree, as a cursor. `base` is the source offset of position 0 of the tree. */
interface Node {
  readonly at: ReturnType<ReturnType<typeof MARKDOWN_PARSERS.file.parse>["cursor"]>;
  readonly base: number;
}

/** A range of text. `decoded` is set for an entity such as `&amp;`: its character. */
type Words = TextRange & { readonly decoded?: string };

const INLINE_SYNTAX = /[*_`~[\]<&\\\n\r]/;
/** Matches an asterisk directly after a word. It refers to a footnote and is not markup. */
const CALLS_STAR = /[^\s*]\*(?=\s|$)/;
/** Matches text in which all `**` marks form pairs around bold text. Unpaired marks are footnote marks, as in `*P < 0.05, **P < 0.01`. */
const MARKS_IN_PAIRS = /^[^*]*(?:\*\*(?=\S)[^*]+\*\*[^*]*)+$/;
/** Matches asterisks that are meant as bold markup but are not valid Markdown, as in `**Note: **text`. */
const LEFT_OVER_MARK = /(?<=\S)\*\*|\*\*(?=\S)/g;

/** Creates a writer that parses ranges of one markdown source and writes them as blocks. */
export function createMarkdownWriter({ source, writer, leftOut, notes, moved }: MarkdownParts) {
  const labels = definedLabels(source.masked);
  const text = coverBrackets(source.masked, labels, COVER);
  let nextNote = 0;
  let hasStar = false;
  let isInCell = false;
  /** `writeNote` writes a footnote with its sign. In footnotes, indentation does not mean code. */
  return { write, writeNote: (note: TextRange) => parse(note.start, note.end, "indented") };

  /** Writes `source[start, end)` as blocks. Inside a heading or cell, only inline markup is parsed. */
  function write(start: number, end: number): void {
    if (writer.isSingleLine) {
      writeLine(start, end);
      return;
    }
    const kind = source.hasTags ? "indented" : "file";
    let at = start;
    for (let note = notes[nextNote]; note !== undefined && note.start < end; note = notes[++nextNote]) {
      parse(at, note.start, kind);
      if (!moved.has(note)) parse(note.start, note.end, "indented");
      at = note.end;
    }
    parse(at, end, kind);
  }

  function writeLine(start: number, end: number): void {
    const line = text.slice(start, end);
    if (INLINE_SYNTAX.test(line)) parse(start, end, "line");
    else if (/\S/.test(line)) {
      writer.paragraph();
      source.write(writer, start, end);
      writer.paragraph();
    }
  }

  function parse(start: number, end: number, kind: keyof typeof MARKDOWN_PARSERS): void {
    writeBlock({ at: MARKDOWN_PARSERS[kind].parse(text.slice(start, end)).cursor(), base: start });
  }

  function writeBlock(node: Node): void {
    const { name } = node.at;
    const level = /^(?:ATX|Setext)Heading(\d)/.exec(name)?.[1];
    if (level !== undefined) {
      writer.beginHeading(Number(level));
      writeInline(node);
      writer.end();
    } else if (name === "Paragraph") writeParagraph(node);
    else if (name === "BulletList" || name === "OrderedList") writeList(node, name === "OrderedList");
    else if (name === "Table") writeTable(node);
    else if (name === "CodeBlock" || name === "FencedCode") writer.code(codePieces(node));
    else if (name === "Document" || name === "Indented") forEachChild(node, writeBlock);
    else if (name === "Blockquote") {
      writer.beginQuote();
      forEachChild(node, writeBlock);
      writer.end();
    }
  }

  function writeParagraph(node: Node): void {
    writer.paragraph();
    if (text.startsWith("![", startOf(node)) && holdsPicturesOnly(node)) forEachChild(node, writePicture);
    else writeInline(node);
    writer.paragraph();
  }

  /** Checks whether a paragraph contains only pictures, and white space between them. */
  function holdsPicturesOnly(node: Node): boolean {
    let at = startOf(node);
    let isOnly = true;
    forEachChild(node, (child) => {
      isOnly &&= child.at.name === "QuoteMark" || (child.at.name === "Image" && isResolved(child));
      isOnly &&= text.slice(at, startOf(child)).trim() === "";
      at = endOf(child);
    });
    return isOnly && text.slice(at, endOf(node)).trim() === "";
  }

  /** Writes a picture that stands alone. Its description gets a label, so that a quote of it is not mistaken for running text. */
  function writePicture(node: Node): void {
    if (node.at.name !== "Image") return;
    const start = startOf(node);
    writer.paragraph();
    if (!hasNoAlt(start)) {
      writer.opaque(IMAGE_LABEL, start, start + 1);
      writer.opaque(" ", start + 1, start + 2);
    }
    writeElement(node);
  }

  function writeList(node: Node, isOrdered: boolean): void {
    let number = -1;
    // A list of one item with the bullet `*` is a footnote if a word before it ends with an asterisk.
    const isStar = hasStar && !isOrdered && node.at.node.getChildren("ListItem").length === 1;
    writer.beginList();
    forEachChild(node, (item) => {
      writer.beginItem();
      forEachChild(item, (child) => {
        if (child.at.name !== "ListMark") return writeBlock(child);
        const [start, end] = [startOf(child), endOf(child)];
        number = number < 0 ? Number(text.slice(start, end - 1)) : number + 1;
        if (isOrdered) writer.mark({ text: `${number}${text[end - 1]}`, start, end });
        else if (isStar && text[start] === "*") writer.mark({ text: "*", start, end });
      });
      writer.end();
    });
    writer.endList();
  }

  function writeTable(node: Node): void {
    const table = writer.beginTable();
    forEachChild(node, (row) => {
      const { name } = row.at;
      if (name !== "TableHeader" && name !== "TableRow") return;
      writer.beginRow(table, name === "TableHeader");
      isInCell = true;
      writeCells(row);
      isInCell = false;
      writer.end();
    });
  }

  function writeCells(row: Node): void {
    const rowStart = startOf(row);
    let isFilled = false;
    forEachChild(row, (child) => {
      const { name } = child.at;
      if (name === "TableCell" || (name === "TableDelimiter" && !isFilled && startOf(child) > rowStart)) writer.beginCell();
      if (name === "TableCell") writeInline(child);
      isFilled = name === "TableCell";
    });
  }

  function writeInline(node: Node): void {
    const words: Words[] = [];
    collectWords(node, words, false);
    writeWords(words);
  }

  /**
   * Adds the text of a node to `words`. Before each inline element, writes the words collected so far.
   * @param isText whether the node is a link or picture without a target, whose brackets are text
   */
  function collectWords(node: Node, words: Words[], isText: boolean): void {
    let at = startOf(node);
    let linkMarks = 0;
    const take = (start: number, end: number): void => {
      if (start > at) words.push({ start: at, end: start });
      at = Math.max(at, end);
    };
    forEachChild(node, (child) => {
      const { name } = child.at;
      const [start, end] = [startOf(child), endOf(child)];
      if (name === "LinkMark" || name === "LinkLabel") {
        if (isText) return;
        take(start, end);
        // After the second mark (`]`), only the link's destination and title follow, which are not text.
        if (++linkMarks === 2) at = Number.POSITIVE_INFINITY;
      } else if (name.endsWith("Mark")) take(start, end);
      else if (name === "Escape") take(start, start + 1);
      else if (name === "Entity") {
        take(start, end);
        words.push({ start, end, decoded: decodeHTMLStrict(text.slice(start, end)) });
      } else if ((name === "Link" || name === "Image") && !isResolved(child)) {
        take(start, start);
        collectWords(child, words, true);
        at = end;
      } else if (start >= at) {
        take(start, end);
        writeWords(words);
        writeElement(child);
      }
    });
    take(endOf(node), endOf(node));
  }

  function writeWords(words: Words[]): void {
    const [first] = words;
    const last = words.at(-1);
    if (first === undefined || last === undefined) return;
    const all = text.slice(first.start, last.end);
    hasStar ||= all.includes("*") && CALLS_STAR.test(all);
    const hasMarks = all.includes("**") && MARKS_IN_PAIRS.test(all);
    const marks = hasMarks ? [...all.matchAll(LEFT_OVER_MARK)].map(({ index }) => first.start + index) : [];
    for (const { start, end, decoded } of words) {
      let at = start;
      for (const mark of marks) {
        if (mark < at || mark >= end) continue;
        source.write(writer, at, mark);
        at = mark + 2;
      }
      if (decoded === undefined) source.write(writer, at, end);
      else writer.opaque(decoded, start, end);
    }
    words.length = 0;
  }

  function writeElement(node: Node): void {
    const { name } = node.at;
    const [start, end] = [startOf(node), endOf(node)];
    if (name === "HardBreak") writer.lineBreak();
    else if (name === "Strikethrough") leftOut.struck += end - start;
    else if (name === "InlineCode") writeCode(node);
    else if (name === "Autolink") source.write(writer, start + 1, end - 1);
    else if (name === "Image" && hasNoAlt(start)) leftOut.figures++;
    else if (name !== "HTMLTag") {
      if (name === "StrongEmphasis") writer.beginBold();
      writeInline(node);
      if (name === "StrongEmphasis") writer.endBold();
    }
  }

  function writeCode(node: Node): void {
    const [, marks = "", content = ""] = /^(`+)([\s\S]*)\1$/.exec(text.slice(startOf(node), endOf(node))) ?? [];
    const isPadded = /^\s[\s\S]*\S[\s\S]*\s$/.test(content);
    let at = startOf(node) + marks.length + (isPadded ? 1 : 0);
    const end = endOf(node) - marks.length - (isPadded ? 1 : 0);
    const writeTo = (stop: number): void => {
      for (let pipe = isInCell ? text.indexOf("\\|", at) : -1; pipe >= 0 && pipe < stop; pipe = text.indexOf("\\|", at)) {
        source.write(writer, at, pipe, true);
        at = pipe + 1;
      }
      source.write(writer, at, stop, true);
    };
    forEachChild(node, (child) => {
      if (child.at.name !== "QuoteMark") return;
      writeTo(startOf(child));
      at = endOf(child);
    });
    writeTo(end);
  }

  /** Returns the lines of a code block without its fences and its container's indentation. */
  function codePieces(node: Node): CodePiece[] {
    const pieces: CodePiece[] = [];
    const columnOf = (offset: number): number => offset - text.lastIndexOf("\n", offset - 1);
    const column = node.at.name === "FencedCode" ? columnOf(startOf(node)) : 0;
    let indent = -1;
    forEachChild(node, (child) => {
      if (child.at.name !== "CodeText") return;
      const [start, end] = [startOf(child), endOf(child)];
      if (indent < 0) indent = Math.max(0, column - columnOf(start));
      for (const line of linesOf(text, start, end)) {
        const extra = line.text.search(/[^ ]|$/);
        pieces.push({ start: line.start + Math.min(extra, indent), end: Math.min(line.end + 1, end) });
      }
    });
    return pieces;
  }

  /** Returns whether a link or picture has a destination, in parentheses or in a link definition for its label. */
  function isResolved(node: Node): boolean {
    const end = endOf(node) - 1;
    if (text[end] === ")") return true;
    const label = text.slice(text.lastIndexOf("[", end) + 1, end);
    if (label !== "") return labels.has(labelKey(label));
    const start = text.indexOf("[", startOf(node)) + 1;
    return labels.has(labelKey(text.slice(start, end - 2)));
  }

  function hasNoAlt(start: number): boolean {
    return text.startsWith("![]", start);
  }
}

/** Calls `visit` with the cursor at each child, then moves the cursor back. */
function forEachChild(node: Node, visit: (child: Node) => void): void {
  if (!node.at.firstChild()) return;
  do visit(node);
  while (node.at.nextSibling());
  node.at.parent();
}

function startOf({ at, base }: Node): number {
  return at.from + base;
}

function endOf({ at, base }: Node): number {
  return at.to + base;
}
