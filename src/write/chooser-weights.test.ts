import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scoreOf } from "../models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { readChooserWeights } from "./chooser-weights.ts";

interface ParityRow {
  readonly values: readonly (number | null)[];
  readonly logit: number;
}

const rows = JSON.parse(readFileSync(join(PACKAGE_ROOT, "lab/train/chooser/parity.json"), "utf8")) as ParityRow[];

it("the trees that choose score as the training did", () => {
  const { choice } = readChooserWeights();
  expect(rows.length).toBeGreaterThan(30);
  for (const { values, logit } of rows) expect(scoreOf(values, choice)).toBeCloseTo(logit, 3);
});
