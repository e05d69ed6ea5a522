import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectParity, TINY_WEIGHTS } from "../../test/support/reader-parity.ts";
import { rounds } from "../../test/support/trials.ts";
import { SHIPPED_WEIGHTS } from "./create-reader.ts";
import { createForward } from "./forward.ts";
import { loadReaderWeights } from "./weights.ts";

const files = { "weights of tests": TINY_WEIGHTS, "weights that ship": SHIPPED_WEIGHTS };

for (const [name, path] of Object.entries(files)) {
  describe.skipIf(!existsSync(path))(`the forward pass with the ${name}`, () => {
    for (const [kernel, every] of [
      ["wasm", name === "weights of tests" ? 1 : rounds({ all: 1, usually: 5 })],
      ["scalar", name === "weights of tests" ? 20 : 100],
    ] as const) {
      it(`gives what torch gives on stored cases, ${kernel} form`, async () => {
        const weights = loadReaderWeights(path, { threads: 1, kernel });
        await expectParity(path, { hash: weights.hash, run: createForward(weights, 0).run, every });
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
