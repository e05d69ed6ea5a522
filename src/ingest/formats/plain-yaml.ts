/** A key and what stands behind it on its line. */
const ENTRY = /^([A-Za-z_][\w-]*):(?:[ ]+(.*?))?[ ]*\r?$/;
/** An item of a list, and what stands behind its mark. */
const ITEM = /^-([ ]+)(\S.*?)[ ]*\r?$/;
/** Words that no YAML reader takes for anything but words: no mark that means something at their beginning, no comment, no second key. */
const WORDS = /^[A-Za-z/_(<§](?:[^:#\t]|:(?=\S)|(?<!\s)#)*$/;
/** Digits with words behind them are words too. */
const NUMBERED_WORDS = /^\d[^\s:#]* (?:[^:#\t]|:(?=\S)|(?<!\s)#)*$/;
const QUOTED = /^(?:"([^"\\\t]*)"|'([^'\t]*)')$/;
/** A day, or other numbers with dashes between them. */
const DASHED_NUMBERS = /^\d+(?:-\d+)+$/;
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;
/** Words that stand for no text. */
const CONSTANT = /^(?:null|true|false)$/i;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);
/** Lists and records in each other; what is deeper is left to the full parser. */
const MAX_DEPTH = 20;

type PlainValue = string | number | boolean | null | readonly PlainValue[] | { readonly [key: string]: PlainValue };

/** A line that says something, without its indentation. */
interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Lines that are still to be read, the next one last. */
type Lines = Line[];

/**
 * Reads YAML that consists of lines `key: words` and `- words`, also inside each other, which is most of what stands at the top of files. `null` for
 * anything else: then the full parser, which would give the same for these, is asked. It takes a fiftieth of the full parser's time.
 */
export function readPlainYaml(yaml: string): Readonly<Record<string, PlainValue>> | null {
  const lines: Lines = [];
  for (const line of yaml.split("\n")) {
    if (line === "" || line === "\r") continue;
    const text = line.replace(/^ +/, "");
    lines.push({ indent: line.length - text.length, text });
  }
  lines.reverse();
  if (lines.at(-1)?.indent !== 0) return null;
  const values = readRecord(lines, 0, 0);
  return values === undefined || lines.length > 0 ? null : values;
}

/** The entries that begin at column `indent`; `undefined` where one is not plain. */
function readRecord(lines: Lines, indent: number, depth: number): Readonly<Record<string, PlainValue>> | undefined {
  const values = new Map<string, PlainValue>();
  for (let line = lines.at(-1); line !== undefined && line.indent >= indent; line = lines.at(-1)) {
    const [, key, value = ""] = ENTRY.exec(line.text) ?? [];
    if (line.indent > indent || key === undefined || key === "__proto__" || CONSTANT.test(key)) return undefined;
    lines.pop();
    const found = value === "" ? readInner(lines, indent, depth) : readScalar(value);
    if (found === undefined) return undefined;
    values.set(key, found);
  }
  return Object.fromEntries(values);
}

/** What stands below a key without words of its own: a record or list that is indented more, a list at the same column, or nothing. */
function readInner(lines: Lines, indent: number, depth: number): PlainValue | undefined {
  const next = lines.at(-1);
  const isList = next?.text.startsWith("-") === true;
  if (next === undefined || next.indent < indent || (next.indent === indent && !isList)) return null;
  if (depth === MAX_DEPTH) return undefined;
  return isList ? readList(lines, next.indent, depth + 1) : readRecord(lines, next.indent, depth + 1);
}

/** The items whose marks stand at column `indent`; `undefined` where one is not plain. */
function readList(lines: Lines, indent: number, depth: number): PlainValue[] | undefined {
  const items: PlainValue[] = [];
  for (let line = lines.at(-1); line !== undefined && line.indent >= indent; line = lines.at(-1)) {
    if (line.indent === indent && !line.text.startsWith("-")) break;
    const [, blanks = "", text = ""] = ITEM.exec(line.text) ?? [];
    if (line.indent > indent || text === "") return undefined;
    lines.pop();
    if (ENTRY.test(text)) lines.push({ indent: indent + 1 + blanks.length, text });
    const item = ENTRY.test(text) ? readRecord(lines, indent + 1 + blanks.length, depth + 1) : readScalar(text);
    if (item === undefined || depth === MAX_DEPTH) return undefined;
    items.push(item);
  }
  return items;
}

/** A value on one line; `undefined`: not plain. What is indented below it, and would go on with it, is refused by whoever reads that line. */
function readScalar(text: string): string | number | boolean | undefined {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? "";
  if (WHOLE_NUMBER.test(text)) return Number(text);
  const boolean = BOOLEANS.get(text);
  if (boolean !== undefined) return boolean;
  if (CONSTANT.test(text)) return undefined;
  return WORDS.test(text) || NUMBERED_WORDS.test(text) || DASHED_NUMBERS.test(text) ? text : undefined;
}
