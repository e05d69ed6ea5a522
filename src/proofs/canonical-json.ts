/**
 * Returns the canonical JSON that is hashed and signed (RFC 8785): keys sorted by UTF-16 code units, no white space, ECMAScript numbers and
 * strings. Properties with the value `undefined` are omitted.
 * @throws TypeError for functions, symbols, big integers and numbers that are not finite
 * @example canonicalJson({ b: 1, a: [true, null] }) // '{"a":[true,null],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`${typeof value} ${String(value)} cannot be represented in JSON`);
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`).join(",")}}`;
}

/**
 * Matches a string, and the colon after it if it is a key. The pattern has the form a*(ba*)*, because alternatives in a loop
 * would need memory for every character.
 */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/**
 * Parses JSON and rejects an object with two equal keys. Parsers disagree about which of the two applies, so a signed text
 * would be ambiguous.
 * @throws SyntaxError
 */
export function parseUnambiguousJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  let written = 0;
  for (const [, colon] of text.matchAll(JSON_STRING)) if (colon !== undefined) written++;
  if (written !== countKeys(value)) throw new SyntaxError("an object contains a key twice");
  return value;
}

function countKeys(value: unknown): number {
  const open: unknown[] = [value];
  let count = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== "object" || one === null) continue;
    if (!Array.isArray(one)) count += Object.keys(one).length;
    for (const inner of Object.values(one)) open.push(inner ?? null);
  }
  return count;
}
