import type { TextRange } from "../../types.ts";

/** String literals (with escapes skipped), structure, and everything else. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * Where the string value of `key` stands (with its quotes) in each top-level object of valid JSON: of the one object at `start`, or
 * of each element of the array there. `null` where an element has no such string. Of equal keys the last counts, as in `JSON.parse`.
 */
export function valueRanges(source: string, start: number, key: string, isArray: boolean): (TextRange | null)[] {
  const entryDepth = isArray ? 2 : 1;
  const ranges: (TextRange | null)[] = [];
  let depth = 0;
  let current: TextRange | null = null;
  let isKey = false;
  let isWanted = false;
  let hasElement = false;
  TOKEN.lastIndex = start;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const token = match[0];
    const mark = token[0];
    if (isArray && depth === 1 && mark !== "," && mark !== "]") hasElement = true;
    if (mark === "{" || mark === "[") {
      depth++;
      isKey = mark === "{";
      if (depth === entryDepth) current = null;
    } else if (mark === "}" || mark === "]") {
      depth--;
      if (depth === entryDepth - 1 && hasElement === isArray) {
        ranges.push(current);
        hasElement = false;
        current = null;
      }
      if (depth === 0) break;
    } else if (mark === ",") {
      isKey = depth === entryDepth;
      isWanted = false;
      if (isArray && depth === 1 && hasElement) {
        ranges.push(null);
        hasElement = false;
      }
    } else if (mark === ":") isKey = false;
    else if (mark === '"' && depth === entryDepth) {
      if (isKey) isWanted = token === `"${key}"` || (token.includes("\\") && JSON.parse(token) === key);
      else if (isWanted) current = { start: match.index, end: match.index + token.length };
    }
  }
  return ranges;
}
