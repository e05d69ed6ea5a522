const TABLE_STYLE = /<w:style(?= [^<>]*w:type="table")[^<>]* w:styleId="([^"]{1,200})"[^<>]*>((?:(?!<\/w:style>)[\s\S])*)<\/w:style>/g;
const BASED_ON = /<w:basedOn w:val="([^"]{1,200})"/;
/** A style that sets the first row of its tables apart. */
const FIRST_ROW = /<w:tblStylePr w:type="firstRow"\s*>\s*</;
/** Styles that a style may go back to. */
const MOST_BASES = 20;
/** What says where a run stands, and its looks. */
const TAG = /<w:(tbl|tr|r)(?: [^<>]*)?(?<!\/)>(?:<w:rPr(?: [^<>]*)?(\/?)>)?|<\/w:(tbl|tr|rPr)>|<w:(tblStyle|tblLook)(?: [^<>]*)?>/g;
/** Of the looks of a table: its first row is set apart. */
const FIRST_ROW_BIT = 0x20;
const IS_BOLD = "<w:b/>";

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
  const styles = new Map([...xml.matchAll(TABLE_STYLE)].map(([, id = "", content = ""]) => [id, content]));
  const setsApart = (id: string, left: number): boolean => {
    const content = styles.get(id);
    if (content === undefined || left === 0) return false;
    return FIRST_ROW.test(content) || setsApart(BASED_ON.exec(content)?.[1] ?? "", left - 1);
  };
  return new Set([...styles.keys()].filter((id) => setsApart(id, MOST_BASES)));
}

/** Word says it in words, or, before 2010, as one bit of many. */
function usesFirstRow(look: string): boolean {
  const said = / w:firstRow="([^"]*)"/.exec(look)?.[1];
  if (said !== undefined) return said === "1" || said === "true" || said === "on";
  return (Number.parseInt(/ w:val="([\da-fA-F]{1,8})"/.exec(look)?.[1] ?? "0", 16) & FIRST_ROW_BIT) !== 0;
}
