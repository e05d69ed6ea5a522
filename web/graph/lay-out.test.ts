import { describe, expect, it } from "vitest";
import { DRAWING, layOut } from "./lay-out.ts";

const node = (i: number) => ({ id: `n${i}`, type: "question" as const, label: `${i}`, degree: i % 9, refers_to: null });

describe("layOut", () => {
  const nodes = Array.from({ length: 120 }, (_, i) => node(i));
  const links = nodes.slice(1).map((_, i): [number, number] => [i % 7, i + 1]);

  it("keeps every node inside, and looks the same each time", () => {
    const points = layOut({ nodes, links });
    expect(points).toEqual(layOut({ nodes, links }));
    for (const { x, y, radius } of points) {
      expect(x - radius).toBeGreaterThanOrEqual(0);
      expect(x + radius).toBeLessThanOrEqual(DRAWING.width);
      expect(y - radius).toBeGreaterThanOrEqual(0);
      expect(y + radius).toBeLessThanOrEqual(DRAWING.height);
    }
  });

  it("puts next to no node upon another", () => {
    const points = layOut({ nodes, links });
    const covered = points.filter((one, i) =>
      points.slice(i + 1).some((other) => Math.hypot(one.x - other.x, one.y - other.y) < Math.max(one.radius, other.radius)),
    );
    expect(covered.length).toBeLessThanOrEqual(2);
  });

  it("lays out nothing, and a node alone", () => {
    expect(layOut({ nodes: [], links: [] })).toEqual([]);
    expect(layOut({ nodes: [node(1)], links: [] })).toHaveLength(1);
  });
});
