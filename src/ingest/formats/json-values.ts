import { IngestError } from "../../errors.ts";
import type { SourceMapData, TextRange } from "../../types.ts";
import type { ListValue, RecordValue, ScalarValue, SourceValue } from "./source-value.ts";

/** String literals (with escapes skipped), structure, and everything else. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;
/** Lists and records inside each other; no document for people comes near it. */
const MAX_DEPTH = 200;

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

/** The values of valid JSON with their places, in `range` of the source; without recursion, so that no nesting can end the process. */
export function readJsonValue(source: string, range: TextRange): SourceValue {
  const open: (Mutable<ListValue> | Mutable<RecordValue>)[] = [];
  let key: ScalarValue | null = null;
  const keys: (ScalarValue | null)[] = [];
  let root: SourceValue = { type: "list", items: [], ...range };
  const put = (value: SourceValue) => {
    const top = open.at(-1);
    if (top === undefined) root = value;
    else if (top.type === "list") top.items.push(value);
    else if (key !== null) top.fields.push([key, value]);
    key = null;
  };
  TOKEN.lastIndex = range.start;
  for (let match = TOKEN.exec(source); match !== null && match.index < range.end; match = TOKEN.exec(source)) {
    const token = match[0];
    const mark = token[0];
    if (mark === "{" || mark === "[") {
      if (open.length >= MAX_DEPTH)
        throw new IngestError("too_deep", `values are nested more than ${MAX_DEPTH} deep at character ${match.index}`, { at: match.index });
      keys.push(key);
      key = null;
      const start = match.index;
      open.push(mark === "{" ? { type: "record", fields: [], start, end: start } : { type: "list", items: [], start, end: start });
    } else if (mark === "}" || mark === "]") {
      const value = open.pop();
      key = keys.pop() ?? null;
      if (value !== undefined) put({ ...value, end: match.index + 1 });
    } else if (mark !== "," && mark !== ":") {
      const scalar = toScalar(source, match.index, token);
      if (open.at(-1)?.type === "record" && key === null) key = scalar;
      else put(scalar);
    }
  }
  return root;
}

function toScalar(source: string, start: number, token: string): ScalarValue {
  const end = start + token.length;
  if (!token.startsWith('"')) {
    const text = token === "null" ? "" : token;
    return { type: "scalar", text, isText: false, start, end, map: text === "" ? [] : [0, text.length, start, end] };
  }
  return { type: "scalar", text: JSON.parse(token) as string, isText: true, start, end, map: literalMap(source, { start, end }) };
}

/** Map from a decoded JSON string to its literal: plain characters one to one, each escape as a whole. */
function literalMap(source: string, literal: TextRange): SourceMapData {
  const map: number[] = [];
  const piece = /[^"\\]+|\\u[0-9a-fA-F]{4}|\\./gy;
  piece.lastIndex = literal.start + 1;
  let out = 0;
  for (let match = piece.exec(source); match !== null && match.index < literal.end - 1; match = piece.exec(source)) {
    const length = match[0].startsWith("\\") ? 1 : match[0].length;
    map.push(out, out + length, match.index, match.index + match[0].length);
    out += length;
  }
  return map;
}
