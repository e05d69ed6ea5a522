import {
  type BlockParser,
  type InlineParser,
  type MarkdownConfig,
  type MarkdownParser,
  parser,
  Strikethrough,
  Table,
} from "@lezer/markdown";

/**
 * Maximum delimiters (`*`, `[`, …) per block, and maximum depth of nested lists and quotations. Parsing time is
 * quadratic in both. Markdown beyond these limits is treated as text.
 */
const MAX_DELIMITERS = 2_000;
const MAX_DEPTH = 100;

const TITLE = /(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\))/.source;
/** Pattern of a link definition (`[label]: address`). The address may be on the next line, and a title on the line after that. */
const DEFINITION = String.raw`\[((?:[^[\]\\\n]|\\.){1,200})\]:[ \t]*(?:\r?\n[ \t>]*)?(?:<[^<>\n]*>|[^\s<]\S*)(?:[ \t]+${TITLE})?[ \t\r]*$`;
/** Matches a link definition, also inside list items and quotations. */
const NESTED_DEFINITION = new RegExp(String.raw`^[ \t]*(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]*)*${DEFINITION}`, "gm");
const DEFINITION_LINE = new RegExp(`^${DEFINITION}`, "m");
const TITLE_LINE = new RegExp(`^[ \\t>]*${TITLE}[ \\t\\r]*$`);
/** Matches a pair of brackets without further brackets inside. Escapes are matched first, so that they are skipped. */
const BRACKETS = /\\[\s\S]|\[((?:[^[\]\\\n]|\\.){1,200})\](?=([([])?)/g;
const AUTOLINK = /<(?:[a-z][-\w+.]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,9})>/iy;
/** Matches a tag with attributes. All tags are masked before parsing, except those with "<" in an attribute. */
const TAG = /<[a-z][\w-]{0,99}(?:\s+[\w.:@-]{1,99}(?:=(?:"[^"]{0,999}"|'[^']{0,999}'))?){1,99}\s*\/?>/iy;
/** Matches two or more spaces, or a backslash. If a line break follows (group 1), they are a hard line break. */
const HARD_BREAK = /(?:\\| {2,})(\r?\n)?/y;
/** Matches a gap that is too wide for the delimiter row of a table. For such a line, the table parser would take quadratic time. */
const WIDE_GAP = /\s{100}/;

function hasTooManyDelimiters(text: string): boolean {
  return text.length > MAX_DELIMITERS && (text.match(/[*~_[\]`<]/g)?.length ?? 0) > MAX_DELIMITERS;
}

const limit: InlineParser = {
  name: "Limit",
  before: "Escape",
  parse: (cx, _next, at) => (at === cx.offset && hasTooManyDelimiters(cx.text) ? cx.end : -1),
};

const angles: InlineParser = {
  name: "HTMLTag",
  parse(cx, next, at) {
    if (next !== 60) return -1;
    for (const [name, pattern] of [
      ["Autolink", AUTOLINK],
      ["HTMLTag", TAG],
    ] as const) {
      pattern.lastIndex = at - cx.offset;
      const found = pattern.exec(cx.text)?.[0];
      if (found !== undefined) return cx.addElement(cx.elt(name, at, at + found.length));
    }
    return -1;
  },
};

/** Parses hard line breaks. Unlike the parser of the Lezer library, accepts CRLF and skips spaces in linear time. */
const hardBreak: InlineParser = {
  name: "HardBreak",
  parse(cx, next, at) {
    if (next !== 32 && next !== 92) return -1;
    HARD_BREAK.lastIndex = at - cx.offset;
    const [whole = "", lineBreak] = HARD_BREAK.exec(cx.text) ?? [];
    if (lineBreak !== undefined) return cx.addElement(cx.elt("HardBreak", at, at + whole.length));
    return next === 32 && whole !== "" ? at + whole.length : -1;
  },
};

const tooDeep: BlockParser = {
  name: "TooDeep",
  before: "LinkReference",
  parse(cx, line) {
    if (cx.depth <= MAX_DEPTH) return false;
    cx.addElement(cx.elt("Paragraph", cx.lineStart + line.pos, cx.lineStart + line.text.length));
    cx.nextLine();
    return true;
  },
};

/** Lets a list item with any number end a paragraph of a more deeply nested list or quotation. The Lezer library requires number 1. */
const outerItem: BlockParser = {
  name: "OuterItem",
  endLeaf: (cx, line) =>
    "depth" in line && Number(line.depth) < cx.depth && /^\d{1,9}[.)](?:\s|$)/.test(line.text.slice(line.pos, line.pos + 11)),
};

const definition: BlockParser = {
  name: "LinkReference",
  parse(cx, line) {
    const found = line.next === 91 && DEFINITION_LINE.exec(`${line.text.slice(line.pos)}\n${cx.peekLine()}`);
    if (!found) return false;
    const start = cx.lineStart + line.pos;
    if (found[0].includes("\n")) cx.nextLine();
    if (TITLE_LINE.test(cx.peekLine())) cx.nextLine();
    cx.nextLine();
    cx.addElement(cx.elt("LinkReference", start, cx.prevLineEnd()));
    return true;
  },
};

/** Treats an indented block as a container, not as code. In files with HTML, indentation follows the nesting of tags. */
const indented: MarkdownConfig = {
  defineNodes: [
    {
      name: "Indented",
      block: true,
      composite(_cx, line, width) {
        const isInside = line.next < 0 || line.indent >= line.baseIndent + width;
        if (isInside && line.next >= 0) line.moveBaseColumn(line.baseIndent + width);
        return isInside;
      },
    },
  ],
  parseBlock: [
    {
      name: "IndentedCode",
      parse(cx, line) {
        if (line.indent < line.baseIndent + 4) return false;
        cx.startComposite("Indented", line.pos, line.indent - line.baseIndent);
        line.moveBaseColumn(line.indent);
        return null;
      },
    },
  ],
};

/** Makes each group of lines a paragraph, even if it has block markup. Inline markup is parsed. */
const wordsOnly: BlockParser = {
  name: "Words",
  before: "TooDeep",
  parse(cx, line) {
    const start = cx.lineStart + line.pos;
    let text = line.text.slice(line.pos);
    while (cx.nextLine() && line.pos < line.text.length) text += `\n${line.text}`;
    cx.addElement(cx.elt("Paragraph", start, start + text.length, cx.parser.parseInline(text, start)));
    return true;
  },
};

const tables: MarkdownConfig = {
  ...Table,
  parseBlock: (Table.parseBlock ?? []).map((block) => ({
    ...block,
    endLeaf: (cx, line, leaf) => !WIDE_GAP.test(cx.peekLine()) && (block.endLeaf?.(cx, line, leaf) ?? false),
  })),
};

const ALL = parser.configure([
  tables,
  Strikethrough,
  { remove: ["HTMLBlock"], parseInline: [limit, angles, hardBreak], parseBlock: [tooDeep, outerItem, definition] },
]);

/**
 * Parsers of Markdown without HTML. `file` parses a file. `indented` parses text in which indentation does not mean
 * code. `line` parses the text of a heading or table cell.
 */
export const MARKDOWN_PARSERS = {
  file: ALL,
  indented: ALL.configure(indented),
  line: ALL.configure({ parseBlock: [wordsOnly] }),
} satisfies Record<string, MarkdownParser>;

/** Returns the labels of all link definitions in a text. */
export function definedLabels(text: string): ReadonlySet<string> {
  return new Set(text.includes("]:") ? [...text.matchAll(NESTED_DEFINITION)].map(([, label = ""]) => labelKey(label)) : []);
}

export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase();
}

/**
 * Replaces brackets that refer to no link definition by `cover`, a single character. Otherwise the parser would take
 * them for a link, and reject a real link around them.
 */
export function coverBrackets(text: string, labels: ReadonlySet<string>, cover: string): string {
  if (!text.includes("[")) return text;
  return text.replace(BRACKETS, (whole, label: string | undefined, next: string | undefined) =>
    label === undefined || next !== undefined || labels.has(labelKey(label)) ? whole : `${cover}${label}${cover}`,
  );
}
