import { describe, expect, it } from "vitest";
import { DRAWING, layOut, placeLabels } from "./graph-drawing.tsx";

const node = (i: number) => ({ id: `n${i}`, type: "question" as const, label: `${i}`, degree: i % 9, refers_to: null });

const nodes = Array.from({ length: 120 }, (_, i) => node(i));
const links = nodes.slice(1).map((_, i): [number, number] => [i % 7, i + 1]);

describe("layOut", () => {
  it("keeps every node inside, in the same place each time", () => {
    const points = layOut({ nodes, links });
    expect(points).toEqual(layOut({ nodes, links }));
    for (const { x, y, radius } of points) {
      expect(x - radius).toBeGreaterThanOrEqual(0);
      expect(x + radius).toBeLessThanOrEqual(DRAWING.width);
      expect(y - radius).toBeGreaterThanOrEqual(0);
      expect(y + radius).toBeLessThanOrEqual(DRAWING.height);
    }
  });

  it("does not put nodes on top of each other", () => {
    const points = layOut({ nodes, links });
    const covered = points.filter((one, i) =>
      points.slice(i + 1).some((other) => Math.hypot(one.x - other.x, one.y - other.y) < Math.max(one.radius, other.radius)),
    );
    expect(covered.length).toBeLessThanOrEqual(2);
  });

  it("accepts no node, and a single one", () => {
    expect(layOut({ nodes: [], links: [] })).toEqual([]);
    expect(layOut({ nodes: [node(1)], links: [] })).toHaveLength(1);
  });
});

const VIEW = { x: 0, y: 0, ...DRAWING };
const points = layOut({ nodes: nodes.slice(0, 80), links: links.slice(0, 79) });
const names = points.map((_, i) => `How long does number ${i} take to be decided?`);

describe("placeLabels", () => {
  it.each([
    ["a desk", { size: 13, most: 24, characters: 26 }],
    ["a phone", { size: 27, most: 12, characters: 14 }],
  ])("keeps labels apart and inside the drawing, on %s", (_, options) => {
    const labels = placeLabels(points, names, { view: VIEW, ...options });
    expect(labels.length).toBeGreaterThan(options.most / 2);
    expect(labels.length).toBeLessThanOrEqual(options.most);
    const { size } = options;
    const boxes = labels.map(({ x, y, text }) => ({ x, y, half: (text.length * size * 0.5) / 2 }));
    for (const [i, one] of boxes.entries()) {
      expect(one.x - one.half).toBeGreaterThanOrEqual(0);
      expect(one.x + one.half).toBeLessThanOrEqual(DRAWING.width);
      for (const other of boxes.slice(i + 1))
        expect(Math.abs(one.x - other.x) >= one.half + other.half || Math.abs(one.y - other.y) >= size).toBe(true);
    }
  });

  it("shortens long names, skips labels without room, and labels nothing in an empty drawing", () => {
    const alone = [{ x: 450, y: 320, radius: 5 }];
    expect(placeLabels(alone, ["A very long name indeed"], { view: VIEW, size: 13, most: 5, characters: 6 })[0]?.text).toBe("A very…");
    const small = { x: 445, y: 315, width: 10, height: 10 };
    expect(placeLabels(alone, ["Name"], { view: small, size: 13, most: 5, characters: 20 })).toEqual([]);
    expect(placeLabels([], [], { view: VIEW, size: 13, most: 5, characters: 20 })).toEqual([]);
  });
});
