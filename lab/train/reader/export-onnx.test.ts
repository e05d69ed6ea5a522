import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { TINY_WEIGHTS } from "../../../test/support/reader-parity.ts";
import { createReaderGraph, readStoredWeights } from "./export-onnx.ts";
import { encodeModel } from "./onnx-model.ts";

it("writes the model that onnxruntime gave our kernel's numbers for", () => {
  const model = encodeModel(createReaderGraph(readStoredWeights(TINY_WEIGHTS)));
  expect(createHash("sha256").update(model).digest("hex")).toBe("246046b1232879a4efc6761e31332f42445fb0b8648d7cf7b62b703ad852650d");
});
