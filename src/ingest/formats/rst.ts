import { textFormat } from "./format.ts";
import { type DocumentHead, type MarkupLine, parseLineMarkup, readFields } from "./line-markup.ts";
import type { FormatResult } from "./parsed.ts";
import { findRstNotes } from "./rst-notes.ts";

const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}[ \t]*$/;
/** Directives whose contents are text for readers; others' contents are left out or are code. */
const SPOKEN =
  /^(?:note|warning|tip|important|caution|danger|attention|hint|error|admonition|versionadded|versionchanged|deprecated|seealso|topic|sidebar|rubric|epigraph|pull-quote)$/;
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|prompt|doctest|literalinclude|math)$/;
const DIRECTIVE = /^\s*\.\.\s+([\w-]+)::[ \t]*(.*)$/;

/** reStructuredText as text: titles are headings, lists and literal blocks stay, footnotes stand where they are called, comments and settings go. */
export const rstFormat = textFormat("rst", [".rst", ".rest"], 4, (source, name) => [parseRst(source, name)]);

export function parseRst(source: string, name: string): FormatResult {
  return parseLineMarkup(source, name, { headOf, classify, notesOf: findRstNotes });
}

/** The fields at the top, or behind the title: bibliography, or settings of the generator. */
function headOf(lines: readonly MarkupLine[]): DocumentHead {
  const first = lines.findIndex(({ text }) => text !== "");
  const atTop = readFields(lines, Math.max(0, first));
  if (atTop.fields.size > 0) return atTop;
  const title = first < 0 ? null : titleAt(lines, first);
  return title === null ? atTop : readFields(lines, title.last + 1);
}

/** Titles are lines above (and below) a run of one sign; each new sign is one level deeper. */
function classify(lines: readonly MarkupLine[]): MarkupLine[] {
  const styles: string[] = [];
  const out: MarkupLine[] = [];
  let hiddenIndent = -1;
  let codeIndent = -1;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as MarkupLine;
    const { text, indent } = line;
    if (text !== "" && hiddenIndent >= 0 && indent <= hiddenIndent) hiddenIndent = -1;
    if (text !== "" && codeIndent >= 0 && indent <= codeIndent) codeIndent = -1;
    if (hiddenIndent >= 0) {
      out.push({ ...line, kind: "empty" });
      continue;
    }
    if (codeIndent >= 0) {
      out.push({ ...line, kind: text === "" ? "code-gap" : "code" });
      continue;
    }
    const title = titleAt(lines, i);
    if (title !== null) {
      if (!styles.includes(title.style)) styles.push(title.style);
      out.push({ ...(lines[title.at] as MarkupLine), kind: "heading", level: Math.min(6, styles.indexOf(title.style) + 1) });
      i = title.last;
      continue;
    }
    const directive = DIRECTIVE.exec(text);
    if (directive !== null) {
      const [, kind = "", argument = ""] = directive;
      if (CODE.test(kind)) codeIndent = indent;
      else if (!SPOKEN.test(kind)) hiddenIndent = indent;
      const from = line.end - argument.length;
      out.push(SPOKEN.test(kind) && argument !== "" ? { ...line, start: from, text: argument, kind: "text" } : { ...line, kind: "empty" });
    } else if (/^\.\.(?:\s|$)/.test(text)) {
      hiddenIndent = indent;
      out.push({ ...line, kind: "empty" });
    } else if (/^:[\w-]+:(?:\s|$)/.test(text) && indent > 0) out.push({ ...line, kind: "empty" });
    else {
      out.push(line);
      if (/::$/.test(text)) codeIndent = indent;
    }
  }
  return out;
}

function titleAt(lines: readonly MarkupLine[], i: number): { readonly at: number; readonly last: number; readonly style: string } | null {
  const line = lines[i];
  const next = lines[i + 1];
  if (line === undefined || next === undefined) return null;
  const over = ADORNMENT.exec(line.text)?.[1];
  if (
    over !== undefined &&
    next.text !== "" &&
    lines[i + 2]?.text.startsWith(over.repeat(3)) === true &&
    ADORNMENT.test(lines[i + 2]?.text ?? "")
  ) {
    return { at: i + 1, last: i + 2, style: `${over}${over}` };
  }
  const under = ADORNMENT.exec(next.text)?.[1];
  const isTitle =
    under !== undefined && over === undefined && line.text !== "" && line.indent === 0 && next.text.length >= line.text.length - 2;
  return isTitle && (i === 0 || lines[i - 1]?.text === "" || lines[i - 1]?.kind === "empty") ? { at: i, last: i + 1, style: under } : null;
}
