import { expect, it } from "vitest";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { holdsInOtherColumn } from "./asked-columns.ts";
import { candidatesOf } from "./candidates.ts";
import { readAsked, viewPassage } from "./features.ts";

const HEADER = "Tent | Persons | Weight kg | Pegs | Built";

function viewOf(row: string, question: string) {
  const passage = fakePassage({
    pieces: [
      { type: "table-row", text: HEADER, header: 0 },
      { type: "table-row", text: row, header: 0 },
    ],
  });
  const candidates = candidatesOf(passage, { maxCharacters: 500, maxCandidates: 9, wholeLists: false });
  const [view] = viewPassage(candidates, { passage }, 0, readAsked(question, fakeWords()));
  if (view === undefined) throw new Error("no row");
  return view;
}

it.each([
  ["Which tent is for 12 persons?", "Rila | 4 | 7 | 12 | 2019", true],
  ["Which tent has pegs 4?", "Rila | 4 | 7 | 12 | 2019", true],
  ["Which tent has a weight of 12?", "Rila | 4 | 7 | 12 | 2019", true],
  ["Which tent weighs 4 kg?", "Rila | 4 | 7 | 12 | 2019", true],
  ["Which tent is for 4 persons?", "Rila | 4 | 7 | 12 | 2019", false],
  ["Which tent weighs 7 kg?", "Rila | 4 | 7 | 12 | 2019", false],
  // The number is not in the row, in the first column, or beside no column.
  ["Which tent is for 9 persons?", "Rila | 4 | 7 | 12 | 2019", false],
  ["How many persons fit the 12?", "12 | 4 | 7 | 30 | 2019", false],
  ["Which tent for 4 persons is of 2019?", "Rila | 4 | 7 | 12 | 2019", false],
  ["Which tent is it?", "Rila | 4 | 7 | 12 | 2019", false],
  ["Which tent is for 12 persons?", "Rila", false],
])("%s beside %s: %s", (question, row, expected) =>
  expect(holdsInOtherColumn(question, viewOf(row, question), fakeWords())).toBe(expected),
);
