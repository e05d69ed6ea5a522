import { describe, expect, it } from "vitest";
import { exampleQuestions } from "./example-questions.ts";

const document = (title: string, ...headings: readonly (readonly [number, string])[]) => ({
  title,
  headings: headings.map(([level, text]) => ({ level, text })),
});

describe("questions to try", () => {
  it("are headings that ask, then headings of as many documents as there are", () => {
    const documents = [
      document("Hens", [1, "Hens"], [2, "Feed"], [2, "Runs"]),
      document("Bees", [2, "Swarms"], [2, "Where do hives stand?"]),
      document("Sheds", [2, "Size"]),
    ];
    expect(exampleQuestions(documents)).toEqual(["Where do hives stand?", "Hens: Feed?", "Sheds: Size?"]);
  });

  it("are three also of one document, of chapters at the first level, and of titles alone", () => {
    expect(exampleQuestions([document("Hens", [1, "hens "], [2, "Feed"], [2, "Runs"], [3, "Cocks"])])).toEqual([
      "Hens: Feed?",
      "Hens: Runs?",
      "Hens: Cocks?",
    ]);
    expect(exampleQuestions([document("On clay", [1, "Leeks"], [2, "Lime"], [1, " "]), document("Dogs", [1, "Dogs"])])).toEqual([
      "On clay: Lime?",
      "On clay: Leeks?",
      "What about Dogs?",
    ]);
  });

  it("are none of no documents", () => {
    expect(exampleQuestions([])).toEqual([]);
  });
});
