import { expect, it } from "vitest";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { choosePieces } from "./choose.ts";
import { readChooserWeights } from "./chooser-weights.ts";
import { PIECE_FEATURES } from "./piece-features.ts";
import { measureBestReading, measureReading, READING_FEATURES } from "./reading-features.ts";

it("measures the reading beside what was measured at a glance, in the order of the names", async () => {
  const { signal } = new AbortController();
  const options = { maxCharacters: 500, reranker: null, embed: null, weights: readChooserWeights(), read: null, signal };
  const evidence = [fakeEvidence(fakePassage({ title: "Ferry", pieces: ["A boat costs four dollars."] }))];
  const [piece] = (await choosePieces("What does a boat cost?", evidence, fakeWords(), options)).pieces;
  if (piece === undefined) throw new Error("no piece");
  const { measured, view } = piece;
  expect(
    measureReading(measured, { cosine: 0.7, match: null }, ["lacks", "reading", "match.least", "beside", "nothing of the kind"]),
  ).toEqual([...[view.lacks, 0.7, null, 0, null]]);
  const match = { mean: 0.4, least: 0.1, lower: 0.2, back: 0.3 };
  const all = measureReading(measured, { cosine: -0.2, match }, READING_FEATURES);
  expect(all).toEqual([...[-0.2, 0.4, 0.1, 0.2, 0.3], ...Object.values(PIECE_FEATURES).map((measure) => measure(measured))]);
});

it("compares the first reading with the mean of all, and with nothing where it stands alone", () => {
  const first = { cosine: 0.8, match: { mean: 0.6, least: 0.2, lower: 0.4, back: 0.5 } };
  const second = { cosine: 0.4, match: { mean: 0.5, least: 0.4, lower: 0.4, back: 0.1 } };
  const told = measureBestReading([first, second]);
  expect(told).toMatchObject({ reading: 0.8, "match.mean": 0.6, "match.least": 0.2 });
  expect(told["reading.above"]).toBeCloseTo(0.2, 12);
  expect(told["match.least.above"]).toBeCloseTo(-0.1, 12);
  expect(measureBestReading([first])).toMatchObject({ "match.back": 0.5, "match.back.above": null });
  expect(measureBestReading([{ ...first, match: null }, second])).toMatchObject({ "match.back": null, "match.back.above": null });
});
