/** A key, of one or more words, and what stands behind it on its line. */
const ENTRY = /^([A-Za-z_][\w-]*(?: [\w-]+)*):(?:[ ]+(?! )(.*))?$/;
/** Characters of a key; beyond 1,024 YAML knows none. */
const MAX_KEY = 1_000;
/** An item of a list, and what stands behind its mark. */
const ITEM = /^-([ ]+)(\S.*)$/;
/** Whatever a pattern's dot takes: no sign that ends a line. */
const ONE_LINE = /^.*$/;
const COMMENT = /^#[^\r]*$/;
/** Words that no YAML reader takes for anything but words, or a number: no mark that means something at their beginning, no comment, no second key. */
const WORDS = /^[\p{L}\d/_(<§$“‘](?:[^:#\t]|:(?=\S)|(?<!\s)#)*$/u;
/** Of those, what is a number (https://yaml.org/spec/1.2.2/#103-core-schema). */
const NUMBER = /^(?:\d+|0o[0-7]+|0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)$/;
const QUOTED = /^(?:"([^"\\\t]*)"|'([^'\t]*)')$/;
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

/** A line that says something, without its indentation and the blanks at its end. */
interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/** Lines that are still to be read, the next one last. */
type Lines = Line[];

/**
 * Reads YAML that consists of lines `key: words` and `- words`, also inside each other, words that go on in the next lines, and comments on lines of their
 * own, which is most of what stands at the top of files. `null` for anything else: then the full parser, which would give the same for these, is asked. It
 * takes a fiftieth of the full parser's time.
 */
export function readPlainYaml(yaml: string): Readonly<Record<string, PlainValue>> | null {
  const lines: Lines = [];
  for (const [number, line] of yaml.split("\n").entries()) {
    const indent = line.length - line.replace(/^ +/, "").length;
    const text = line.slice(indent, endOf(line));
    if (text === "" || COMMENT.test(text)) continue;
    lines.push({ number, indent, text });
  }
  lines.reverse();
  if (lines.at(-1)?.indent !== 0) return null;
  const values = readRecord(lines, 0, 0);
  return values === undefined || lines.length > 0 ? null : values;
}

/** Where a line ends without the blanks at its end. A pattern would look at every blank anew from each before it. */
function endOf(line: string): number {
  let end = line.endsWith("\r") ? line.length - 1 : line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  return end;
}

/** The entries that begin at column `indent`; `undefined` where one is not plain. */
function readRecord(lines: Lines, indent: number, depth: number): Readonly<Record<string, PlainValue>> | undefined {
  const values = new Map<string, PlainValue>();
  for (let line = lines.at(-1); line !== undefined && line.indent >= indent; line = lines.at(-1)) {
    const [, key, value = ""] = ENTRY.exec(line.text) ?? [];
    if (line.indent > indent || key === undefined || key.length > MAX_KEY || key === "__proto__" || CONSTANT.test(key)) return undefined;
    lines.pop();
    const found = value === "" ? readInner(lines, indent, depth) : readScalar(value, line.number, { lines, indent });
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
    const isRecord = ENTRY.test(text);
    if (isRecord) lines.push({ number: line.number, indent: indent + 1 + blanks.length, text });
    const item = isRecord ? readRecord(lines, indent + 1 + blanks.length, depth + 1) : readScalar(text, line.number, { lines, indent });
    if (item === undefined || depth === MAX_DEPTH) return undefined;
    items.push(item);
  }
  return items;
}

/** A value that begins on line `number` of what stands at column `indent`; `undefined`: not plain. */
function readScalar(
  text: string,
  number: number,
  at: { readonly lines: Lines; readonly indent: number },
): string | number | boolean | undefined {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? "";
  if (CONSTANT.test(text) || NUMBER.test(text)) return BOOLEANS.get(text) ?? (WHOLE_NUMBER.test(text) ? Number(text) : undefined);
  return WORDS.test(text) ? continueWords(text, number, at) : undefined;
}

/** Words with those of the lines directly below that are indented more. What is no words there is refused by whoever reads that line. */
function continueWords(text: string, number: number, { lines, indent }: { readonly lines: Lines; readonly indent: number }): string {
  const words = [text];
  for (let line = lines.at(-1); line !== undefined && line.indent > indent && line.number === number + words.length; line = lines.at(-1)) {
    if (!ONE_LINE.test(line.text) || !WORDS.test(line.text)) break;
    words.push(line.text);
    lines.pop();
  }
  return words.join(" ");
}
