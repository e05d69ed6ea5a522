import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import type { PairReading } from "../../src/cross-encoder/reader.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";

const FOLDER = join(PACKAGE_ROOT, "src", "cross-encoder", "parity");
/** Weights of tests: one layer or two, read in a moment. */
export const TINY_WEIGHTS = join(FOLDER, "tiny.bin");

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

/** Whatever runs the weights in that file gives what torch gives, on one of `every` stored cases. */
export async function expectParity(
  path: string,
  { hash, run, every }: { hash: string; run: (ids: Int32Array) => PairReading | Promise<PairReading>; every: number },
): Promise<void> {
  const stored = join(FOLDER, basename(path).replace(/\.bin$/, ".parity.json"));
  const { weights, cases } = paritySchema.parse(JSON.parse(readFileSync(stored, "utf8")));
  expect(hash).toBe(weights);
  expect(cases).toHaveLength(200);
  for (const { ids, vector, answer, same, claim } of cases.filter((_, i) => i % every === 0)) {
    const read = await run(Int32Array.from(ids));
    const { supported, contradicted, notFound } = read.claim;
    const outputs = [read.answer, read.same, supported, contradicted, notFound];
    for (const [k, odds] of [...answer, ...same, ...claim].entries())
      expect(Math.abs((outputs[k] ?? Number.NaN) - odds)).toBeLessThan(LARGEST_OF_ODDS);
    for (const [k, number] of vector.entries()) expect(Math.abs((read.vector[k] ?? Number.NaN) - number)).toBeLessThan(LARGEST_DIFFERENCE);
  }
}
