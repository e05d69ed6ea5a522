import { describe, expect, it } from "vitest";
import { circlesOf, stepsFrom } from "./import-graph.ts";

const file = (path: string, ...imports: string[]) => ({ path, imports });

describe("circlesOf", () => {
  it("finds each circle once, with all that is in it", () => {
    const files = [file("a", "b"), file("b", "c", "outside"), file("c", "a"), file("d", "d2"), file("d2", "d"), file("e", "a")];
    expect(circlesOf(files)).toEqual([
      ["a", "b", "c"],
      ["d", "d2"],
    ]);
    expect(circlesOf([file("a", "b"), file("b")])).toEqual([]);
  });
});

describe("stepsFrom", () => {
  it("follows imports into files that are visited, by the shortest way, and leaves out what none leads to", () => {
    const files = [file("a", "b", "c"), file("b", "d"), file("c", "e"), file("d", "e"), file("e"), file("far")];
    const steps = stepsFrom("a", files, new Set(["b", "c", "d", "e", "far"]));
    expect([...steps]).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 1],
      ["d", 2],
      ["e", 2],
    ]);
    expect([...stepsFrom("a", files, new Set(["b"]))]).toEqual([
      ["a", 0],
      ["b", 1],
    ]);
  });
});
