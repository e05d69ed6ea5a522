import type { ReadingNotice } from "../../shared/types.ts";
import { type MarkupEvent, type OpenEvent, opens, partnersOf } from "./markup.ts";
import { type Panels, targetsOf } from "./panels.ts";

/** CSS property → value. Both are in lower case, and values have no spaces around commas. */
type Declarations = ReadonlyMap<string, string>;

/** A rule of the page's style sheet with a simple selector. */
interface StyleRule {
  readonly tag: string | null;
  readonly id: string | null;
  readonly classes: readonly string[];
  /** Specificity of the selector. The rule with the higher weight wins; if they are equal, the later rule. */
  readonly weight: number;
  readonly declarations: Declarations;
}

/** Maximum length of a style sheet, in characters. A longer one is ignored, because it mostly concerns layout. */
const MAX_STYLE_LENGTH = 200_000;
/** Maximum number of rules. More would slow down large pages. */
const MAX_RULES = 500;
/** Matches a CSS comment. A comment that is not closed extends to the end of the style sheet. */
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/** Matches an at-rule, such as `@media`, with at most one level of rules inside. If it is not closed, it extends to the end. */
const AT_RULE = /@[^{};@]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*(?:\}|$))/g;
/** Matches a simple selector of name, id and classes. Selectors with combinators are ignored. */
const SELECTOR = /^([a-z][a-z0-9-]{0,40})?((?:[.#][\w-]{1,80}){0,6})$/i;
/** Names of CSS properties that can hide text, strike it through, or colour its background. */
const KEPT =
  /^(?:display|visibility|content-visibility|opacity|transform|font-size|color|background(?:-color|-image)?|overflow|position|left|top|right|bottom|text-indent|margin-(?:left|top)|(?:max-)?(?:width|height)|clip(?:-path)?|text-decoration(?:-line)?)$/;

/**
 * Parses the rules with simple selectors in the page's `style` elements. Ignores style sheets for media other than
 * screens.
 */
function stylesOf(events: readonly MarkupEvent[]): StyleRule[] {
  const rules: StyleRule[] = [];
  let isStyle = false;
  for (const event of events) {
    if (opens(event, "style")) isStyle = /^(?:all|screen)?$/i.test(event.attributes.media ?? "");
    else if (event.type === "close" && event.name === "style") isStyle = false;
    else if (event.type === "text" && isStyle && event.text.length <= MAX_STYLE_LENGTH) readRules(event.text, rules);
    if (rules.length > MAX_RULES) return rules.slice(0, MAX_RULES);
  }
  return rules;
}

/** Parses a style sheet. Ignores at-rules with their contents. */
function readRules(sheet: string, rules: StyleRule[]): void {
  const css = sheet.replace(COMMENT, " ").replace(AT_RULE, " ");
  for (const rule of css.split("}")) {
    const [declarations = "", selectors = ""] = rule.split("{").reverse();
    addRules(selectors, readDeclarations(declarations), rules);
  }
}

function addRules(selectors: string, declarations: Declarations, rules: StyleRule[]): void {
  if (declarations.size === 0) return;
  for (const selector of selectors.split(",")) {
    const [, tag = null, names = ""] = SELECTOR.exec(selector.trim()) ?? [];
    if (tag === null && names === "") continue;
    const parts = names.match(/[.#][\w-]+/g) ?? [];
    const classes = parts.filter((part) => part.startsWith(".")).map((part) => part.slice(1));
    const id = parts.find((part) => part.startsWith("#"))?.slice(1) ?? null;
    const weight = (id === null ? 0 : 100) + classes.length * 10 + (tag === null ? 0 : 1);
    rules.push({ tag: tag?.toLowerCase() ?? null, id, classes, weight, declarations });
  }
}

/** Parses the declarations of a `style` attribute or rule, and keeps those that can hide text. */
function readDeclarations(text: string): Declarations {
  const found = new Map<string, string>();
  for (const declaration of text.slice(0, 4_000).split(";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!KEPT.test(property)) continue;
    const value = declaration
      .slice(colon + 1)
      .toLowerCase()
      .replace(/!\s*important/, "");
    found.set(property, value.replace(/\s*,\s*/g, ",").trim());
  }
  return found;
}

/** Font size up to which text is illegible on any screen, in CSS pixels. */
const SMALLEST_PX = 1;
/** Offset up to which text is off the screen, in CSS pixels. */
const OFF_PAGE_PX = -500;
const PX: Readonly<Record<string, number>> = { px: 1, "": 1, pt: 4 / 3, em: 16, rem: 16, ex: 8, "%": 0.16, vw: 10, vh: 8, in: 96, cm: 38 };
const WHITE = /^(?:white|#fff(?:fff)?|rgba?\(255,255,255(?:,1(?:\.0)?)?\)|transparent|rgba\(\d+,\d+,\d+,0(?:\.0)?\))$/;

/** Elements that mark their text as deleted. */
const STRUCK: ReadonlySet<string> = new Set(["del", "s", "strike"]);

/**
 * Finds text that the page's own styles strike through or hide: not displayed, invisible, without size, off the page, or white on white.
 * External style sheets are ignored. Text that a control, a link or a search in the page reveals does not count as hidden.
 * @param panels the panels of the page, which controls reveal
 */
export function findUnseenText(events: readonly MarkupEvent[], { controls }: Panels) {
  const rules = stylesOf(events);
  const opened = new Set(events.flatMap((event) => (event.type === "open" ? targetsOf(event) : [])));
  const isStyledElsewhere = events.some((event) => opens(event, "link") && /\bstylesheet\b/i.test(event.attributes.rel ?? ""));
  const elements = new Set<OpenEvent>();
  const grounds: boolean[] = [];
  const partner = partnersOf(events);
  const characters = { hidden: 0, struck: 0 };
  const inside: (keyof typeof characters | null)[] = [];
  for (const [i, event] of events.entries()) {
    if (event.type === "open") {
      const styles = stylesOfElement(event, rules);
      const mayBeColoured = isStyledElsewhere && (event.attributes.class !== undefined || event.attributes.id !== undefined);
      const hasGround = grounds.at(-1) === true || mayBeColoured || paintsGround(event, styles);
      const isHiddenByStyle = isUnseenByStyle(styles) || (!hasGround && WHITE.test(styles.get("color") ?? ""));
      const isHidden = isHiddenByStyle || ("hidden" in event.attributes && event.attributes.hidden !== "until-found");
      const isOpened = controls.has(i) || (event.attributes.id && opened.has(event.attributes.id)) || event.attributes.role === "tabpanel";
      const isUnseen = isHidden && !isOpened;
      const isStruck = isStruckThrough(event, styles) && isClosed(events[partner[i] ?? i]);
      if (isUnseen || isStruck) elements.add(event);
      grounds.push(hasGround);
      inside.push(inside.at(-1) ?? (isUnseen ? "hidden" : isStruck ? "struck" : null));
    } else if (event.type === "close") {
      grounds.pop();
      inside.pop();
    } else if (event.type === "text") {
      const left = inside.at(-1) ?? null;
      if (left !== null) characters[left] += event.text.trim().length;
    }
  }
  return { elements, ...characters };
}

/** Returns the notices about omitted characters and pictures without text: at most one per reason. */
export function unseenNotices({ hidden, struck, figures }: Readonly<Record<"hidden" | "struck" | "figures", number>>): ReadingNotice[] {
  const notices: ReadingNotice[] = [];
  if (hidden > 0) notices.push({ code: "hidden_text", message: `${hidden} characters that the page does not show were left out` });
  const deleted = `${struck} struck or deleted characters were left out, because they no longer apply`;
  if (struck > 0) notices.push({ code: "struck_text", message: deleted });
  const message = `${figures} pictures or charts have no alternative text, so their content cannot be found`;
  if (figures > 0) notices.push({ code: "figures_without_text", message, count: figures });
  return notices;
}

/** Returns notices about omitted parts, e.g. comments, and about the headers and footers of pages (`margins`), which are always omitted. */
export function leftOutNotices(parts: Iterable<string>, margins: readonly string[]): ReadingNotice[] {
  const running = margins.length === 0 ? [] : [`headers and footers of pages were left out: ${margins.join("; ").slice(0, 300)}`];
  return [...[...parts].map((one) => `${one} were left out`), ...running].map((message) => ({ code: "left_out", message }));
}

function isStruckThrough({ name }: OpenEvent, styles: Declarations): boolean {
  const line = styles.get("text-decoration-line") ?? styles.get("text-decoration") ?? "";
  return STRUCK.has(name) || /\bline-through\b/.test(line);
}

/**
 * Checks whether an element has a closing tag. Without one, the rest of the document would be struck through. Besides,
 * an unclosed tag may be ordinary text, e.g. `<S>` in `List<S>`.
 */
function isClosed(close: MarkupEvent | undefined): boolean {
  return close?.type === "close" && close.end > close.start && !close.atEnd;
}

/**
 * Returns the declarations that apply to an element: those of matching rules, by specificity and then order, overridden
 * by those of its `style` attribute.
 */
function stylesOfElement({ name, attributes }: OpenEvent, rules: readonly StyleRule[]): Declarations {
  const { class: classes = "", id = "", style } = attributes;
  if (style === undefined && rules.length === 0) return NONE;
  const own = classes.split(/\s+/);
  const isOwn = (rule: StyleRule) =>
    (rule.tag ?? name) === name && (rule.id ?? id) === id && rule.classes.every((one) => own.includes(one));
  const ordered = rules.filter(isOwn).sort((a, b) => a.weight - b.weight);
  return new Map([...ordered.flatMap(({ declarations }) => [...declarations]), ...readDeclarations(style ?? "")]);
}

const NONE: Declarations = new Map();

function isUnseenByStyle(styles: Declarations): boolean {
  if (styles.size === 0) return false;
  const is = (property: string, pattern: RegExp) => pattern.test(styles.get(property) ?? "");
  const areBelow = (most: number, ...properties: string[]) => properties.some((property) => pixelsOf(styles.get(property)) <= most);
  if (is("display", /^none$/) || is("visibility", /^(?:hidden|collapse)$/) || is("content-visibility", /^hidden$/)) return true;
  if (is("opacity", /^(?:0+(?:\.0*)?|\.0+)%?$/) || is("transform", /\bscale\(0(?:,0)?\)/)) return true;
  if (areBelow(SMALLEST_PX, "font-size")) return true;
  if (is("overflow", /^(?:hidden|clip)$/) && areBelow(SMALLEST_PX, "width", "height", "max-width", "max-height")) return true;
  const isPlaced = is("position", /^(?:absolute|fixed)$/);
  if (isPlaced && areBelow(OFF_PAGE_PX, "left", "top", "right", "bottom")) return true;
  if (isPlaced && (is("clip", /^rect\([01](?:px)?[,\s]/) || is("clip-path", /^inset\((?:50|100)%/))) return true;
  return areBelow(OFF_PAGE_PX, "text-indent", "margin-left", "margin-top");
}

/** Converts a CSS length to pixels; infinity without a value. */
function pixelsOf(value: string | undefined): number {
  const [, number, unit = ""] = /^(-?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|%|vw|vh|in|cm)?$/.exec(value ?? "") ?? [];
  return number === undefined ? Number.POSITIVE_INFINITY : Number(number) * (PX[unit] ?? 1);
}

/** Checks whether an element has a background colour or image of its own. */
function paintsGround({ name, attributes }: OpenEvent, styles: Declarations): boolean {
  if (attributes.bgcolor !== undefined || attributes.background !== undefined || name === "mark") return true;
  const ground = styles.get("background-color") ?? styles.get("background") ?? styles.get("background-image") ?? "";
  return ground !== "" && !WHITE.test(ground) && ground !== "none";
}
