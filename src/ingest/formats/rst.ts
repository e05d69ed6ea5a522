import type { TextRange } from "../../shared/types.ts";
import { BlockWriter } from "../block-writer.ts";
import { linesOf } from "../visible.ts";
import { textFormat } from "./format.ts";
import { readLooseFrontMatter, withFrontMatter } from "./front-matter.ts";
import { type FormatResult, titleOf } from "./parsed.ts";

const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}[ \t]*$/;
/** Directives whose contents are text for readers; others' contents are left out or are code. */
const SPOKEN =
  /^(?:note|warning|tip|important|caution|danger|attention|hint|error|admonition|versionadded|versionchanged|deprecated|seealso|topic|sidebar|rubric|epigraph|pull-quote)$/;
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|prompt|doctest|literalinclude|math)$/;
const DIRECTIVE = /^\s*\.\.\s+([\w-]+)::[ \t]*(.*)$/;
/** A footnote or a citation: a paragraph that begins with its label. */
const NOTE = /^\.\.[ \t]+(?=\[(?:\d+|#[\w.:+-]*|\*|[A-Za-z][\w.:+-]*)\](?:[ \t]|$))/;
const FIELD = /^:([\w-][\w -]*):(?:[ \t]+(.*))?$/;
const ITEM = /^(?:[-*•+]|\*{2,5}|\(?(?:\d{1,3}|[a-zA-Z#])[.)])[ \t]+(?=\S)/;

/** reStructuredText as text: titles are headings, lists and literal blocks stay, comments and settings are left out. */
export const rstFormat = textFormat("rst", [".rst", ".rest"], 5, (source, name) => [parseRst(source, name)]);

export function parseRst(source: string, name: string): FormatResult {
  const front = readLooseFrontMatter(source);
  const writer = new BlockWriter(source);
  const lines = readLines(source, front.bodyStart);
  const head = headOf(lines);
  writeLines(writer, source, classify(lines.map((line) => (head.lines.has(line) ? { ...line, text: "", kind: "empty" } : line))));
  const written = writer.finish();
  const day = /^\d{4}-\d{2}-\d{2}/.exec(head.fields.get("date") ?? head.fields.get("revdate") ?? "")?.[0];
  const description = head.fields.get("description") || head.fields.get("abstract") || null;
  return withFrontMatter(written, front, { title: titleOf(written) ?? name, description, asOf: day ?? null });
}

interface Line extends TextRange {
  /** Without the white space around it. */
  readonly text: string;
  /** White space before it, in characters. */
  readonly indent: number;
  readonly kind: "text" | "empty" | "heading" | "code" | "code-gap";
  /** Of headings. */
  readonly level?: number;
}

function readLines(source: string, from: number): Line[] {
  return [...linesOf(source, from, source.length)].map(({ start, text: raw }) => {
    const text = raw.replace(/^\ufeff/, "").trim();
    const indent = text === "" ? 0 : raw.length - raw.trimStart().length;
    return { start: start + indent, end: start + raw.trimEnd().length, text, indent, kind: text === "" ? "empty" : "text" };
  });
}

/** Fields that say something of the document, and the lines that they take. */
interface DocumentHead {
  readonly fields: ReadonlyMap<string, string>;
  readonly lines: ReadonlySet<Line>;
}

/** The fields at the top, or below the title: bibliography, or settings of the generator. */
function headOf(lines: readonly Line[]): DocumentHead {
  const first = lines.findIndex(({ text }) => text !== "");
  const atTop = readFields(lines, Math.max(0, first));
  const title = atTop.fields.size > 0 || first < 0 ? null : titleAt(lines, first);
  return title === null ? atTop : readFields(lines, title.last + 1);
}

/** The `:name: value` lines from line `from` on, with the indented lines that continue them. */
function readFields(lines: readonly Line[], from: number): DocumentHead {
  const fields = new Map<string, string>();
  const taken = new Set<Line>();
  let last = "";
  for (const line of lines.slice(from)) {
    const [, name, value = ""] = line.indent === 0 ? (FIELD.exec(line.text) ?? []) : [];
    if (name !== undefined) {
      last = name.toLowerCase();
      fields.set(last, value.trim());
    } else if (line.text !== "" && line.indent > 0 && last !== "") fields.set(last, `${fields.get(last)} ${line.text}`.trim());
    else if (line.text !== "" || last !== "") break;
    taken.add(line);
  }
  return { fields, lines: taken };
}

/** Titles are lines above (and below) a run of one sign; each new sign is one level deeper. */
function classify(lines: readonly Line[]): Line[] {
  const styles: string[] = [];
  const out: Line[] = [];
  let hiddenIndent = -1;
  let codeIndent = -1;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line;
    const { text, indent } = line;
    if (text !== "" && indent <= hiddenIndent) hiddenIndent = -1;
    if (text !== "" && indent <= codeIndent) codeIndent = -1;
    const title = hiddenIndent < 0 && codeIndent < 0 ? titleAt(lines, i) : null;
    const directive = DIRECTIVE.exec(text);
    const note = NOTE.exec(text)?.[0].length ?? 0;
    if (hiddenIndent >= 0) out.push({ ...line, kind: "empty" });
    else if (codeIndent >= 0) out.push({ ...line, kind: text === "" ? "code-gap" : "code" });
    else if (title !== null) {
      if (!styles.includes(title.style)) styles.push(title.style);
      out.push({ ...(lines[title.at] as Line), kind: "heading", level: Math.min(6, styles.indexOf(title.style) + 1) });
      i = title.last;
    } else if (directive !== null) {
      const [, kind = "", argument = ""] = directive;
      const isSpoken = SPOKEN.test(kind);
      if (CODE.test(kind)) codeIndent = indent;
      else if (!isSpoken) hiddenIndent = indent;
      out.push(isSpoken && argument !== "" ? { ...line, start: line.end - argument.length, text: argument } : { ...line, kind: "empty" });
    } else if (note > 0) {
      out.push({ ...line, kind: "empty" }, { ...line, start: line.start + note, text: text.slice(note) });
    } else if (/^\.\.(?:\s|$)/.test(text)) {
      hiddenIndent = indent;
      out.push({ ...line, kind: "empty" });
    } else if (/^:[\w-]+:(?:\s|$)/.test(text) && indent > 0) out.push({ ...line, kind: "empty" });
    else {
      out.push(line);
      if (text.endsWith("::")) codeIndent = indent;
    }
  }
  return out;
}

function titleAt(lines: readonly Line[], i: number): { readonly at: number; readonly last: number; readonly style: string } | null {
  const [line, next, third] = lines.slice(i, i + 3);
  if (line === undefined || next === undefined) return null;
  const over = ADORNMENT.exec(line.text)?.[1];
  if (over !== undefined && next.text !== "" && third?.text.startsWith(over.repeat(3)) === true && ADORNMENT.test(third.text))
    return { at: i + 1, last: i + 2, style: `${over}${over}` };
  const under = ADORNMENT.exec(next.text)?.[1];
  const isTitle =
    under !== undefined && over === undefined && line.text !== "" && line.indent === 0 && next.text.length >= line.text.length - 2;
  return isTitle && (i === 0 || lines[i - 1]?.text === "") ? { at: i, last: i + 1, style: under } : null;
}

/** Paragraphs are runs of text lines, items begin at their mark, code keeps its lines. */
function writeLines(writer: BlockWriter, source: string, lines: readonly Line[]): void {
  let [isInList, isInItem] = [false, false];
  const endItem = () => {
    if (isInItem) writer.end();
    isInItem = false;
  };
  const endList = () => {
    endItem();
    if (isInList) writer.endList();
    isInList = false;
  };
  for (let i = 0; i < lines.length; i++) {
    const { kind, level = 1, text, start, end, indent } = lines[i] as Line;
    const mark = kind === "text" ? ITEM.exec(text)?.[0] : undefined;
    if (kind === "empty" || kind === "code-gap") {
      endItem();
      writer.paragraph();
    } else if (kind === "heading") {
      endList();
      writer.beginHeading(level);
      writer.text(start, end);
      writer.end();
    } else if (kind === "code") {
      endList();
      let last = i;
      for (let k = i; lines[k]?.kind === "code" || lines[k]?.kind === "code-gap"; k++) if (lines[k]?.kind === "code") last = k;
      writer.code([{ start: start - indent, end: (lines[last] as Line).end }]);
      i = last;
    } else {
      if (mark === undefined && !isInItem) endList();
      if (mark !== undefined) {
        endItem();
        if (!isInList) writer.beginList();
        writer.beginItem();
        [isInList, isInItem] = [true, true];
      }
      // The line break after a line is the blank between it and the next.
      const skipped = mark !== undefined && /^[-*•+]/.test(mark) ? mark.length : 0;
      writer.text(start + skipped, Math.min(source.length, end + 1));
    }
  }
  endList();
}
