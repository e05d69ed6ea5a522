import { describe, expect, it } from "vitest";
import { NODE_TYPES, shapeOf } from "./graph-drawing.tsx";

describe("shapes of nodes", () => {
  it("are another one for every kind, so that colour alone tells nothing", () => {
    const shapes = NODE_TYPES.map(({ type }) => shapeOf(type, { x: 10, y: 10, radius: 6 }));
    expect(new Set(shapes).size).toBe(NODE_TYPES.length);
  });
});
