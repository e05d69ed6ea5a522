/** One key of a record with its value, as a sentence. */
export interface RecordLine {
  readonly text: string;
  /** `false`: the record denies it ("WiFi: no"). */
  readonly affirmed: boolean;
  /** Words of its own key, without those that most keys share; empty for a value that is running text. */
  readonly key: readonly string[];
  /** Is the value only yes or no? */
  readonly flag: boolean;
}

export interface ReadRecord {
  readonly lines: readonly RecordLine[];
  /** Keys whose value is empty: the record knows the question and does not answer it. */
  readonly unknown: readonly (readonly string[])[];
}

/** A value of more characters is running text, not a field. */
const FIELD_CHARACTERS = 80;
const YES = new Set(["true", "yes", "free", "paid", "available"]);
const NO = new Set(["false", "no", "none", "not available"]);
const EMPTY = new Set(["", "null", "n/a", "unknown", "-"]);
const MAX_DEPTH = 12;

/** Reads a JSON record as its keys and values; `null` for any other text. */
export function readRecord(text: string): ReadRecord | null {
  if (!/^\s*[{[]/.test(text)) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const leaves: Leaf[] = [];
  collect(value, [], leaves);
  const common = commonWords(leaves);
  const lines: RecordLine[] = [];
  const unknown: string[][] = [];
  for (const { path, value: leaf } of leaves) {
    const own = keyWords(path.at(-1) ?? "").filter((word) => !common.has(word));
    const plain = leaf === null ? "" : String(leaf).trim();
    const bare = plain.toLowerCase().replaceAll(/^u?'|'$/g, "");
    if (EMPTY.has(bare)) {
      unknown.push(own);
      continue;
    }
    const words = path.flatMap(keyWords).join(" ");
    if (YES.has(bare) || NO.has(bare)) {
      lines.push({
        text: bare === "true" || bare === "yes" || NO.has(bare) ? words : `${bare} ${words}`,
        affirmed: YES.has(bare),
        key: own,
        flag: true,
      });
    } else if (plain.length > FIELD_CHARACTERS) lines.push({ text: plain, affirmed: true, key: [], flag: false });
    else lines.push({ text: `${words} ${plain}`, affirmed: true, key: own, flag: false });
  }
  return { lines, unknown };
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function collect(value: unknown, path: readonly string[], leaves: Leaf[]): void {
  if (typeof value !== "object" || value === null || path.length > MAX_DEPTH) {
    leaves.push({ path, value });
    return;
  }
  const entries: [string, unknown][] = Array.isArray(value) ? value.map((one) => ["", one]) : Object.entries(value);
  for (const [key, one] of entries) collect(one, key === "" ? path : [...path, key], leaves);
}

/** `RestaurantsTakeOut` → restaurants, take, out; `review_date` → review, date; `WiFi` → wifi. */
function keyWords(key: string): string[] {
  return key
    .replaceAll("WiFi", "wifi")
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Words that three or more keys share say what kind of record it is, not which field. */
function commonWords(leaves: readonly Leaf[]): Set<string> {
  const keys = new Map<string, Set<string>>();
  for (const { path } of leaves) {
    const last = path.at(-1) ?? "";
    for (const word of keyWords(last)) keys.set(word, (keys.get(word) ?? new Set()).add(last));
  }
  const common = new Set([...keys].flatMap(([word, of]) => (of.size >= 3 ? [word] : [])));
  for (const word of ["good", "for", "is", "has", "the", "of"]) common.add(word);
  return common;
}
