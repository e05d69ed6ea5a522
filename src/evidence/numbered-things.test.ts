import { describe, expect, it } from "vitest";
import { fakeEvidence, fakePassage } from "../testing/passages.ts";
import { otherNumbers } from "./named-things.ts";

const refused = (question: string, title: string, ...segments: readonly string[]) =>
  otherNumbers(question, [fakeEvidence(fakePassage({ title, segments }))]).map(({ message }) => message);

describe("otherNumbers", () => {
  it.each([
    ["What does version 5 say?", "Sewing machine, version 6", "It sews."],
    ["Who wrote the 4th edition?", "Atlas, sixth edition", "Written by Ann."],
    ["What is in cellar 9?", "Cellars", "Cellar 3 holds wine, cellar 4 holds oil."],
  ])("finds: %s beside %s", (question, title, text) => expect(refused(question, title, text)).toHaveLength(1));

  it.each([
    ["What does version 6 say?", "Sewing machine, version 6", "It sews."],
    ["What does version 5 say?", "Sewing machine", "It sews."],
    ["Who wrote the third edition?", "Atlas, edition 3", "Written by Ann."],
    ["What is in cellar 9?", "Cellars", "Cellars 8 to 12 hold wine. Cellar 3 holds oil."],
    ["What does a table for 9 cost?", "Tables", "A table for 4 costs 10 crowns."],
    ["How old must one be at 17?", "Ages", "At 16 one may join."],
    ["What is the first room?", "Rooms", "Room 14 is blue."],
    ["", "", ""],
  ])("finds none: %s beside %s, %s", (question, title, text) => expect(refused(question, title, text)).toEqual([]));

  it("names the number that was found and the one that was asked for", () => {
    expect(refused("Is version 5 free?", "Game, version 6")).toEqual([
      "The passages found are about version 6, not about version 5, so nothing was answered.",
    ]);
  });
});
