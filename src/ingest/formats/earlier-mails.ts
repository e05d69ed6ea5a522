import { valuesIn } from "../../language/values.ts";

/** A mail that another one quotes, with the lines that say who wrote it when. */
export interface EarlierMail {
  readonly text: string;
  /** ISO date. */
  readonly date: string;
}

/** A header line of a quoted mail: "Sent: Monday, 2 February 2026 10:00". */
const LABELLED = /^[>\s]*\*?\p{L}[\p{L} -]{0,15}\*?:\*?\s+\S/u;
/** Minimum header lines of a quoted mail. */
const LEAST_LABELLED = 3;
/** A line of dashes, also around words, above the header of a quoted mail. */
const RULE = /^[>\s]*(?:[-_]{5,}|-{3,}[^-]{1,60}-{3,})\s*$/;
const SIGN = /^>[ \t]?/;
/** Maximum lines of the sentence before a quotation: "On …, Ann <ann@example.com> wrote:". */
const MAX_INTRODUCTION = 3;

/**
 * Separates a plain-text mail from the earlier mails that it quotes with their dates: below a header of lines such as "From: …", or in lines
 * with `>` below a sentence with the date. A quotation without a date stays. Linear time.
 */
export function splitEarlierMails(text: string): { readonly own: string; readonly earlier: readonly EarlierMail[] } {
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    const quoted = LABELLED.test(line) ? belowHeader(lines, i) : SIGN.test(line) ? belowSentence(lines, i) : null;
    if (quoted === null) continue;
    const { from, body, to, date } = quoted;
    const head = lines.slice(from, body).filter((line) => !RULE.test(line));
    const inner = splitEarlierMails(lines.slice(body, to).map(withoutSign).join("\n"));
    const text = `${head.map(withoutSign).join("\n").trim()}\n\n${inner.own}`;
    const behind = splitEarlierMails(lines.slice(to).join("\n"));
    const own = [...lines.slice(0, from), ...(to < lines.length ? [behind.own] : [])].join("\n");
    return { own, earlier: [{ text, date }, ...inner.earlier, ...behind.earlier] };
  }
  return { own: text, earlier: [] };
}

/** Returns the quoted mail whose header begins at line `at`; it extends from `body`, the first line below, to the end. A header on the first line is the mail's own. */
function belowHeader(lines: readonly string[], at: number) {
  if (at === 0) return null;
  let end = at;
  while (LABELLED.test(lines[end] ?? "")) end++;
  const header = lines.slice(at, end).join("\n");
  const date = end - at < LEAST_LABELLED ? null : dateIn(header);
  let from = at;
  while (from > 1 && (lines[from - 1]?.trim() === "" || RULE.test(lines[from - 1] ?? ""))) from--;
  // Without a rule or an address, the lines may be any list of labels.
  if (date === null || !(header.includes("@") || lines.slice(from, at).some((line) => RULE.test(line)))) return null;
  return { from, body: end, to: lines.length, date };
}

/** Returns the quoted lines from line `at` on, with the sentence with a date that introduces them. */
function belowSentence(lines: readonly string[], at: number) {
  let last = at - 1;
  while (last >= 0 && lines[last]?.trim() === "") last--;
  if (!/:\s*$/.test(lines[last] ?? "")) return null;
  let from = last;
  while (from > 0 && last - from + 1 < MAX_INTRODUCTION && lines[from - 1]?.trim() !== "") from--;
  while (from < last && dateIn(lines.slice(from + 1, last + 1).join(" ")) !== null) from++;
  const date = dateIn(lines.slice(from, last + 1).join(" "));
  let to = at;
  while (to < lines.length && (SIGN.test(lines[to] ?? "") || (lines[to]?.trim() === "" && SIGN.test(lines[to + 1] ?? "")))) to++;
  return date === null ? null : { from, body: at, to, date };
}

function dateIn(text: string): string | null {
  const found = valuesIn(text).find(({ kind, low }) => kind === "date" && /^\d{4}-\d{2}-\d{2}$/.test(String(low)));
  return found === undefined ? null : String(found.low);
}

function withoutSign(line: string): string {
  return line.replace(SIGN, "");
}
