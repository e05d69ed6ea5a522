import { expect, test } from "vitest";
import { didYouMean, nearestName } from "./nearest.ts";

const SHIPPED = ["book", "documents", "pharma", "retail", "veterans"];

test.each([
  ["retial", "retail"],
  ["Pharma", "pharma"],
  ["phrama", "pharma"],
  ["boko", "book"],
  ["document", "documents"],
])("%s is near %s", (word, meant) => {
  expect(nearestName(word, SHIPPED)).toBe(meant);
});

test.each(["cook book", "detail-shop", "karma", "back", "bank", "vet", "", "x", "🦉"])("%s is near none", (word) => {
  expect(nearestName(word, SHIPPED)).toBeNull();
  expect(didYouMean(word, SHIPPED)).toBe("");
});

test("of names equally near, the first", () => {
  expect(nearestName("cart", ["card", "care"])).toBe("card");
});

test("names nothing where there is nothing", () => {
  expect(nearestName("card", [])).toBeNull();
});
