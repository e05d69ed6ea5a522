import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { readChooserWeights } from "../write/chooser-weights.ts";
import { FIT_FROM, fitOf } from "./fit.ts";

describe("how well sources fit", () => {
  it("goes by the threshold that ships: whoever trains anew measures anew", () => {
    expect(FIT_FROM.partly).toBe(readChooserWeights().threshold.minimum);
    expect(sourcebound.gate.type).toBe("sufficiency");
  });

  it("is said of the learned chance alone", () => {
    expect([0.66, 0.65, 0.64, 0.56, 0.55].map((chance) => fitOf(chance, sourcebound.name))).toEqual([
      "well",
      "well",
      "partly",
      "partly",
      "loosely",
    ]);
    expect(fitOf(0.9, "seven-layer")).toBeNull();
  });
});
