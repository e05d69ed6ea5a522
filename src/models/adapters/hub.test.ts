import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../../test/support/folders.ts";
import { describeEncoderContract } from "../../testing/encoder-contract.ts";
import { writeFakeHubModel, writeFakeHubRuntime } from "../../testing/fake-hub.ts";
import { findHubRuntime } from "../hub/runtime.ts";
import { createHubEncoder, createHubReranker, type HubEncoderOptions, passageInput, pool } from "./hub.ts";

const folder = folderOfFile();
const fake: HubEncoderOptions = { modelsDir: join(folder, "models"), runtimeDirs: [join(folder, "runtime")] };
writeFakeHubRuntime(join(folder, "runtime"));
writeFakeHubModel(fake.modelsDir, "Xenova/all-MiniLM-L6-v2");
writeFakeHubModel(fake.modelsDir, "some/broken", { weights: "broken" });
writeFakeHubModel(fake.modelsDir, "Xenova/ms-marco-MiniLM-L-6-v2");

describeEncoderContract("hub, fake runtime", async (behaviour) => ({
  encoder: createHubEncoder(behaviour === "broken" ? "some/broken" : "all-MiniLM-L6-v2", fake),
  close: async () => undefined,
}));

describe("hub encoder", () => {
  it("has one id under its short name, its owner's name and its repository", () => {
    const ids = ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "Xenova/all-MiniLM-L6-v2"].map(
      (name) => createHubEncoder(name, fake).id,
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^hub\/all-MiniLM-L6-v2\/q8\/mean\/[0-9a-f]{12}$/);
  });

  it("has another id with other weights or pooling", () => {
    writeFakeHubModel(fake.modelsDir, "Xenova/bge-small-en-v1.5");
    const before = createHubEncoder("bge-small", fake).id;
    writeFakeHubModel(fake.modelsDir, "Xenova/bge-small-en-v1.5", { weights: "others" });
    expect(before).toContain("/cls/");
    expect(createHubEncoder("bge-small", fake).id).not.toBe(before);
    expect(createHubEncoder("bge-small", { ...fake, pooling: "mean" }).id).toContain("/mean/");
  });

  it("uses the pooling that the model's files name", () => {
    writeFakeHubModel(fake.modelsDir, "some/other", { files: { "1_Pooling/config.json": '{"pooling_mode_cls_token": true}' } });
    expect(createHubEncoder("some/other", fake).id).toContain("/cls/");
  });

  it("names the command that installs the runtime", () => {
    if (findHubRuntime([]) !== null) return;
    const create = () => createHubEncoder("all-MiniLM-L6-v2", { ...fake, runtimeDirs: [join(folder, "nowhere")] });
    expect(create).toThrowError(expect.objectContaining({ code: "hub_runtime_missing" }));
    expect(create).toThrowError(/sourcebound models install/);
  });

  it("names the command that fetches a model, and the files to copy by hand", () => {
    expect(() => createHubEncoder("some/absent", fake)).toThrowError(
      /sourcebound models pull some\/absent`, or copy config\.json, .*onnx\/model_quantized\.onnx there/,
    );
    expect(() => createHubEncoder("all-MiniLM-L6-v2", { ...fake, dtype: "fp32" })).toThrowError(
      /--dtype fp32`, or copy onnx\/model\.onnx there/,
    );
  });

  it.each(["a NAN b", "a BOOM b"])("throws a ModelError for an invalid vector: %s", async (text) => {
    await expect(createHubEncoder("all-MiniLM-L6-v2", fake).embed(["fine", text])).rejects.toMatchObject({ code: "encoder_failed" });
  });

  it("averages a text's own tokens, or takes the first token", () => {
    const hidden = { dims: [2, 2, 2], data: [1, 2, 3, 4, 5, 6, 100, 100] };
    const inputs = { attention_mask: { dims: [2, 2], data: [1, 1, 1, 0] } };
    expect(pool(hidden, inputs, "mean").map((vector) => [...vector])).toEqual([
      [4, 6],
      [5, 6],
    ]);
    expect(pool(hidden, inputs, "cls").map((vector) => [...vector])).toEqual([
      [1, 2],
      [5, 6],
    ]);
  });
});

describe("hub reranker", () => {
  const passage = (text: string) => ({ title: "Ratings", section: "", text });

  it("scores title, section and text as one, without empty parts", () => {
    expect(passageInput({ title: "A", section: " B ", text: "C" })).toBe("A. B. C");
    expect(passageInput(passage("C"))).toBe("Ratings. C");
  });

  it("maps logits to 0–1 with the logistic function", async () => {
    const reranker = createHubReranker("cross-encoder/ms-marco-MiniLM-L-6-v2", fake);
    const scores = await reranker.rerank("tinnitus rating", [passage("tinnitus rating is 10"), passage("pension"), passage("a rating")]);
    expect(scores[0]).toBeCloseTo(1 / (1 + Math.exp(-1)), 6);
    expect(scores[1]).toBeCloseTo(1 / (1 + Math.exp(1)), 6);
    expect(scores[2]).toBeCloseTo(0.5, 6);
  });

  it("throws a ModelError when the model cannot be loaded", async () => {
    const reranker = createHubReranker("some/broken", fake);
    await expect(reranker.rerank("x", [passage("y")])).rejects.toMatchObject({ name: "ModelError", code: "reranker_failed" });
  });
});
