import { describe, expect, it } from "vitest";
import { goldenItem } from "../testing/golden-item.ts";
import { assertFigures, brokenBounds, figureNames, parseBound } from "./bounds.ts";
import { reportGolden } from "./golden-report.ts";
import { answerableSchema, unanswerableSchema } from "./read-golden-files.ts";

const set = {
  name: "manual",
  answerable: [answerableSchema.parse({ id: "a", question: "?", needs: "lookup" })],
  unanswerable: [unanswerableSchema.parse({ id: "u", question: "?", kind: "near_miss" })],
};

describe("figureNames", () => {
  it("knows before a run every figure that it will have", () => {
    const items = [goldenItem("a", { domain: "manual", needs: "lookup" }), goldenItem("u", { domain: "manual", kind: "near_miss" })];
    const ingested = { documents: 1, chunks: 1, ms: 1 };
    const measured = [{ name: "manual", items, latenciesMs: [1, 1], checksMs: [null, null], ingested }];
    const { metrics } = reportGolden(measured, { command: "", now: new Date(0) }).report;
    expect(figureNames([set])).toEqual(Object.keys(metrics));
  });
});

describe("assertFigures", () => {
  const names = figureNames([set]);
  const assert = (name: string, compared = false) => assertFigures([parseBound("under", `${name}=.5`)], { names, compared });

  it.each(["right.answerable", "manual.refused.near_miss", "needs.lookup.right", "live.faithfulness", "manual.live.anything"])(
    "lets %s pass",
    (name) => expect(() => assert(name)).not.toThrow(),
  );

  it("knows changes where an earlier report is given, and nothing else by guess", () => {
    expect(() => assert("right.answerable.change.low", true)).not.toThrow();
    expect(() => assert("right.answerable.change.low")).toThrow("There is no figure");
    expect(() => assert("nonsense.change", true)).toThrow("There is no figure");
    expect(() => assert("refused.nonsense")).toThrow("There is no figure");
    expect(brokenBounds([parseBound("under", "x.change=0")], { x: null })).toEqual([
      "x.change could not be scored; it must be at least .00",
    ]);
  });
});
