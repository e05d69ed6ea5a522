import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import type { WireGraph } from "../../src/client/index.ts";

/** The visible part of the drawing. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Label {
  /** Index of its node. */
  readonly node: number;
  readonly text: string;
  /** Horizontal centre and baseline. */
  readonly x: number;
  readonly y: number;
}

interface LabelOptions {
  readonly view: View;
  /** Font size in drawing units. */
  readonly size: number;
  /** Maximum number of labels and of characters per label. */
  readonly most: number;
  readonly characters: number;
}

/** Average width of a letter as a share of the font size. */
const LETTER = 0.58;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Labels the first nodes, above, below, right or left of each, without overlap and inside the view; omits labels that do not fit. */
export function placeLabels(points: readonly Point[], names: readonly string[], options: LabelOptions): Label[] {
  const { view, size, most, characters } = options;
  const labels: Label[] = [];
  const taken: Box[] = [];
  for (const [node, point] of points.entries()) {
    if (labels.length === most) break;
    const name = names[node] ?? "";
    const text = name.length > characters ? `${name.slice(0, characters).trimEnd()}…` : name;
    const width = text.length * LETTER * size;
    const found = placesOf(point, width, size)
      .map((place) => ({ ...place, box: boxOf(place, width, size) }))
      .find(({ box }) => isInside(box, view) && !taken.some((other) => meet(box, other)));
    if (found === undefined || text === "") continue;
    taken.push(found.box);
    labels.push({ node, text, x: found.x, y: found.y });
  }
  return labels;
}

type Place = Pick<Label, "x" | "y">;

function placesOf({ x, y, radius }: Point, width: number, size: number): Place[] {
  const gap = radius + size * 0.25;
  const beside = gap + width / 2;
  const level = y + size * 0.35;
  return [
    { x, y: y - gap },
    { x, y: y + gap + size * 0.8 },
    { x: x + beside, y: level },
    { x: x - beside, y: level },
    { x: x + width / 2, y: y - gap },
    { x: x - width / 2, y: y - gap },
    { x: x + width / 2, y: y + gap + size * 0.8 },
    { x: x - width / 2, y: y + gap + size * 0.8 },
  ];
}

function boxOf({ x, y }: Place, width: number, size: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - size * 0.9, bottom: y + size * 0.3 };
}

function isInside({ left, right, top, bottom }: Box, { x, y, width, height }: View): boolean {
  return left >= x && right <= x + width && top >= y && bottom <= y + height;
}

function meet(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Size of the drawing, in its own units. */
export const DRAWING = { width: 900, height: 640 } as const;

/** Share of the drawing's area to spread the nodes over. */
const SPREAD = 0.55;
/** Simulation steps until the layout is stable. */
const STEPS = 220;
const LEAST_RADIUS = 4;
const MOST_RADIUS = 15;

/** Lays out a graph: linked nodes near each other, no overlap. The same graph always gets the same layout. */
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
