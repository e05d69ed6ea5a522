import { type OrdinalForm, ordinal } from "./ordinal.ts";
import { walkXml } from "./zip.ts";

/** A level of a numbered list: ECMA-376, part 1, 17.9. */
interface Level {
  start: number;
  format: string;
  /** The label, with `%1` for the number of the outermost level. */
  text: string;
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
export function withNumbers(xml: string, numbering: string, styleOf: (id: string) => Style): string {
  const lists = readLists(numbering);
  if (lists.levels.size === 0) return xml;
  const counters = new Map<readonly Level[], number[]>();
  const restarted = new Set<string>();
  const plain = xml.replace(FORMER, "");
  return plain.replace(PROPERTIES, (properties, at: number) => {
    const own = numberingIn(properties, styleOf(/<w:pStyle [^<>]*w:val="([^"]*)"/.exec(properties)?.[1] ?? ""));
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
  const definitions = new Map<string, Level[]>();
  const levels = new Map<string, readonly Level[]>();
  const restarts = new Map<string, Map<number, number>>();
  let [open, list, at] = [[] as Level[], "", 0];
  walkXml(xml, {
    open(name, { "w:abstractNumId": definition = "", "w:numId": id = "", "w:ilvl": ilvl = "0", "w:val": value = "" }) {
      const level = open[at];
      if (name === "abstractNum" || name === "num") [list, open] = [id, []];
      if (name === "abstractNum") definitions.set(definition, open);
      else if (name === "abstractNumId") levels.set(list, definitions.get(value) ?? []);
      else if (name === "lvl" || name === "lvlOverride") {
        at = Math.min(MAX_LEVELS, Number(ilvl));
        if (name === "lvl") open[at] = { start: 1, format: "decimal", text: `%${at + 1}.` };
      } else if (name === "startOverride") restarts.set(list, (restarts.get(list) ?? new Map<number, number>()).set(at, Number(value)));
      else if (level !== undefined && name === "start") level.start = Number(value);
      else if (level !== undefined && name === "numFmt") level.format = value;
      else if (level !== undefined && name === "lvlText") level.text = value;
    },
  });
  return { levels, restarts };
}

/** What a style sets, itself or through its base styles. */
interface Style {
  /** List and level of its paragraphs. */
  readonly list?: string;
  readonly level?: number;
  /** Whether it is a table style that formats the first row. */
  readonly hasFirstRow?: boolean;
}

/** Parses `word/styles.xml`. Returns a function that finds a style by its id. */
export function readStyles(xml: string): (id: string) => Style {
  const styles = new Map<string, { basedOn: string; own: Style }>();
  let open = "";
  walkXml(xml, {
    open(name, { "w:styleId": id = "", "w:type": type = "", "w:val": value = "" }) {
      if (name === "style") {
        open = id;
        styles.set(id, { basedOn: "", own: {} });
      }
      const style = styles.get(open);
      if (style === undefined || open === "") return;
      if (name === "basedOn") style.basedOn = value;
      else if (name === "numId") style.own = { ...style.own, list: value };
      else if (name === "ilvl") style.own = { ...style.own, level: Number(value) };
      else if (name === "tblStylePr" && type === "firstRow") style.own = { ...style.own, hasFirstRow: true };
    },
    close(name) {
      if (name === "style") open = "";
    },
  });
  const find = (id: string, left: number): Style => {
    const style = styles.get(id);
    return style === undefined || left === 0 ? {} : { ...find(style.basedOn, left - 1), ...style.own };
  };
  return (id) => find(id, MOST_BASES);
}

function numberingIn(properties: string, style: Style): { readonly list: string; readonly level: number } {
  const list = /<w:numId [^<>]*w:val="(\d+)"/.exec(properties)?.[1];
  const level = /<w:ilvl [^<>]*w:val="(\d)"/.exec(properties)?.[1];
  return { list: list ?? style.list ?? "", level: Number(level ?? style.level ?? 0) };
}
