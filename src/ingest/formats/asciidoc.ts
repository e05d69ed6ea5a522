import { readTable } from "./asciidoc-table.ts";
import { textFormat } from "./format.ts";
import { type DocumentHead, type MarkupLine, parseLineMarkup, readFields } from "./line-markup.ts";
import type { FormatResult } from "./parsed.ts";

const HEADING = /^(={1,6}|#{1,6})[ \t]+(?=\S)/;
const FENCE = /^(?:-{4,}|\.{4,}|\+{4,}|`{3,})$/;
const COMMENT_FENCE = /^\/{4,}$/;
/** Blocks whose contents are text; the fence itself says nothing. */
const TEXT_FENCE = /^(?:={4,}|\*{4,}|_{4,}|--|\|={3,})$/;
const TABLE_FENCE = /^\|={3,}$/;
const SETTING = /^(?::[\w!-]+:|\/\/(?!\/)|\[[^\]]*\]$|(?:include|ifdef|ifndef|endif|image|toc|video)::?)/;

/** AsciiDoc as text: titles are headings, lists, tables and literal blocks stay, comments and settings go. */
export const asciidocFormat = textFormat("asciidoc", [".adoc", ".asciidoc", ".asc"], 4, (source, name) => [parseAsciidoc(source, name)]);

export function parseAsciidoc(source: string, name: string): FormatResult {
  return parseLineMarkup(source, name, { headOf, classify });
}

const REVISION = /^v?\d[\w.]*(?:,\s*(\d{4}-\d{2}-\d{2}))?|^\d{4}-\d{2}-\d{2}/;

/** What stands below the document's title up to the first empty line: who wrote it, which revision it is, attributes. */
function headOf(lines: readonly MarkupLine[]): DocumentHead {
  const first = lines.findIndex(({ text }) => text !== "" && !SETTING.test(text));
  if (first < 0 || !/^=[ \t]/.test(lines[first]?.text ?? "")) return { fields: new Map(), lines: new Set() };
  const end = lines.findIndex(({ text }, i) => i > first && text === "");
  const below = lines.slice(first + 1, end < 0 ? lines.length : end);
  const { fields } = readFields(
    below.filter(({ text }) => text.startsWith(":")),
    0,
  );
  const revision = below.map(({ text }) => REVISION.exec(text)).find((found) => found !== null);
  const day = revision?.[1] ?? revision?.[0];
  return { fields: day === undefined || fields.has("revdate") ? fields : new Map([...fields, ["revdate", day]]), lines: new Set(below) };
}

function classify(lines: readonly MarkupLine[]): MarkupLine[] {
  let fence: string | null = null;
  let settings = "";
  let tableEnd = -1;
  const closing = closingFences(lines);
  return lines.map((line, i): MarkupLine => {
    const { text } = line;
    if (i <= tableEnd) return { ...line, kind: "empty" };
    if (fence !== null) {
      const isEnd = text === fence;
      const isCode = !COMMENT_FENCE.test(fence);
      if (isEnd) fence = null;
      if (isEnd || !isCode) return { ...line, kind: "empty" };
      return { ...line, kind: text === "" ? "code-gap" : "code" };
    }
    if (FENCE.test(text) || COMMENT_FENCE.test(text)) {
      fence = text;
      return { ...line, kind: "empty" };
    }
    const end = closing.get(i);
    const table = end === undefined ? null : readTable(lines.slice(i + 1, end), settings);
    if (/^\[[^\]]*\]$/.test(text)) settings = text;
    else if (!text.startsWith(".")) settings = "";
    if (end !== undefined && table !== null) {
      tableEnd = end;
      return { ...line, kind: "table", table };
    }
    if (TEXT_FENCE.test(text) || SETTING.test(text)) return { ...line, kind: "empty" };
    const mark = HEADING.exec(text);
    if (mark !== null) return { ...line, start: line.start + mark[0].length, kind: "heading", level: mark[1]?.length ?? 1 };
    const title = /^\.(?=[A-Za-z])/.exec(text);
    return title === null ? line : { ...line, start: line.start + 1, text: text.slice(1) };
  });
}

/** Of each line that begins a table, the line that ends it: the next one that is like it. */
function closingFences(lines: readonly MarkupLine[]): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const begun = new Map<string, number>();
  for (const [i, { text }] of lines.entries()) {
    if (!TABLE_FENCE.test(text)) continue;
    const from = begun.get(text);
    if (from === undefined) begun.set(text, i);
    else {
      closing.set(from, i);
      begun.delete(text);
    }
  }
  return closing;
}
