import type { TextRange } from "../../shared/types.ts";
import { firstAfter } from "../../text/numbers.ts";
import { BlockWriter, type WrittenBlocks } from "../block-writer.ts";
import { lineBreaks } from "../line-breaks.ts";
import { pageStarts } from "../pages.ts";
import { readFrontMatter, withFrontMatter } from "./front-matter.ts";
import { codeSpanFinder, fenceAfter, findNotes, maxIndentOf, signsOf } from "./markdown-notes.ts";
import { createMarkdownWriter } from "./markdown-tree.ts";
import { BLOCK_ELEMENTS, type MarkupEvent, opens, readMarkup, visibleEvents } from "./markup.ts";
import { type Mask, maskSource, type Sign } from "./masked-source.ts";
import { withRaisedText } from "./notes-at-calls.ts";
import { findPanels, withPanelsAsDetails } from "./panels.ts";
import { type FormatResult, titleOf } from "./parsed.ts";
import { findUnseenText, unseenNotices } from "./unseen-text.ts";
import { walkMarkup } from "./walk-markup.ts";

/** Matches a tag, comment or declaration by the grammar of CommonMark. Any other `<` is text. */
const TAG = new RegExp(
  [
    "<!--[\\s\\S]*?-->",
    "<![A-Za-z][^>]*>",
    "<\\/[A-Za-z][A-Za-z0-9-]*\\s*>",
    "<[A-Za-z][A-Za-z0-9-]*(?:\\s+[A-Za-z_:@][\\w.:@-]*(?:\\s*=\\s*(?:[^\\s\"'=<>`]+|'[^'<]*'|\"[^\"<]*\"))?)*\\s*\\/?>",
  ].join("|"),
  "y",
);
const RAW_OPEN = /^<(script|style|textarea|title|iframe|noembed|noframes|xmp|plaintext)\b/i;
/** Character that replaces each `<` that begins no tag. It is a private-use character, which files practically never contain. */
const NOT_A_TAG = "\ue000";
const LAYOUT = /^[ \t]*(?:#{1,6}[ \t]|\|?:?-{3,}:?[ \t]*\||\| ?:?-{3,}:?[ \t]*\|)/m;

/** Parses Markdown with front matter, GFM tables and HTML tags, balanced or not. `name` is the title if the text has none. */
export function parseMarkdown(source: string, name: string): FormatResult {
  const front = readFrontMatter(source);
  // Page breaks become spaces. CommonMark treats a form feed as text, so it would not recognise a heading after it.
  const written = parseMarkdownText(source.replaceAll("\f", " "), front.bodyStart);
  const pages = pageStarts(source, written.sourceMap, written.text.length);
  return { ...withFrontMatter(written, front, { title: titleOf(written, name) ?? name }), notices: written.notices, pages };
}

type MarkdownText = WrittenBlocks & Required<Pick<FormatResult, "notices">>;

/** Parses the Markdown of `source` from offset `bodyStart` on. The source map refers to offsets of `source`. */
export function parseMarkdownText(source: string, bodyStart: number): MarkdownText {
  const tags = source.includes("<", bodyStart)
    ? readMarkup(" ".repeat(bodyStart) + withoutFalseTags(source, bodyStart), { decodeEntities: false })
    : [{ type: "text" as const, text: source.slice(bodyStart), start: bodyStart, end: source.length }];
  const panels = findPanels(tags);
  const unseen = findUnseenText(tags, panels);
  const events = withRaisedText(visibleEvents(withPanelsAsDetails(tags, panels, unseen.elements), unseen.elements));
  const asInSource = panels.controls.size === 0 ? events : inSourceOrder(events);
  const tableLines = pipeLines(source, bodyStart);
  const isOnTableLine = (event: MarkupEvent): boolean => tableLines(event.start);
  const masks = masksOf(asInSource, bodyStart, source.length, isOnTableLine);
  const breaks = lineBreaks(source, bodyStart);
  const walk = (writer: BlockWriter, write: (start: number, end: number) => void): void => {
    let runStart = -1;
    let runEnd = -1;
    walkMarkup(events, writer, {
      inline(event) {
        if (event.end <= bodyStart) return;
        if (runStart < 0) runStart = Math.max(bodyStart, event.start);
        runEnd = event.end;
      },
      flush() {
        if (runStart >= 0) write(runStart, runEnd);
        runStart = -1;
      },
      isInline: isOnTableLine,
      isLayoutText: (event) => LAYOUT.test(source.slice(event.start, event.end)),
    });
  };
  const { notes, signs } = source.includes("[^", bodyStart) ? notesOf() : { notes: [], signs: [] };
  const all = write(new Set(notes));
  // The first pass (`all`) omits footnotes that the text does not cite. If there are any, a second pass writes them where they are defined.
  const { written, leftOut } = all.called.size === notes.length ? all : write(all.called);
  const notices = unseenNotices({ ...unseen, ...leftOut, struck: unseen.struck + leftOut.struck });
  return { ...written, notices };

  function notesOf(): { readonly notes: readonly TextRange[]; readonly signs: readonly Sign[] } {
    const tagless = maskSource(source, masks);
    const runs: TextRange[] = [];
    const trial = new BlockWriter(source);
    walk(trial, (start, end) => {
      if (!trial.isSingleLine) runs.push({ start, end });
    });
    const found = findNotes(tagless.masked, runs, maxIndentOf(tagless));
    return { notes: found, signs: signsOf(tagless.masked, found, bodyStart) };
  }

  /** Writes the text. Each footnote in `moved` follows the block that first cites it; if no block cites it, it is omitted. */
  function write(moved: ReadonlySet<TextRange>) {
    const writer = new BlockWriter(source, breaks);
    const called = new Set<TextRange>();
    const leftOut = { struck: 0, figures: 0 };
    const onCall = (note: TextRange): void => {
      if (!moved.has(note) || called.has(note)) return;
      called.add(note);
      writer.writeBehind(() => markdown.writeNote(note));
    };
    const masked = maskSource(source, masks, signs, onCall);
    const markdown = createMarkdownWriter({ source: masked, writer, leftOut, notes, moved });
    walk(writer, markdown.write);
    return { written: writer.finish(), called, leftOut };
  }
}

/**
 * Returns the source from offset `start` on, in which `NOT_A_TAG` replaces every `<` that begins no tag, e.g. in code
 * and comparisons. The length stays the same.
 */
function withoutFalseTags(source: string, start: number): string {
  const parts: string[] = [];
  const codeSpans = codeSpanFinder(source);
  const lastComment = source.lastIndexOf("-->");
  const lastTag = source.lastIndexOf(">");
  const unclosed = new Set<string>();
  let from = start;
  let fence = "";
  for (let at = start; at < source.length; ) {
    const char = source[at];
    if (char === "\n" || at === start) {
      const lineStart = char === "\n" ? at + 1 : at;
      const newline = source.indexOf("\n", lineStart);
      const lineEnd = newline < 0 ? source.length : newline;
      const before = fence;
      fence = fenceAfter(before, source.slice(lineStart, lineEnd), Number.POSITIVE_INFINITY);
      if (fence !== before) {
        at = lineEnd;
        continue;
      }
    }
    if (char === "`" && fence === "") {
      const { end } = codeSpans(at);
      parts.push(source.slice(from, at), source.slice(at, end).replaceAll("<", NOT_A_TAG));
      from = end;
      at = end;
      continue;
    }
    if (char === "<") {
      TAG.lastIndex = at;
      const mayBeTag = fence === "" && at < (source.startsWith("<!--", at) ? lastComment : lastTag);
      const tag = mayBeTag ? TAG.exec(source)?.[0] : undefined;
      const raw = tag === undefined ? null : RAW_OPEN.exec(tag);
      const name = raw?.[1]?.toLowerCase() ?? "";
      const close = raw === null || unclosed.has(name) ? -1 : indexOfClosing(source, name, at);
      if (raw !== null && close < 0) unclosed.add(name);
      if (tag !== undefined && (raw === null || close >= 0)) {
        at = raw === null ? at + tag.length : close;
        continue;
      }
      parts.push(source.slice(from, at), NOT_A_TAG);
      from = at + 1;
    }
    at++;
  }
  parts.push(source.slice(from));
  return parts.join("");
}

function indexOfClosing(source: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}[\\s>/]`, "gi");
  closing.lastIndex = from;
  return closing.exec(source)?.index ?? -1;
}

/**
 * Sorts events by their position in the source. Events that replace hidden elements get an empty range, because text
 * inside their range may have moved.
 */
function inSourceOrder(events: readonly MarkupEvent[]): MarkupEvent[] {
  const isLeftOut = (event: MarkupEvent) => event.type === "comment" || (event.type === "open" && event.name === "hr");
  return events.map((event) => (isLeftOut(event) ? { ...event, end: event.start } : event)).sort((a, b) => a.start - b.start);
}

/** Returns masks for everything that is not text (tags, comments, stray tags), and for text that is displayed in another form. */
function masksOf(
  events: readonly MarkupEvent[],
  bodyStart: number,
  length: number,
  isOnTableLine: (event: MarkupEvent) => boolean,
): Mask[] {
  const masks: Mask[] = [];
  let at = bodyStart;
  for (const event of events) {
    if (event.end <= bodyStart) continue;
    // An implied closing tag is located at the end of the tag that implies it. So the next event may start before that position.
    const start = Math.max(at, event.start);
    if (start > at) masks.push({ start: at, end: start, effect: "none", shown: "" });
    at = Math.max(at, event.end);
    const mask = (effect: Mask["effect"], shown = "") => masks.push({ start, end: event.end, effect, shown });
    const isAsWritten = event.type === "text" && event.text.length === event.end - event.start;
    if (start >= event.end || isAsWritten) continue;
    if (event.type === "text") mask("shown", event.text);
    else if (opens(event, "br")) mask("break");
    else if (opens(event, "img") && event.attributes.alt) mask("shown", event.attributes.alt);
    else mask(opens(event, ...BLOCK_ELEMENTS) && isOnTableLine(event) ? "paragraph" : "none");
  }
  if (at < length) masks.push({ start: at, end: length, effect: "none", shown: "" });
  return masks;
}

/** Returns a function that checks whether an offset is on a line of a pipe table. */
function pipeLines(source: string, start: number): (offset: number) => boolean {
  if (!source.includes("|", start)) return () => false;
  const line = /^[ \t]*\|.*\|[ \t\r]*$/gm;
  line.lastIndex = start;
  const lines = [...source.matchAll(line)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));
  return (offset) => (lines[firstAfter(lines, offset)]?.start ?? Number.POSITIVE_INFINITY) <= offset;
}
