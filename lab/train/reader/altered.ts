import type { Ask } from "./ask.ts";
import type { Labelled } from "./label.ts";
import { drawOf } from "./random.ts";
import { type NamePool, namedIn, nearNumber } from "./twins.ts";

/** Share of questions with an altered copy of an answering passage among the candidates, where one can be made. */
const ALTERED_SHARE = 0.22;

type Span = readonly [number, number];

/**
 * Makes altered copies of an answering passage: with a similar entity in place of the one in the question (does not answer), and in a table
 * with two row names swapped (the other row answers).
 */
export function alteredCopies(ask: Ask, candidates: readonly Labelled[], names: NamePool): Labelled[] {
  const seed = `${ask.set} ${ask.question} ${ask.scope}`;
  const gold = candidates.find(({ label, spans }) => label === 1 && spans.length > 0) ?? candidates.find(({ label }) => label === 1);
  if (gold === undefined || ask.form !== "plain") return [];
  const isDrawn = (kind: string) => drawOf(`${kind} ${seed}`) < (ask.set === "tatqa" ? 1 : ALTERED_SHARE);
  return [isDrawn("other") ? ofTwin(gold, ask, names, seed) : null, isDrawn("rows") ? withRowsExchanged(gold) : null].flatMap(
    (one) => one ?? [],
  );
}

/** Replaces the entity of the question in the passage by a similar one. */
function ofTwin({ head, text }: Labelled, ask: Ask, names: NamePool, seed: string): Labelled | null {
  for (const named of namedIn(ask.question)) {
    const all = `${head}\n${text}`;
    if (named.text.length < 2 || !holds(all, named.text)) continue;
    const twin = named.type === "name" ? names.near(named.text, ask.group, seed) : nearNumber(named, seed);
    if (twin === null || all.toLowerCase().includes(twin.toLowerCase())) continue;
    const put = (part: string) => part.replaceAll(wholeWord(named.text), () => twin);
    return { head: put(head), text: put(text), label: 0, spans: [], relevant: [] };
  }
  return null;
}

/** Swaps the names of the answering row and another row; the same cell of the other row then answers. */
function withRowsExchanged({ head, text, spans }: Labelled): Labelled | null {
  const [span] = spans;
  if (spans.length !== 1 || span === undefined) return null;
  const rows = rowsOf(text);
  const at = rows.findIndex(({ start, end }) => span[0] >= start && span[1] <= end);
  const row = rows[at];
  if (row === undefined || row.cells.length < 2) return null;
  const column = row.cells.findIndex(([start, end]) => span[0] >= start && span[1] <= end);
  const isLike = (other: Row) =>
    other.cells.length === row.cells.length && other !== row && nameOf(other) !== nameOf(row) && nameOf(other).length > 2;
  const other = [...rows.slice(at + 1), ...rows.slice(0, at).reverse()].find((one) => isLike(one) && rows.indexOf(one) > 0);
  if (column < 1 || other === undefined || nameOf(row).length < 3) return null;
  const cell = other.cells[column] as Span;
  if (text.slice(...cell).trim() === "") return null;
  const [first, second] = row.start < other.start ? [row, other] : [other, row];
  const [firstName, secondName] = [first.cells[0] as Span, second.cells[0] as Span];
  const moved =
    text.slice(0, firstName[0]) +
    text.slice(...secondName) +
    text.slice(firstName[1], secondName[0]) +
    text.slice(...firstName) +
    text.slice(secondName[1]);
  const grown = lengthOf(secondName) - lengthOf(firstName);
  // Text between the two names shifts by the difference of their lengths; text after both does not.
  const shift = (offset: number) => (offset > firstName[0] && offset <= secondName[0] ? offset + grown : offset);
  const line: Span = other === first ? [other.start, shift(other.end)] : [shift(other.start), other.end];
  return { head, text: moved, label: 1, spans: [[shift(cell[0]), shift(cell[1])]], relevant: [line] };

  function nameOf(one: Row): string {
    return text.slice(...(one.cells[0] as Span)).trim();
  }
}

interface Row {
  readonly start: number;
  readonly end: number;
  readonly cells: readonly Span[];
}

function rowsOf(text: string): Row[] {
  return [...text.matchAll(/[^\n]+/g)].flatMap((match): Row[] => {
    if (!match[0].includes(" | ")) return [];
    let at = match.index;
    const cells = match[0].split(" | ").map((cell): Span => {
      const span: Span = [at, at + cell.length];
      at += cell.length + 3;
      return span;
    });
    return [{ start: match.index, end: match.index + match[0].length, cells }];
  });
}

function lengthOf([start, end]: Span): number {
  return end - start;
}

function holds(text: string, part: string): boolean {
  return wholeWord(part).test(text);
}

function wholeWord(part: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])${part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\d])`, "gu");
}
