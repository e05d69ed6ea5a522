import type { MarkupEvent } from "./markup.ts";

/** Property → value, both in lower case, values without blanks after commas. */
export type Declarations = ReadonlyMap<string, string>;

/** A rule of a page's own style sheet about one kind of element. */
export interface StyleRule {
  readonly tag: string | null;
  readonly id: string | null;
  readonly classes: readonly string[];
  /** The rule with more weight counts; of equal ones the later. */
  readonly weight: number;
  readonly declarations: Declarations;
}

/** Longer style sheets are not read: what they say is mostly layout. */
const MAX_STYLE_LENGTH = 200_000;
/** More rules would make reading a large page slow. */
const MAX_RULES = 500;
/** One element by its name, id and classes; what stands inside what is not followed. */
const SELECTOR = /^([a-z][a-z0-9-]{0,40})?((?:[.#][\w-]{1,80}){0,6})$/i;
/** Properties that can hide text or strike it through, or show what is behind it. */
const KEPT =
  /^(?:display|visibility|content-visibility|opacity|transform|font-size|color|background(?:-color|-image)?|overflow|position|left|top|right|bottom|text-indent|margin-(?:left|top)|(?:max-)?(?:width|height)|clip(?:-path)?|text-decoration(?:-line)?)$/;

/** The rules in a page's `style` elements that name single elements. Rules for print and other media are left out. */
export function stylesOf(events: readonly MarkupEvent[]): StyleRule[] {
  const rules: StyleRule[] = [];
  let isStyle = false;
  for (const event of events) {
    if (event.type === "open" && event.name === "style") isStyle = /^(?:all|screen)?$/i.test(event.attributes.media ?? "");
    else if (event.type === "close" && event.name === "style") isStyle = false;
    else if (event.type === "text" && isStyle && event.text.length <= MAX_STYLE_LENGTH) readRules(event.text, rules);
    if (rules.length > MAX_RULES) return rules.slice(0, MAX_RULES);
  }
  return rules;
}

/** One pass over the sheet; blocks of at-rules are passed over with what is in them. */
function readRules(sheet: string, rules: StyleRule[]): void {
  const css = withoutComments(sheet);
  let [from, depth, isAtRule] = [0, 0, false];
  let selectors = "";
  for (let at = 0; at < css.length; at++) {
    const char = css[at];
    if (char === "{") {
      if (depth === 0) {
        selectors = css.slice(from, at).trim();
        isAtRule = selectors.startsWith("@");
      }
      depth++;
      from = at + 1;
    } else if (char === "}") {
      depth = Math.max(0, depth - 1);
      if (depth === 0 && !isAtRule) addRules(selectors, readDeclarations(css.slice(from, at)), rules);
      from = at + 1;
    } else if (char === ";" && depth === 0) from = at + 1;
  }
}

function withoutComments(sheet: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = sheet.indexOf("/*"); at >= 0; at = sheet.indexOf("/*", from)) {
    parts.push(sheet.slice(from, at));
    const end = sheet.indexOf("*/", at + 2);
    if (end < 0) return parts.join(" ");
    from = end + 2;
  }
  return [...parts, sheet.slice(from)].join(" ");
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

/** The declarations of a `style` attribute or a rule that can hide text. */
export function readDeclarations(text: string): Declarations {
  const found = new Map<string, string>();
  for (const declaration of text.slice(0, 4_000).split(";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!KEPT.test(property)) continue;
    const value = declaration.slice(colon + 1).toLowerCase();
    found.set(
      property,
      value
        .replace(/!\s*important/, "")
        .replace(/\s*,\s*/g, ",")
        .trim(),
    );
  }
  return found;
}
