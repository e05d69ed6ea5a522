/** What a style says of itself and of the first row of its tables. */
const STYLE_TAG = /<(\/?)w:(style|basedOn|tblStylePr)(?:\s[^<>]*)?>/g;
/** Styles that a style may go back to. */
const MOST_BASES = 20;
/** What says where a run stands, and its looks. */
const TAG = /<w:(tbl|tr|r)(?: [^<>]*)?(?<!\/)>(?:<w:rPr(?: [^<>]*)?(\/?)>)?|<\/w:(tbl|tr|rPr)>|<w:(tblStyle|tblLook)(?: [^<>]*)?>/g;
/** Of the looks of a table: its first row is set apart. */
const FIRST_ROW_BIT = 0x20;
const IS_BOLD = "<w:b/>";

interface TableStyle {
  basedOn: string;
  setsFirstRowApart: boolean;
}

interface OpenTable {
  isStyled: boolean;
  isSetApart: boolean;
  rows: number;
}

/**
 * The document with the first row of a table bold where the table's style sets it apart and the table makes use of that: Mammoth does not read such styles.
 * @param styles content of `word/styles.xml`
 */
export function withBoldFirstRows(xml: string, styles: string): string {
  const setApart = stylesWithFirstRow(styles);
  if (setApart.size === 0) return xml;
  const open: OpenTable[] = [];
  let isInLooks = false;
  return xml.replace(TAG, (tag: string, begun?: string, isEmpty?: string, ended?: string, said?: string) => {
    const table = open.at(-1);
    if (begun === "tbl") open.push({ isStyled: false, isSetApart: false, rows: 0 });
    else if (ended === "tbl") open.pop();
    else if (begun === "tr" && table !== undefined) table.rows++;
    else if (said === "tblStyle" && table?.rows === 0) table.isStyled = setApart.has(/ w:val="([^"]*)"/.exec(tag)?.[1] ?? "");
    else if (said === "tblLook" && table?.rows === 0) table.isSetApart = usesFirstRow(tag);
    else if (begun === "r" && table?.rows === 1 && table.isStyled && table.isSetApart) {
      isInLooks = tag.includes("<w:rPr") && isEmpty !== "/";
      if (!isInLooks) return `${tag.replace(/<w:rPr[^<>]*\/>$/, "")}<w:rPr>${IS_BOLD}</w:rPr>`;
    } else if (ended === "rPr" && isInLooks) {
      isInLooks = false;
      // Behind what the run says itself, which counts.
      return `${IS_BOLD}${tag}`;
    }
    return tag;
  });
}

function stylesWithFirstRow(xml: string): ReadonlySet<string> {
  const styles = tableStylesOf(xml);
  const setsApart = (id: string, left: number): boolean => {
    const style = styles.get(id);
    if (style === undefined || left === 0) return false;
    return style.setsFirstRowApart || setsApart(style.basedOn, left - 1);
  };
  return new Set([...styles.keys()].filter((id) => setsApart(id, MOST_BASES)));
}

/** In one pass: a style may have no content, or no end. */
function tableStylesOf(xml: string): ReadonlyMap<string, TableStyle> {
  const styles = new Map<string, TableStyle>();
  let open: TableStyle | null = null;
  for (const [tag, slash, name] of xml.matchAll(STYLE_TAG)) {
    const isEmpty = tag.endsWith("/>");
    if (name === "style") {
      open = null;
      const id = wordValue(tag, "styleId");
      if (slash !== "" || wordValue(tag, "type") !== "table" || id === "") continue;
      const style = { basedOn: "", setsFirstRowApart: false };
      styles.set(id, style);
      if (!isEmpty) open = style;
    } else if (open === null || slash !== "") continue;
    else if (name === "basedOn") open.basedOn ||= wordValue(tag, "val");
    else if (!isEmpty && wordValue(tag, "type") === "firstRow") open.setsFirstRowApart = true;
  }
  return styles;
}

function wordValue(tag: string, attribute: "styleId" | "type" | "val"): string {
  return new RegExp(String.raw`\sw:${attribute}="([^"]{1,200})"`).exec(tag)?.[1] ?? "";
}

/** Word says it in words, or, before 2010, as one bit of many. */
function usesFirstRow(look: string): boolean {
  const said = / w:firstRow="([^"]*)"/.exec(look)?.[1];
  if (said !== undefined) return said === "1" || said === "true" || said === "on";
  return (Number.parseInt(/ w:val="([\da-fA-F]{1,8})"/.exec(look)?.[1] ?? "0", 16) & FIRST_ROW_BIT) !== 0;
}
