import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { WireGraph } from "../../src/client/index.ts";

export type NodeType = WireGraph["nodes"][number]["type"];

/** Types of nodes with their names. */
export const NODE_TYPES: readonly { readonly type: NodeType; readonly one: string; readonly many: string }[] = [
  { type: "topic", one: "topic", many: "topics" },
  { type: "entity", one: "entity", many: "entities" },
  { type: "source", one: "source", many: "sources" },
  { type: "question", one: "question", many: "questions" },
];

/** Corners of each shape relative to its centre, as multiples of the radius. The shapes have about the same area as a circle. */
const CORNERS: Readonly<Record<Exclude<NodeType, "topic">, readonly (readonly [number, number])[]>> = {
  entity: [
    [-0.88, -0.88],
    [0.88, -0.88],
    [0.88, 0.88],
    [-0.88, 0.88],
  ],
  source: [
    [0, -1.35],
    [1.17, 0.67],
    [-1.17, 0.67],
  ],
  question: [
    [0, -1.25],
    [1.25, 0],
    [0, 1.25],
    [-1.25, 0],
  ],
};

/** Returns the SVG path of a node. Each type has its own shape, so that colour is not the only difference. */
function shapeOf(type: NodeType, { x, y, radius: r }: Point): string {
  if (type === "topic") return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  return `M${CORNERS[type].map(([right, down]) => `${x + right * r} ${y + down * r}`).join("L")}Z`;
}

/** Shows the shape of a node type, for the legend. */
export function NodeKey({ type }: { readonly type: NodeType }) {
  return (
    <svg className={`node-key is-${type}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapeOf(type, { x: 8, y: 8, radius: 5.5 })} />
    </svg>
  );
}

interface GraphDrawingProps {
  readonly graph: WireGraph;
  readonly around: string | null;
  readonly onChoose: (id: string) => void;
}

/** Font size of labels in drawing units, their maximum number and maximum length. A narrow screen has fewer, shorter and larger labels. */
const LABELS = { wide: { size: 13, most: 24, characters: 26 }, narrow: { size: 27, most: 12, characters: 16 } } as const;
const NARROW = "(max-width: 48rem)";
/** Minimum size of the visible part in drawing units. */
const LEAST_VIEW = { width: 420, height: 300 } as const;
const MARGIN = { x: 110, y: 40 } as const;

/**
 * Draws the graph. It is hidden from screen readers, because the list beside it has the same nodes and works with the
 * keyboard.
 */
export function GraphDrawing({ graph, around, onChoose }: GraphDrawingProps) {
  const points = useMemo(() => layOut(graph), [graph]);
  const { nodes, links } = graph;
  const view = viewOf(points);
  const form = useMedia(NARROW) ? "narrow" : "wide";
  const names = nodes.map(({ label }) => label);
  return (
    <svg className="graph-drawing" viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`} aria-hidden="true">
      {links.map(([from, to]) => {
        const [a, b] = [points[from], points[to]];
        return a === undefined || b === undefined ? null : <line key={`${from} ${to}`} x1={a.x} y1={a.y} x2={b.x} y2={b.y} />;
      })}
      {nodes.map(({ id, type, label }, i) => {
        const point = points[i];
        if (point === undefined) return null;
        return (
          <g key={id} className={`node is-${type}${id === around ? " is-chosen" : ""}`} onPointerDown={() => onChoose(id)}>
            <title>{label}</title>
            <circle cx={point.x} cy={point.y} r={point.radius + 3} />
            <path d={shapeOf(type, point)} />
          </g>
        );
      })}
      {placeLabels(points, names, { view, ...LABELS[form] }).map(({ node, text, x, y }) => (
        <text key={node} x={x} y={y} textAnchor="middle" style={{ fontSize: LABELS[form].size }}>
          {text}
        </text>
      ))}
    </svg>
  );
}

/** Returns the visible part of the drawing. It contains all nodes and their labels. A small graph is enlarged. */
function viewOf(points: readonly Point[]): View {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const width = Math.min(DRAWING.width, Math.max(LEAST_VIEW.width, spread(xs) + 2 * MARGIN.x));
  const height = Math.min(DRAWING.height, Math.max(LEAST_VIEW.height, spread(ys) + 2 * MARGIN.y, (width * DRAWING.height) / DRAWING.width));
  const from = (at: readonly number[], size: number, whole: number) =>
    Math.round(Math.min(whole - size, Math.max(0, (Math.min(...at) + Math.max(...at) - size) / 2)));
  if (points.length === 0) return { x: 0, y: 0, ...DRAWING };
  return { x: from(xs, width, DRAWING.width), y: from(ys, height, DRAWING.height), width: Math.round(width), height: Math.round(height) };
}

function spread(at: readonly number[]): number {
  return at.length === 0 ? 0 : Math.max(...at) - Math.min(...at);
}

/** Returns whether a media query matches. Renders again when the result changes. */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** The visible part of the drawing, in drawing units. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Label {
  /** Index of the node to which the label belongs. */
  readonly node: number;
  readonly text: string;
  /** Horizontal centre and baseline of the text. */
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

/**
 * Places labels in the order of the nodes: above, below, right or left of each node, inside the view and without overlap. A
 * label without room is left out.
 */
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

interface Point {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Size of the drawing in drawing units, which are independent of pixels. */
export const DRAWING = { width: 900, height: 640 } as const;

/** Share of the drawing's area over which the nodes are distributed. */
const SPREAD = 0.55;
/** Number of simulation steps. Further steps would hardly change the layout. */
const STEPS = 220;
const LEAST_RADIUS = 4;
const MOST_RADIUS = 15;

/** Computes positions by simulated forces: links attract, nodes repel each other. The same graph always has the same layout. */
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
