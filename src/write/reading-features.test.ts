import { expect, it } from "vitest";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { choosePieces } from "./choose.ts";
import { readChooserWeights } from "./chooser-weights.ts";
import { PIECE_FEATURES } from "./piece-features.ts";
import { measureReading, READING_FEATURES } from "./reading-features.ts";

it("measures the reading beside what was measured at a glance, in the order of the names", async () => {
  const { signal } = new AbortController();
  const options = { maxCharacters: 500, reranker: null, embed: null, weights: readChooserWeights(), read: null, signal };
  const evidence = [fakeEvidence(fakePassage({ title: "Ferry", pieces: ["A boat costs four dollars."] }))];
  const [piece] = (await choosePieces("What does a boat cost?", evidence, fakeWords(), options)).pieces;
  if (piece === undefined) throw new Error("no piece");
  const { measured, view } = piece;
  expect(measureReading(measured, 0.7, ["lacks", "reading", "beside", "nothing of the kind"])).toEqual([view.lacks, 0.7, 0, null]);
  const all = measureReading(measured, -0.2, READING_FEATURES);
  expect(all).toEqual([-0.2, ...Object.values(PIECE_FEATURES).map((measure) => measure(measured))]);
});
