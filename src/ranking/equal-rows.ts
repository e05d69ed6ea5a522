import type { SourceText } from "../shared/types.ts";
import { onceEach } from "../text/numbers.ts";
import { type Word, words } from "../text/tokens.ts";
import { cellsOf } from "../text/units.ts";
import type { CandidateView, Choice, QuoteWords, ScoredCandidate } from "./features.ts";

/** Rows of one table that match the question equally: each holds the cells that it names, such as "Lenz" in the column of valleys. */
export interface EqualRows {
  /** At least two, most likely answer first. */
  readonly rows: readonly ScoredCandidate[];
  readonly documentId: string;
  readonly header: SourceText;
  /** Returns whether another row of the table, as it stands in the text, matches too. */
  matches(row: string): boolean;
}

/** Minimum share of the best row's probability for a row to answer, if the question has words that no row holds. */
const NEAR_BEST = 0.6;

/**
 * Returns the rows that match the question as well as the best candidate; `null`: the best candidate is no row, names no cell, or is alone.
 * One of them does not answer "Which huts are in the Lenz valley?". A cell is named if the question holds all its words.
 */
export function equalRows(question: string, { asked, candidates }: Choice, { tokens }: Pick<QuoteWords, "tokens">): EqualRows | null {
  const [best] = candidates;
  const header = best?.view.candidate.header ?? null;
  if (best === undefined || header === null || best.isNamed) return null;
  const { document } = best.view.evidence.passage;
  const said = new Set(words(question).map(({ text }) => text));
  const isSaid = ({ text }: Word) => {
    const own = tokens(text);
    const held = asked.tokensIn(asked.bitsIn(text));
    // Stop words count too: "Lock A" is not any lock.
    return own.length === 0 ? said.has(text) : own.every((token) => held.includes(token));
  };
  const namedIn = (row: string): number[] =>
    cellsOf(row).flatMap((cell, column) => (tokens(cell).length > 0 && words(cell).every(isSaid) ? [column] : []));
  const isOfTable = ({ candidate, evidence }: CandidateView) =>
    evidence.passage.document.id === document.id && candidate.header?.start === header.start;
  const table = onceEach(
    candidates.filter(({ view }) => isOfTable(view)),
    ({ view }) => String(view.candidate.range.start),
  );
  const matchesOf = (row: string) => {
    const cells = cellsOf(row);
    const columns = namedIn(row);
    const keyOf = (own: readonly string[]) => columns.map((column) => own[column]?.toLowerCase()).join("\n");
    return { columns, matches: (other: string) => keyOf(cellsOf(other)) === keyOf(cells) };
  };
  const own = matchesOf(best.view.text);
  if (own.columns.length === 0) return null;
  // "Which huts of the Lenz valley open in June?": a row with both is better than the best one with the valley alone.
  const fuller = table
    .filter(({ view }) => own.matches(view.text))
    .map(({ view }) => matchesOf(view.text))
    .reduce((most, one) => (one.columns.length > most.columns.length ? one : most), own);
  const rows = table.filter(({ view }) => fuller.matches(view.text));
  const [first, second] = rows;
  if (first === undefined || second === undefined) return null;
  if (first.view.lacks > 0 && second.chance < NEAR_BEST * first.chance) return null;
  return { rows, documentId: document.id, header, matches: fuller.matches };
}
