import { expect, test } from "vitest";
import { loadEmbeddedEncoder } from "../../models/embedded-encoder.ts";
import { similarWords } from "./similar-words.ts";

const encoder = loadEmbeddedEncoder();
const repeated = (text: string) => ({ text: `${text} `.repeat(3) });

test("proposes mutual nearest neighbours once, but not forms of one word", () => {
  const documents = [repeated("The kidney filters. The renal ward opens. A boat sails. Moorings are mooring fees. Headache or migraine.")];
  const pairs = similarWords(documents, encoder).map((pair) => [...pair].sort().join(" "));
  expect(pairs).toContain("kidney renal");
  expect(pairs).toContain("headache migraine");
  expect(new Set(pairs).size).toBe(pairs.length);
  expect(pairs.join(" ")).not.toContain("mooring moorings");
});

test("proposes nothing from rare words, from one word, or from nothing", () => {
  expect(similarWords([{ text: "A kidney. A renal ward." }], encoder)).toEqual([]);
  expect(similarWords([repeated("kidney")], encoder)).toEqual([]);
  expect(similarWords([], encoder)).toEqual([]);
});
