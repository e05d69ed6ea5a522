import { textFormat } from "./format.ts";
import { parseMarkdown } from "./markdown.ts";
import { parseText } from "./text.ts";

/** AsciiDoc code fences, and lines without text: attributes, comments, block settings, other fences. */
const ASCIIDOC_CODE = /^(?:-{4,}|\.{4,}|`{3,})/;
const ASCIIDOC_SETTING = /^(?::[\w!-]+:|\/\/|(?:include|ifdef|ifndef|endif|image|toc)::|\[[^\]]*\]$|(?:={4,}|\*{4,}|_{4,}|--|\|={3,})$)/;

/** Rewrites AsciiDoc as markdown of the same length, so that offsets stay valid. Blanks lines without text; keeps code. */
function asMarkdown(source: string): string {
  let fence = "";
  return source.replace(/^.*$/gm, (line) => {
    const text = line.trimEnd();
    const [opened = ""] = ASCIIDOC_CODE.exec(text) ?? [];
    if (fence !== "" && text !== fence) return line;
    if (fence !== "" || opened !== "") {
      fence = fence === "" ? opened : "";
      return line.replace(opened, "`".repeat(opened.length));
    }
    if (ASCIIDOC_SETTING.test(text)) return blank(line);
    return line.replace(/(?<=^\ufeff?)={1,6}(?=[ \t])/, (marks) => "#".repeat(marks.length));
  });
}

export const asciidocFormat = textFormat("asciidoc", [".adoc", ".asciidoc", ".asc"], 5, (source, name) => [
  parseMarkdown(asMarkdown(source), name),
]);

/** reStructuredText directives whose argument is visible text, and those with visible contents only. */
const SPOKEN =
  /^(?:note|warning|tip|important|caution|danger|attention|hint|error|admonition|versionadded|versionchanged|deprecated|seealso|topic|sidebar|rubric|epigraph|pull-quote)$/;
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|prompt|doctest|math)$/;
/** The line above a title. */
const OVERLINE = /^([!-/:-@[-`{-~])\1{2,}[ \t]*(?=\r?\n[^\n]+\n\1{3,}[ \t\r]*$)/gm;
const EXPLICIT = /^\s*\.\.(?:[ \t]+(?:([\w-]+)::[ \t]*)?|[ \t\r]*$)/;
/** An option of a directive. */
const OPTION = /^\s+:[\w-]+:(?:\s|$)/;

/** Blanks comments, directives and their options. Keeps the length, so that offsets stay valid. */
function withoutDirectives(source: string): string {
  let hiddenIndent = -1;
  return source.replace(OVERLINE, blank).replace(/^.*$/gm, (line) => {
    if (line.trim() === "") return line;
    const indent = line.search(/\S/);
    if (hiddenIndent >= 0 && indent > hiddenIndent) return blank(line);
    hiddenIndent = -1;
    const [mark, directive = ""] = EXPLICIT.exec(line) ?? [];
    if (mark === undefined) return OPTION.test(line) ? blank(line) : line;
    const isNote = directive === "" && line.startsWith("[", mark.length);
    if (isNote || SPOKEN.test(directive)) return blank(mark) + line.slice(mark.length);
    if (!CODE.test(directive)) hiddenIndent = indent;
    return blank(line);
  });
}

/** Reads reStructuredText as text with headings. */
export const rstFormat = textFormat("rst", [".rst", ".rest"], 6, (source, name) => [parseText(withoutDirectives(source), name)]);

function blank(text: string): string {
  return " ".repeat(text.length);
}
