import { describe, expect, it } from "vitest";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { measurePiece } from "./chooser-weights.ts";
import { readAsked, viewPassage } from "./piece-view.ts";
import { piecesOf } from "./pieces.ts";

const passage = fakePassage({
  title: "Parts of 2024",
  headingPath: ["Pumps AB-1"],
  pieces: [
    { type: "table-row", text: "Part | Weight", header: 0 },
    { type: "table-row", text: "ZX-90417 | 12 kg", header: 0 },
    { type: "table-row", text: "ZX-90424 | 90 kg", header: 0 },
  ],
});

/** Rows of the table beside the question, by their text. */
function rowsBeside(question: string) {
  const pieces = piecesOf(passage, { maxCharacters: 500, maxPieces: 10, wholeLists: false });
  const views = viewPassage(pieces, fakeEvidence(passage), 0, readAsked(question, fakeWords()));
  return new Map(views.map((view) => [view.text, view]));
}

describe("viewPassage", () => {
  it("tells the row of a code from its neighbour, whatever words they share", () => {
    const rows = rowsBeside("What is the weight of ZX 90417?");
    expect(rows.get("ZX-90417 | 12 kg")?.numbers).toBe(1);
    expect(rows.get("ZX-90424 | 90 kg")?.numbers).toBe(0);
  });

  it("says which share of several codes a row holds", () => {
    const rows = rowsBeside("Is 90417 heavier than 90424?");
    expect([...rows.values()].map(({ numbers }) => numbers)).toEqual([0.5, 0.5]);
  });

  it("counts only codes of the row itself, not of its heading or title", () => {
    const [row] = [...rowsBeside("What did pump 1 weigh in 2024?").values()];
    expect(row?.fromHeading).toBeGreaterThan(0);
    expect(row?.fromTitle).toBeGreaterThan(0);
    expect(row?.numbers).toBe(0);
  });

  it("measures nothing where no code is asked for", () => {
    const rows = [...rowsBeside("What is the weight of the pump?").values()];
    expect(rows.map(({ numbers }) => numbers)).toEqual([null, null]);
  });
});

describe("measurePiece", () => {
  it("gives the share of held codes as it was measured, and nothing where none was asked for", () => {
    const measured = (question: string) =>
      [...rowsBeside(question).values()].map((view) =>
        measurePiece(
          {
            ...{ view, wantsList: false, wantsValue: false, relevance: null, cosine: null, beside: 0 },
            best: { own: 0, whole: 0, over: 0, relevance: null, cosine: null, rerank: null },
          },
          ["numbers.held"],
        ),
      );
    expect(measured("What is the weight of ZX 90417?")).toEqual([[1], [0]]);
    expect(measured("What is the weight?")).toEqual([[null], [null]]);
  });
});
