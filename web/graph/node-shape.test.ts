import { describe, expect, it } from "vitest";
import { shapeOf } from "./node-shape.tsx";
import { NODE_TYPES } from "./node-types.ts";

describe("shapes of nodes", () => {
  it("are another one for every kind, so that colour alone tells nothing", () => {
    const shapes = NODE_TYPES.map(({ type }) => shapeOf(type, { x: 10, y: 10, radius: 6 }));
    expect(new Set(shapes).size).toBe(NODE_TYPES.length);
  });
});
