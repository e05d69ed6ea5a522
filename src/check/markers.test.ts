import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { parseMarkers } from "./markers.ts";

describe("parseMarkers", () => {
  it.each([
    ["[1]", "Ten percent [1].", "Ten percent.", [1]],
    ["several", "Ten percent [1][3].", "Ten percent.", [1, 3]],
    ["a list", "Ten percent [1, 3 and 4].", "Ten percent.", [1, 3, 4]],
    ["a range", "Ten percent [2-4].", "Ten percent.", [2, 3, 4]],
    ["[Source 1]", "Ten percent [Source 2].", "Ten percent.", [2]],
    ["superscripts", "Ten percent.¹²", "Ten percent.", [12]],
    ["powers and marks behind a digit as text", "From −(2⁷) to 10⁻³, at most 10⁶ cells¹.", "From −(2⁷) to 10⁻³, at most 10⁶ cells.", [1]],
    ["superscript past 19", "Ten percent.²⁷", "Ten percent.", [27]],
    ["footnotes", "Ten percent.[^1]", "Ten percent.", [1]],
    ["lenticular brackets", "Ten percent【1】.", "Ten percent.", [1]],
    ["Arabic-Indic digits", "Ten percent [١].", "Ten percent.", [1]],
    ["Devanagari digits", "Ten percent [१२].", "Ten percent.", [12]],
    ["full-width digits", "Ten percent [３].", "Ten percent.", [3]],
    ["a repeated number once", "Ten [1] percent [1].", "Ten percent.", [1]],
    ["a very wide range as its ends", "All [1-999].", "All.", [1, 999]],
  ])("reads %s", (_what, sentence, text, numbers) => {
    expect(parseMarkers(sentence)).toEqual({ text, numbers });
  });

  it("leaves brackets that are no citation", () => {
    expect(parseMarkers("The form [see page two] is needed.")).toEqual({ text: "The form [see page two] is needed.", numbers: [] });
  });

  it.each(["[", "[1", "[1,", "¹", "[1-", " [", "【"])("takes linear time on %j over and over", (piece) =>
    expectLinearTime(50_000, (n) => piece.repeat(n), parseMarkers),
  );
});
