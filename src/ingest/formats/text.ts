import type { TextRange } from "../../shared/types.ts";
import { BlockWriter, type WrittenBlocks } from "../block-writer.ts";
import { lineBreaks, TEXT_SYNTAX } from "../line-breaks.ts";
import { pageStarts } from "../pages.ts";
import { linesOf } from "../visible.ts";
import { readLooseFrontMatter, withFrontMatter } from "./front-matter.ts";
import type { FormatResult } from "./parsed.ts";

const BULLET = /^[ \t]*(?:[-*•‣◦]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]+(?=\S)/;
/** Matches the heading of a division: kind, number and an optional short title, e.g. "CHAPTER 1. Loomings" or "Part II". */
const DIVISION = /^(?:chapter|part|book|section|appendix|article|subpart|title)\s+(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])\b[^\n]{0,80}$/i;
const SECTION_SIGN = /^§+\s?\d[\d.\-–a-z]*\.?\s+\S[^\n]{0,110}$/i;
/** Matches a sentence that begins with the name of a division but is not its heading, e.g. "§ 7.3 is repealed." */
const ABOUT_DIVISION = /^(?:§+\s?|\p{L}+\s+)\d\S*\s+\p{Ll}[^\n]*[.!?]$/u;
const MAX_CAPITALS = 80;
/** Matches the underline of a title, e.g. `=====`. */
const UNDERLINE = /^([=\-~^"'`*+#:_])\1{2,}$/;

/** Matches a title of AsciiDoc: `== Fees`. */
const ASCIIDOC_TITLE = /^={1,6}[ \t]+(?=\S)/;
/** Matches AsciiDoc lines that are not displayed, e.g. comments and attributes. Group 1 is the fence of a listing, which is displayed. */
const ASCIIDOC_UNSEEN =
  /^(?:(-{4}|\.{4})[ \t]*\r?\n[\s\S]*?^\1|\/{4}[ \t]*$(?:[\s\S]*?^\/{4}|[\s\S]*)|\/\/(?!\/).*|:[!\w-]+:(?:[ \t].*)?|\[.*\])[ \t]*$/gm;

/** Parses AsciiDoc as text with headings. Spaces replace lines that are not displayed, so that offsets stay valid. */
export function parseAsciidoc(source: string, name: string): FormatResult {
  const seen = source.replace(ASCIIDOC_UNSEEN, (whole, listing?: string) => (listing === undefined ? whole.replace(/\S/g, " ") : whole));
  return parseText(seen, name, ASCIIDOC_TITLE);
}

/**
 * Parses plain text with optional front matter. Empty lines separate paragraphs. Only clear headings and bullets are recognised.
 * @param mark matches the mark before a heading, e.g. `==`. The length of the mark is the level of the heading
 */
export function parseText(source: string, name: string, mark: RegExp | null = null): FormatResult {
  const front = readLooseFrontMatter(source);
  const writer = new BlockWriter(source, lineBreaks(source, front.bodyStart, TEXT_SYNTAX));
  const underlines: string[] = [];
  for (const lines of paragraphs(source, front.bodyStart)) writeParagraph(writer, source, lines, { underlines, mark });
  const written = writer.finish();
  const pages = pageStarts(source, written.sourceMap, written.text.length);
  return { ...withFrontMatter(written, front, { title: titleOf(written) ?? name }), pages };
}

/** Maximum length of a title, in characters. */
const MAX_TITLE = 140;
/** Number of blocks at the start among which the title is searched, because a letterhead or notice may precede it. */
const TITLE_AMONG = 8;
/** Matches a line such as `Title: Moby-Dick`, as in catalogues and exports. */
const LABELLED_TITLE = /^(?:document )?title:\s+(\S.*)$/i;

/** Returns the title, or `null`. The heading of a chapter is the title only if the text has a single chapter. */
function titleOf({ text, blocks }: WrittenBlocks): string | null {
  const tops = blocks
    .slice(0, TITLE_AMONG)
    .map((block) => ({ ...block, text: text.slice(block.start, Math.min(block.end, block.start + MAX_TITLE + 1)) }));
  const [first] = tops;
  if (first === undefined) return null;
  const [labelled] = tops.flatMap((one) => (one.text.length <= MAX_TITLE && LABELLED_TITLE.exec(one.text)?.[1]) || []);
  if (labelled !== undefined) return labelled;
  if (first.type === "paragraph" && tops.length > 1 && isTitle(first.text)) return first.text;
  const parts = blocks.filter(({ type, start, end }) => type === "heading" && isPart(text.slice(start, end)));
  if (parts.length === 1 && first.type === "heading" && isPart(first.text)) return first.text;
  return tops.find((one) => one.type === "heading" && isTitle(one.text))?.text ?? null;
}

function isPart(text: string): boolean {
  return DIVISION.test(text) || SECTION_SIGN.test(text);
}

/** Checks whether a text may be a title: it is short, and is not a sentence, list item or heading of a division. */
function isTitle(text: string): boolean {
  return text.length <= MAX_TITLE && /\p{L}{2,}/u.test(text) && !/[.,;:]$/.test(text) && !isPart(text) && !BULLET.test(text);
}

type Line = TextRange & { readonly text: string };

/** Yields groups of lines between empty lines. */
function* paragraphs(source: string, from: number): Generator<readonly Line[]> {
  let lines: Line[] = [];
  for (const { start, end, text: raw } of linesOf(source, from, source.length)) {
    const text = raw.replace(/^\ufeff/, "").trim();
    if (text !== "") lines.push({ start, end, text });
    else if (lines.length > 0) {
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
}

/** @param underlines underline characters found so far, in order of their heading levels. A new character gets the next level */
function writeParagraph(
  writer: BlockWriter,
  source: string,
  lines: readonly Line[],
  { underlines, mark }: { readonly underlines: string[]; readonly mark: RegExp | null },
): void {
  let rest = lines;
  const [first] = lines;
  const [marked = ""] = mark?.exec(first?.text ?? "") ?? [];
  const level = marked.trim().length || underlinedLevel(lines, underlines) || headingLevel(lines);
  if (level > 0 && first !== undefined) {
    writer.beginHeading(level);
    const count = isHeadingWrapped(lines) ? 2 : 1;
    writer.text(source.indexOf(marked, first.start) + marked.length, lines[count - 1]?.end ?? first.end);
    writer.end();
    rest = lines.slice(isUnderlined(lines) ? 2 : count);
  }
  const items = rest.filter((line) => BULLET.test(source.slice(line.start, line.end)));
  if (items.length > 1) writeList(writer, source, rest);
  else {
    writer.paragraph();
    writer.text(rest[0]?.start ?? 0, rest.at(-1)?.end ?? 0);
    writer.paragraph();
  }
}

function writeList(writer: BlockWriter, source: string, lines: readonly Line[]): void {
  writer.beginList();
  for (const line of lines) {
    const [mark = ""] = BULLET.exec(source.slice(line.start, line.end)) ?? [];
    if (mark !== "") {
      writer.end();
      writer.beginItem();
    }
    const skipped = /^[ \t]*[-*•‣◦]/.test(mark) ? mark.length : 0;
    writer.text(line.start + skipped, Math.min(source.length, line.end + 1));
  }
  writer.end();
  writer.endList();
}

/** Returns whether a long title continues on a short second line. */
function isHeadingWrapped([first, second]: readonly Line[]): boolean {
  if (first === undefined || second === undefined || isUnderlined([first, second])) return false;
  return first.text.length > 60 && !/[.!?:]$/.test(first.text) && /^\p{Ll}/u.test(second.text) && /^[^.]{1,80}\.$/.test(second.text);
}

function isUnderlined([first, second]: readonly Line[]): boolean {
  if (first === undefined || second === undefined || !UNDERLINE.test(second.text) || UNDERLINE.test(first.text)) return false;
  return Math.abs(first.text.length - second.text.length) <= 2 && /\p{L}/u.test(first.text);
}

function underlinedLevel(lines: readonly Line[], underlines: string[]): number {
  const sign = lines[1]?.text[0];
  if (!isUnderlined(lines) || sign === undefined) return 0;
  if (!underlines.includes(sign)) underlines.push(sign);
  return Math.min(6, underlines.indexOf(sign) + 1);
}

/** Returns the level of the heading in the first line; 0 if there is none. A heading is short and has a known form, e.g. "PART II". */
function headingLevel(lines: readonly Line[]): number {
  const text = lines[0]?.text ?? "";
  if (text === "" || text.length > 140 || ABOUT_DIVISION.test(text)) return 0;
  const isAlone = lines.length === 1;
  if (SECTION_SIGN.test(text) && !/[,;]$/.test(text)) return 2;
  if (DIVISION.test(text) && (isAlone || /^[A-Z]{4,}/.test(text)) && !/[,;]$/.test(text)) return /^(?:section|§)/i.test(text) ? 2 : 1;
  const isCapitals =
    text.length <= MAX_CAPITALS && !/\p{Ll}/u.test(text) && (text.match(/\p{Lu}/gu)?.length ?? 0) >= 4 && !/[.,;:!?]$/.test(text);
  return isAlone && isCapitals && /\p{Lu}{3}/u.test(text) ? 2 : 0;
}
