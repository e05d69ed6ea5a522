import { expect, it } from "vitest";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { choosePieces } from "./choose.ts";
import { measureBestReading, measureReading, PIECE_FEATURES, READING_FEATURES, readChooserWeights } from "./chooser-weights.ts";

it("measures the reading beside what was measured at a glance, in the order of the names", async () => {
  const { signal } = new AbortController();
  const options = { maxCharacters: 500, reranker: null, embed: null, weights: readChooserWeights(), read: null, signal };
  const evidence = [fakeEvidence(fakePassage({ title: "Ferry", pieces: ["A boat costs four dollars."] }))];
  const [piece] = (await choosePieces("What does a boat cost?", evidence, fakeWords(), options)).pieces;
  if (piece === undefined) throw new Error("no piece");
  const { measured, view } = piece;
  expect(measureReading(measured, { cross: -3, cosine: 0.7 }, ["lacks", "reading", "cross", "beside", "nothing of the kind"])).toEqual([
    view.lacks,
    0.7,
    -3,
    0,
    null,
  ]);
  const all = measureReading(measured, { cross: 2, cosine: -0.2 }, READING_FEATURES);
  expect(all).toEqual([2, -0.2, ...Object.values(PIECE_FEATURES).map((measure) => measure(measured))]);
});

it("compares the first reading with the mean of all, and with nothing where it stands alone", () => {
  const first = { cross: 3, cosine: 0.8 };
  const second = { cross: -1, cosine: 0.4 };
  const told = measureBestReading([first, second]);
  expect(told).toMatchObject({ reading: 0.8, cross: 3, "cross.above": 2 });
  expect(told["reading.above"]).toBeCloseTo(0.2, 12);
  expect(measureBestReading([first])).toEqual({ ...{ cross: 3, "cross.above": null }, ...{ reading: 0.8, "reading.above": null } });
  expect(measureBestReading([first, second, { cross: 1, cosine: null }])["reading.above"]).toBeCloseTo(0.2, 12);
  expect(measureBestReading([{ cross: 1, cosine: null }, first])).toMatchObject({
    reading: null,
    "reading.above": null,
    "cross.above": -1,
  });
  expect(measureBestReading([])).toEqual({});
});
