import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scoreOf } from "../models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { readChooserWeights } from "./chooser-weights.ts";

interface ParityRow {
  readonly values: readonly (number | null)[];
  readonly logit: number;
}

const rows = JSON.parse(readFileSync(join(PACKAGE_ROOT, "lab/train/chooser/parity.json"), "utf8")) as Record<
  "choice" | "read_answer",
  ParityRow[]
>;

describe("the chooser's weights", () => {
  const weights = readChooserWeights();

  for (const name of ["choice", "read_answer"] as const) {
    it(`score as the training did: ${name}`, () => {
      expect(rows[name].length).toBeGreaterThan(30);
      for (const { values, logit } of rows[name]) expect(scoreOf(values, weights[name])).toBeCloseTo(logit, 3);
    });
  }
});
