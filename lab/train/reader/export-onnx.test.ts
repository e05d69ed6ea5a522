import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { TINY_WEIGHTS } from "../../../test/support/reader-parity.ts";
import { createClassifierGraph } from "./export-hub.ts";
import { createReaderGraph, readStoredWeights } from "./export-onnx.ts";
import { encodeModel } from "./onnx-model.ts";

type Stored = ReturnType<typeof readStoredWeights>;

it.each([
  ["the layers", createReaderGraph, "246046b1232879a4efc6761e31332f42445fb0b8648d7cf7b62b703ad852650d"],
  [
    "a classifier",
    (weights: Stored) => createClassifierGraph(weights, "answer"),
    "39e2e3b15f742c0966038261cea189775e56c3d9f996bad9fec645f3eb5caf7d",
  ],
] as const)("writes %s as the model that onnxruntime gave our kernel's numbers for", (_name, graphOf, hash) => {
  const model = encodeModel(graphOf(readStoredWeights(TINY_WEIGHTS)));
  expect(createHash("sha256").update(model).digest("hex")).toBe(hash);
});
