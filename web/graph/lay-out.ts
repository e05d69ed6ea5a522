import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import type { WireGraph } from "../../src/client/index.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Width and height of the drawing, in its own units. */
export const DRAWING = { width: 900, height: 640 } as const;

/** Share of the drawing that nodes spread over. */
const SPREAD = 0.55;
/** Steps until nodes stand still. */
const STEPS = 220;
const LEAST_RADIUS = 4;
const MOST_RADIUS = 15;

/** Where nodes stand: joined ones near each other, none upon another. The same graph always looks the same. */
export function layOut({ nodes, links }: Pick<WireGraph, "nodes" | "links">): Point[] {
  const radii = nodes.map(({ degree }) => Math.min(MOST_RADIUS, LEAST_RADIUS + Math.sqrt(degree)));
  const placed = nodes.map((): SimulationNodeDatum => ({}));
  const { width, height } = DRAWING;
  const apart = Math.sqrt((SPREAD * width * height) / Math.max(1, nodes.length));
  forceSimulation(placed)
    .force(
      "link",
      forceLink(links.map(([source, target]) => ({ source, target })))
        .distance(Math.min(220, apart))
        .strength(0.25),
    )
    .force(
      "apart",
      forceManyBody()
        .strength(-2.2 * apart)
        .distanceMax(3 * apart),
    )
    .force(
      "room",
      forceCollide((_, i) => (radii[i] ?? LEAST_RADIUS) + 5),
    )
    .force("x", forceX(width / 2).strength(0.05))
    .force("y", forceY(height / 2).strength(0.08))
    .stop()
    .tick(STEPS);
  return placed.map(({ x = width / 2, y = height / 2 }, i) => {
    const radius = radii[i] ?? LEAST_RADIUS;
    const within = (at: number, most: number) => Math.min(most - radius - 2, Math.max(radius + 2, at));
    return { x: within(x, width), y: within(y, height), radius };
  });
}
