import { describe, expect, it } from "vitest";
import { AUDIT_ACTIONS } from "../../src/store/audit.ts";
import { actionInWords, fitInWords, reasonsInWords } from "./review-words.ts";

describe("words of the review", () => {
  it("tells each reason once, without codes and counts, and leaves out what is no reason", () => {
    expect(reasonsInWords(["thumbs down", "2 conflicts", "1 warning", "3 warnings", "confidence 0.43"])).toEqual([
      ...["a reader said it is wrong", "sources disagree", "shown with a doubt"],
    ]);
    expect(reasonsInWords(["a new reason", "refused"])).toEqual(["a new reason", "not answered"]);
    expect(reasonsInWords(["confidence unknown"])).toEqual([]);
  });

  it("tells how well sources fit, of what was answered", () => {
    expect(fitInWords(0.43, "ok")).toBe("sources fit 43 of 100");
    expect(fitInWords(null, "ok")).toBeNull();
    expect(fitInWords(0.4, "insufficient_context")).toBeNull();
  });

  it("has words for everything that the log holds", () => {
    for (const action of AUDIT_ACTIONS) expect(actionInWords(action)).toMatch(/ /);
  });
});
