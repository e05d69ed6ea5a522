import { isoDayOf } from "./front-matter.ts";

/** What this needs of mammoth's tree of a document. */
export interface WordElement {
  readonly type: string;
  readonly children?: readonly WordElement[];
  readonly value?: unknown;
  readonly styleId?: string | null;
  readonly styleName?: string | null;
  readonly numbering?: { readonly level: string; readonly isOrdered: boolean; readonly paragraphStyleId?: string } | null;
}

type Kind = "text" | "quote" | "code" | "lines";

/** Styles of quotations: pandoc and Word (one name for both), Word (two), LibreOffice. */
const QUOTE_STYLES: ReadonlySet<string> = new Set(["block text", "quote", "intense quote", "quotations"]);
/** The style in which pandoc writes a block of code as one paragraph. */
const CODE_STYLE = "source code";
/** Styles of preformatted text that have a paragraph for each line: Word (two), LibreOffice. */
const LINE_STYLES: ReadonlySet<string> = new Set(["html preformatted", "macro", "preformatted text"]);
const LIST_CONTINUE = /^list continue(?: ([2-5]))?$/;
const TITLE_STYLES: ReadonlySet<string> = new Set(["title", "subtitle", "author", "date"]);
const LEVELS = Array.from({ length: 9 }, (_, level) => level);
/** How each kind of paragraph is written inside what holds it. A code block stands alone, lines of code join. */
const INSIDE: Readonly<Record<Kind, string>> = {
  text: "p:fresh",
  quote: "blockquote > p:fresh",
  code: "pre:fresh",
  lines: "pre:separator('\\n')",
};
const KINDS = ["text", "quote", "code", "lines"] as const;

/** Name of a style that the style of a numbering level is given where the level shows nothing before its paragraphs. */
const UNSEEN = "sourcebound-unseen-level";
const LEVEL = /<w:lvl(?: [^<>]*)?>(?:(?!<w:lvl[ >]|<\/w:lvl>)[\s\S])*<\/w:lvl>/g;
const SHOWS_NOTHING = /<w:lvlText(?: [^<>]*)? w:val="\s*"/;

/** `word/numbering.xml` with a mark on the levels that show nothing: their paragraphs go on with the item before. */
export function markUnseenLevels(xml: string): string {
  return xml.replace(LEVEL, (level) => {
    if (!SHOWS_NOTHING.test(level) || level.includes("<w:lvlPicBulletId")) return level;
    return level.replace(/<w:pStyle [^<>]*>/, "").replace(/^<w:lvl(?: [^<>]*)?>/, (open) => `${open}<w:pStyle w:val="${UNSEEN}"/>`);
  });
}

/** Mammoth's style map for what `placeParagraphs` names. */
export const PLACED_STYLES: readonly string[] = [
  ...KINDS.map((kind) => `p[style-name='Placed ${kind}'] => ${INSIDE[kind]}`),
  ...LEVELS.flatMap((level) => {
    const outer = "ul|ol > li > ".repeat(level);
    return KINDS.flatMap((kind) => [
      `p[style-name='Placed ${kind} in ${level}'] => ${outer}ul|ol > li > ${INSIDE[kind]}`,
      `p[style-name='Placed ${kind} opens ul ${level}'] => ${outer}ul > li:fresh > ${INSIDE[kind]}`,
      `p[style-name='Placed ${kind} opens ol ${level}'] => ${outer}ol > li:fresh > ${INSIDE[kind]}`,
    ]);
  }),
];

/** Names each paragraph by where it belongs, so that what goes on with a list item stands inside it, and takes the ISO date of a title block out. */
export function placeParagraphs(document: WordElement): { readonly document: WordElement; readonly date: string | null } {
  let date: string | null = null;
  let isTitleBlock = true;
  return { document: { ...document, children: placed(document.children ?? []) }, date };

  function placed(children: readonly WordElement[]): WordElement[] {
    let open = -1;
    const found: WordElement[] = [];
    for (const child of children) {
      if (child.type !== "paragraph") {
        found.push(child.children === undefined ? child : { ...child, children: placed(child.children) });
        continue;
      }
      const text = textOf(child).trim();
      if (text !== "" && isTitleBlock) {
        isTitleBlock = TITLE_STYLES.has(styleOf(child));
        const day = styleOf(child) === "date" && !/\s/.test(text) ? isoDayOf(text) : null;
        date ??= day;
        if (day !== null && day === date) continue;
      }
      const place = placeOf(child, open);
      open = place.open;
      found.push(place.paragraph);
    }
    return found;
  }
}

/** A paragraph as it is written, and the level of the list item that is open behind it; -1: none. */
function placeOf(paragraph: WordElement, open: number): { readonly paragraph: WordElement; readonly open: number } {
  const style = styleOf(paragraph);
  const { numbering = null } = paragraph;
  if (textOf(paragraph).trim() === "") return { paragraph, open };
  if (/^(?:heading|title|subtitle)/.test(style)) return { paragraph, open: -1 };
  const kind = kindOf(style);
  const named = (where: string) => ({ ...paragraph, styleId: null, styleName: `Placed ${kind}${where}`, numbering: null });
  const isUnseen = numbering?.paragraphStyleId === UNSEEN;
  if (numbering !== null && !isUnseen) {
    const level = Number(numbering.level);
    return { paragraph: kind === "text" ? paragraph : named(` opens ${numbering.isOrdered ? "ol" : "ul"} ${level}`), open: level };
  }
  const continued = continuedLevel(style, isUnseen ? Number(numbering?.level) : -1, open);
  if (continued >= 0) return { paragraph: named(` in ${continued}`), open: continued };
  return { paragraph: kind === "text" && !isUnseen ? paragraph : named(""), open: -1 };
}

/** Level of the open item that a paragraph without a mark of its own goes on with; -1: none. */
function continuedLevel(style: string, unseenLevel: number, open: number): number {
  if (unseenLevel >= 0) return Math.min(unseenLevel, open);
  if (style === "list paragraph") return open;
  const continued = LIST_CONTINUE.exec(style);
  return continued === null ? -1 : Math.min(Number(continued[1] ?? 1) - 1, open);
}

function kindOf(style: string): Kind {
  if (QUOTE_STYLES.has(style)) return "quote";
  if (style === CODE_STYLE) return "code";
  return LINE_STYLES.has(style) ? "lines" : "text";
}

function styleOf({ styleName }: WordElement): string {
  return (styleName ?? "").toLowerCase();
}

function textOf({ value, children = [] }: WordElement): string {
  return typeof value === "string" ? value : children.map(textOf).join("");
}
