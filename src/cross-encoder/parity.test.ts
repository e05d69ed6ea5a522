import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectParity, TINY_WEIGHTS } from "../../test/support/reader-parity.ts";
import { rounds } from "../../test/support/trials.ts";
import { SHIPPED_WEIGHTS, weightsFile } from "./create-reader.ts";
import { createForward } from "./forward.ts";
import { loadReaderWeights } from "./weights.ts";

const files = { "weights of tests": TINY_WEIGHTS, "weights that ship": SHIPPED_WEIGHTS };

for (const [name, path] of Object.entries(files)) {
  describe.skipIf(!existsSync(path))(`the forward pass with the ${name}`, () => {
    it("equals torch on stored cases", async () => {
      const weights = loadReaderWeights(path, 1);
      const every = name === "weights of tests" ? 1 : rounds({ all: 1, usually: 5 });
      await expectParity(path, { hash: weights.hash, run: createForward(weights, 0).run, every });
    });
  });
}

describe.each(["questions", "claims"] as const)("the adapter for %s", (adapter) => {
  it("equals torch with merged matrices", async () => {
    const path = weightsFile(adapter);
    const weights = loadReaderWeights(SHIPPED_WEIGHTS, 1, path);
    await expectParity(path, { hash: weights.hash, run: createForward(weights, 0).run, every: rounds({ all: 1, usually: 4 }) });
  });
});

it("returns the same result for a sequence after any others", () => {
  const forward = createForward(loadReaderWeights(TINY_WEIGHTS, 1), 0);
  const read = (length: number) => forward.run(Int32Array.from({ length }, (_, i) => (i * 37) % 200));
  const alone = read(13);
  read(200);
  expect(read(13)).toEqual(alone);
});
