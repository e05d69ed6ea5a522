import { describe, expect, it } from "vitest";
import type { Block } from "../../types.ts";
import { topicsOf } from "./example-questions.ts";

const topics = (...paragraphs: string[]) => {
  const text = paragraphs.join("\n\n");
  const blocks = paragraphs.map((paragraph): Block => {
    const start = text.indexOf(paragraph);
    return { type: "paragraph", start, end: start + paragraph.length, level: 0 } as Block;
  });
  return topicsOf(text, blocks);
};

describe("what sentences speak of", () => {
  it("is what stands before their verb, names of several words first", () => {
    expect(
      topics("Dinner is served at six. Life jackets are worn by everybody.", "The laundry room\nin the basement can be used."),
    ).toEqual(["life jackets", "the laundry room in the basement", "dinner"]);
    expect(topics("Each flat has two slots. Kings College is closed. NATO forms are grey.")).toEqual([
      "Kings College",
      "NATO forms",
      "flat",
    ]);
  });

  it("is a single word only where nothing else speaks of it", () => {
    expect(topics("Hives must stand apart. Swarms are caught. Frames of hives are burned.")).toEqual(["frames of hives", "swarms"]);
  });

  it("is nothing where a sentence points elsewhere, begins with a clause, or has no such verb", () => {
    for (const text of [
      "It is open.",
      "If a station is full, wait.",
      "Guests who do not come lose their bed.",
      "Nobody may enter.",
      "Membership costs 85 pounds.",
      "The trout, the perch and the pike are fished.",
      "The long and rather winding road to the top is closed.",
    ])
      expect(topics(text), text).toEqual([]);
  });
});
