import type { Choice } from "./choice.ts";
import type { AskedBits, PieceView } from "./piece-view.ts";

/** Does a row stand beside one that was asked for, in the same table, and say nothing of what was asked? */
export type StandsBeside = (row: PieceView, asked: PieceView) => boolean;

/**
 * Wednesday's row where Thursday was asked for: it holds some of the words of the question that the asked row holds, none of its own, and those are in every row of
 * the table ("20 kg", "5 kg"). A word that some rows share ("Sunday") says that each of them is meant, unless the question gives a number that it lacks: "6 to 7 years"
 * is not for who is 4. Tables of one document whose columns are called the same are one.
 */
export function rowsBeside({ pieces, asked }: Pick<Choice, "pieces" | "asked">): StandsBeside {
  const inEvery = new Map<string, AskedBits>();
  for (const { view } of pieces) {
    const table = tableOf(view);
    if (table !== null) inEvery.set(table, asked.bitsIn(view.text) & (inEvery.get(table) ?? ~0));
  }
  return (row, other) => {
    const table = tableOf(row);
    if (table === null || table !== tableOf(other)) return false;
    const [keys, wanted] = [asked.bitsIn(row.text), asked.bitsIn(other.text)];
    // "up to 4 times a day" may stand in every row: its first cell says what a row is of.
    const [label, wantedLabel] = [row, other].map(({ text }) => asked.bitsIn(text.split("|")[0] ?? "") & asked.numbers) as [
      AskedBits,
      AskedBits,
    ];
    if ((keys & ~wanted) !== 0 || (label & ~wantedLabel) !== 0) return false;
    if ((wanted & asked.numbers & ~keys) !== 0 || (wantedLabel & ~label) !== 0) return true;
    return keys !== wanted && (keys & ~(inEvery.get(table) ?? 0)) === 0;
  };
}

/** Names the tables of a row by its document and what their columns are called; `null`: it is no row, or has no header by which its table is known. */
function tableOf({ piece, evidence }: PieceView): string | null {
  return piece.header === null ? null : `${evidence.passage.document.id} ${piece.header.text}`;
}
