import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { rounds } from "../../test/support/trials.ts";
import { SHIPPED_WEIGHTS } from "./create-reader.ts";
import { createForward } from "./forward.ts";
import { loadReaderWeights } from "./weights.ts";

const caseSchema = z.strictObject({
  ids: z.array(z.int()),
  /** The first numbers of the vector. */
  vector: z.array(z.number()).min(8),
  /** What the heads make of the whole vector. */
  answer: z.tuple([z.number()]),
  same: z.tuple([z.number()]),
  claim: z.tuple([z.number(), z.number(), z.number()]),
});
const paritySchema = z.strictObject({ weights: z.string(), cases: z.array(caseSchema) });

/** What the weights file's numbers give in torch, float32 (lab/train/reader/export.py). */
const LARGEST_DIFFERENCE = 1e-3;
/** The same of log odds and of logarithms of chances, which the heads make larger. */
const LARGEST_OF_ODDS = 0.02;

const files = { "weights of tests": join(import.meta.dirname, "parity", "tiny.bin"), "weights that ship": SHIPPED_WEIGHTS };

for (const [name, path] of Object.entries(files)) {
  describe.skipIf(!existsSync(path))(`the forward pass with the ${name}`, () => {
    const cases = join(import.meta.dirname, "parity", basename(path).replace(/\.bin$/, ".parity.json"));
    const stored = () => paritySchema.parse(JSON.parse(readFileSync(cases, "utf8")));

    for (const [kernel, every] of [
      ["wasm", name === "weights of tests" ? 1 : rounds({ all: 1, usually: 5 })],
      ["scalar", name === "weights of tests" ? 20 : 100],
    ] as const) {
      it(`gives what torch gives on stored cases, ${kernel} form`, () => {
        const weights = loadReaderWeights(path, { threads: 1, kernel });
        const { weights: hash, cases } = stored();
        expect(weights.hash).toBe(hash);
        expect(cases).toHaveLength(200);
        const forward = createForward(weights, 0);
        for (const { ids, vector, answer, same, claim } of cases.filter((_, i) => i % every === 0)) {
          const read = forward.run(Int32Array.from(ids));
          const { supported, contradicted, notFound } = read.claim;
          const outputs = [read.answer, read.same, supported, contradicted, notFound];
          for (const [k, odds] of [...answer, ...same, ...claim].entries())
            expect(Math.abs((outputs[k] ?? Number.NaN) - odds)).toBeLessThan(LARGEST_OF_ODDS);
          for (const [k, number] of vector.entries())
            expect(Math.abs((read.vector[k] ?? Number.NaN) - number)).toBeLessThan(LARGEST_DIFFERENCE);
        }
      });
    }
  });
}

describe("the two forms of the kernel", () => {
  it("give the same bits", () => {
    const [one, other] = (["wasm", "scalar"] as const).map((kernel) => {
      const forward = createForward(loadReaderWeights(files["weights of tests"], { threads: 1, kernel }), 0);
      return [1, 3, 4, 9, 41].map((length) => {
        const ids = Int32Array.from({ length }, (_, i) => (i * 37) % 200);
        return forward.run(ids);
      });
    });
    expect(one).toEqual(other);
  });

  it("give a sequence the same result whatever was read before it", () => {
    const forward = createForward(loadReaderWeights(files["weights of tests"], { threads: 1 }), 0);
    const read = (length: number) => forward.run(Int32Array.from({ length }, (_, i) => (i * 37) % 200));
    const alone = read(13);
    read(200);
    expect(read(13)).toEqual(alone);
  });
});
