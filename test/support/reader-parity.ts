import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import type { PairReading } from "../../src/cross-encoder/reader.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";

const FOLDER = join(PACKAGE_ROOT, "src", "cross-encoder", "parity");
/** Small weights for tests: one or two layers, loaded quickly. */
export const TINY_WEIGHTS = join(FOLDER, "tiny.bin");

const caseSchema = z.strictObject({
  ids: z.array(z.int()),
  /** The first numbers of the vector. */
  vector: z.array(z.number()).min(8),
  /** Outputs of the heads for the whole vector. */
  answer: z.tuple([z.number()]),
  same: z.tuple([z.number()]),
  claim: z.tuple([z.number(), z.number(), z.number()]),
});
const paritySchema = z.strictObject({ weights: z.string(), cases: z.array(caseSchema) });

/** Tolerance for the vector, compared with torch in float32 on the same weights (lab/train/reader/export.py). */
const LARGEST_DIFFERENCE = 1e-3;
/** Tolerance for log odds and log probabilities, which the heads scale up. */
const LARGEST_OF_ODDS = 0.02;

/** Compares an implementation of the cross-encoder with torch's stored outputs, on every `every`-th stored case. */
export async function expectParity(
  path: string,
  { hash, run, every }: { hash: string; run: (ids: Int32Array) => PairReading | Promise<PairReading>; every: number },
): Promise<void> {
  const stored = join(FOLDER, basename(path).replace(/\.bin$/, ".parity.json"));
  const { weights, cases } = paritySchema.parse(JSON.parse(readFileSync(stored, "utf8")));
  expect(hash).toBe(weights);
  expect(cases.length).toBeGreaterThanOrEqual(40);
  for (const { ids, vector, answer, same, claim } of cases.filter((_, i) => i % every === 0)) {
    const read = await run(Int32Array.from(ids));
    const { supported, contradicted, notFound } = read.claim;
    const outputs = [read.answer, read.same, supported, contradicted, notFound];
    for (const [k, odds] of [...answer, ...same, ...claim].entries())
      expect(Math.abs((outputs[k] ?? Number.NaN) - odds)).toBeLessThan(LARGEST_OF_ODDS);
    for (const [k, number] of vector.entries()) expect(Math.abs((read.vector[k] ?? Number.NaN) - number)).toBeLessThan(LARGEST_DIFFERENCE);
  }
}
