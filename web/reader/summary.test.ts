import { expect, it } from "vitest";
import type { WireDocument } from "../../src/client/index.ts";
import { summaryOf } from "./summary.tsx";

const text = "Tolls\nBoats pay at the lock. Canoes pay less.\nYearly\nBoat | Year";
const blocks: WireDocument["blocks"] = [
  [0, 5, "heading", 1, -1],
  [6, 45, "paragraph", 0, -1],
  [46, 52, "heading", 2, -1],
  [53, 64, "table-row", 0, 3],
];
const outline = [
  { start: 0, level: 1, text: "Tolls" },
  { start: 46, level: 2, text: "Yearly" },
];

it("contains the headings of a document with the first sentence below each, without title and tables", () => {
  expect(summaryOf({ text, blocks, outline, title: "Tolls" })).toEqual([
    { start: 0, level: 1, heading: null, sentence: "Boats pay at the lock." },
    { start: 46, level: 2, heading: "Yearly", sentence: "" },
  ]);
  const bare = { text: text.slice(6, 45), blocks: [[0, 39, "paragraph", 0, -1]] as WireDocument["blocks"], outline: [], title: "Tolls" };
  expect(summaryOf(bare)).toEqual([{ start: 0, level: 1, heading: null, sentence: "Boats pay at the lock." }]);
});
