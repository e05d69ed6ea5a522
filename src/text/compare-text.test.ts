import { expect, it } from "vitest";
import { compareText } from "./compare-text.ts";

it("orders by code units, and says of equal texts that they are equal", () => {
  expect(["b", "", "é", "Z", "a", "10", "9"].sort(compareText)).toEqual(["", "10", "9", "Z", "a", "b", "é"]);
  expect([compareText("a", "a"), compareText("a", "b"), compareText("b", "a")]).toEqual([0, -1, 1]);
});
