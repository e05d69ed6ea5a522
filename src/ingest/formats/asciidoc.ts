import { BlockWriter } from "../block-writer.ts";
import { textFormat } from "./format.ts";
import { linesOf, type MarkupLine, writeMarkupText } from "./line-markup.ts";
import { type FormatResult, plainMetadata, titleOf } from "./parsed.ts";

const HEADING = /^(={1,6}|#{1,6})[ \t]+(?=\S)/;
const FENCE = /^(?:-{4,}|\.{4,}|\+{4,}|`{3,})$/;
const COMMENT_FENCE = /^\/{4,}$/;
/** Blocks whose contents are text; the fence itself says nothing. */
const TEXT_FENCE = /^(?:={4,}|\*{4,}|_{4,}|--|\|={3,})$/;
const SETTING = /^(?::[\w!-]+:|\/\/(?!\/)|\[[^\]]*\]$|(?:include|ifdef|ifndef|endif|image|toc|video)::?)/;

/** AsciiDoc as text: titles are headings, lists and literal blocks stay, comments and settings go. */
export const asciidocFormat = textFormat("asciidoc", [".adoc", ".asciidoc", ".asc"], 1, (source, name) => [parseAsciidoc(source, name)]);

export function parseAsciidoc(source: string, name: string): FormatResult {
  const writer = new BlockWriter(source);
  writeMarkupText(writer, source, classify(linesOf(source)));
  const written = writer.finish();
  return { ...written, metadata: plainMetadata(titleOf(written) ?? name), access: null, tenant: null };
}

function classify(lines: readonly MarkupLine[]): MarkupLine[] {
  let fence: string | null = null;
  return lines.map((line): MarkupLine => {
    const { text } = line;
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
    if (TEXT_FENCE.test(text) || SETTING.test(text)) return { ...line, kind: "empty" };
    const mark = HEADING.exec(text);
    if (mark !== null) return { ...line, start: line.start + mark[0].length, kind: "heading", level: mark[1]?.length ?? 1 };
    const title = /^\.(?=[A-Za-z])/.exec(text);
    return title === null ? line : { ...line, start: line.start + 1, text: text.slice(1) };
  });
}
