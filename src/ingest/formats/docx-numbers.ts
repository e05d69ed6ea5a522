import { descendants, firstOf, prefixed, readXml, type XmlElement } from "./office/xml.ts";
import { type OrdinalForm, ordinal } from "./ordinal.ts";

/** A level of a numbered list: ECMA-376, part 1, 17.9. */
interface Level {
  readonly start: number;
  readonly format: string;
  /** The label, with `%1` for the number of the outermost level. */
  readonly text: string;
}

interface Lists {
  /** Levels by list; lists of one definition share the object. */
  readonly levels: ReadonlyMap<string, readonly Level[]>;
  /** First numbers that a list sets for itself, by list and level. */
  readonly restarts: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

const FORMS: Readonly<Record<string, OrdinalForm>> = {
  ...{ decimal: "1", decimalZero: "1", lowerLetter: "a", upperLetter: "A", lowerRoman: "i", upperRoman: "I" },
};
const MAX_LEVELS = 9;
/** Maximum length of a chain of base styles. */
const MOST_BASES = 20;
/** The properties of a paragraph, without those before a tracked change. */
const FORMER = /<w:pPrChange(?: [^<>]*)?>[\s\S]*?<\/w:pPrChange>/g;
const PROPERTIES = /<w:pPr(?: [^<>]*)?>(?:(?!<w:pPr[ >]|<\/w:pPr>)[\s\S])*<\/w:pPr>/g;

/**
 * Writes the numbers that Word shows before numbered paragraphs, such as "2.3" or "(b)", as text.
 * @param xml content of `word/document.xml`; @param numbering of `word/numbering.xml`; @param styleOf finds a style
 */
export function withNumbers(xml: string, numbering: string, styleOf: (id: string | undefined) => Style): string {
  const lists = readLists(numbering);
  if (lists.levels.size === 0) return xml;
  const counters = new Map<readonly Level[], number[]>();
  const restarted = new Set<string>();
  const plain = xml.replace(FORMER, "");
  return plain.replace(PROPERTIES, (properties, at: number) => {
    const own = numberingIn(properties, styleOf(/<w:pStyle [^<>]*w:val="([^"]*)"/.exec(properties)?.[1]));
    const levels = lists.levels.get(own.list);
    const level = levels?.[own.level];
    const from = at + properties.length;
    if (levels === undefined || level === undefined) return properties;
    const counts = counters.get(levels) ?? [];
    counters.set(levels, counts);
    const restart = lists.restarts.get(own.list)?.get(own.level);
    const isRestart = restart !== undefined && !restarted.has(`${own.list} ${own.level}`);
    if (isRestart) restarted.add(`${own.list} ${own.level}`);
    counts[own.level] = isRestart ? restart : (counts[own.level] ?? level.start - 1) + 1;
    counts.length = own.level + 1;
    const label = hasText(plain, from) ? labelOf(levels, own.level, counts) : "";
    return label === "" ? properties : `${properties}<w:r><w:t xml:space="preserve">${label} </w:t></w:r>`;
  });
}

function hasText(xml: string, from: number): boolean {
  return /<w:t(?: [^<>]*)?>[^<]/.test(xml.slice(from, xml.indexOf("</w:p>", from)));
}

function labelOf(levels: readonly Level[], level: number, counts: readonly number[]): string {
  const { format, text } = levels[level] as Level;
  if (FORMS[format] === undefined) return "";
  return text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const of = levels[Number(digit) - 1];
      return of === undefined ? "" : ordinal(counts[Number(digit) - 1] ?? of.start, FORMS[of.format] ?? "1");
    })
    .trim();
}

function readLists(xml: string): Lists {
  const numbering = readXml(xml);
  const definitions = new Map([...descendants(numbering, "abstractNum")].map((one) => [prefixed(one, "abstractNumId"), levelsOf(one)]));
  const levels = new Map<string, readonly Level[]>();
  const restarts = new Map<string, ReadonlyMap<number, number>>();
  for (const num of descendants(numbering, "num")) {
    const list = prefixed(num, "numId") ?? "";
    levels.set(list, definitions.get(stated(num, "abstractNumId")) ?? []);
    const restarted = [...descendants(num, "lvlOverride")].flatMap((override): [number, number][] => {
      const start = stated(override, "startOverride");
      return start === undefined ? [] : [[levelOf(override), Number(start)]];
    });
    restarts.set(list, new Map(restarted));
  }
  return { levels, restarts };
}

function levelsOf(definition: XmlElement): Level[] {
  const levels: Level[] = [];
  for (const level of descendants(definition, "lvl")) {
    const at = levelOf(level);
    const [start = "1", format = "decimal", text = `%${at + 1}.`] = ["start", "numFmt", "lvlText"].map((name) => stated(level, name));
    levels[at] = { start: Number(start), format, text };
  }
  return levels;
}

function levelOf(element: XmlElement): number {
  return Math.min(MAX_LEVELS, Number(prefixed(element, "ilvl") ?? 0));
}

function stated(element: XmlElement, name: string): string | undefined {
  const found = firstOf(element, name);
  return found === undefined ? undefined : prefixed(found, "val");
}

/** What a style sets, itself or through its base styles. */
interface Style {
  /** List and level of its paragraphs. */
  readonly list: string;
  readonly level: number;
  /** Whether it is a table style that formats the first row. */
  readonly hasFirstRow: boolean;
}

/** Parses `word/styles.xml`. Returns a function that finds a style by its id. */
export function readStyles(xml: string): (id: string | undefined) => Style {
  const styles = new Map([...descendants(readXml(xml), "style")].map((style) => [prefixed(style, "styleId"), style]));
  const find = (id: string | undefined, left: number): Style => {
    const style = styles.get(id);
    if (style === undefined || left === 0) return { list: "", level: 0, hasFirstRow: false };
    const base = find(stated(style, "basedOn"), left - 1);
    const parts = [...descendants(style, "tblStylePr")].map((part) => prefixed(part, "type"));
    return {
      list: stated(style, "numId") ?? base.list,
      level: Number(stated(style, "ilvl") ?? base.level),
      hasFirstRow: base.hasFirstRow || parts.includes("firstRow"),
    };
  };
  return (id) => find(id, MOST_BASES);
}

function numberingIn(properties: string, style: Style): { readonly list: string; readonly level: number } {
  const list = /<w:numId [^<>]*w:val="(\d+)"/.exec(properties)?.[1];
  const level = /<w:ilvl [^<>]*w:val="(\d)"/.exec(properties)?.[1];
  return { list: list ?? style.list, level: Number(level ?? style.level) };
}
