import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { useMemo, useSyncExternalStore } from "react";
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
const CORNERS = {
  entity: { right: [-0.88, 0.88, 0.88, -0.88], down: [-0.88, -0.88, 0.88, 0.88] },
  source: { right: [0, 1.17, -1.17], down: [-1.35, 0.67, 0.67] },
  question: { right: [0, 1.25, 0, -1.25], down: [-1.25, 0, 1.25, 0] },
} as const;

/** Returns the SVG path of a node. Each type has its own shape, so that colour is not the only difference. */
function shapeOf(type: NodeType, { x, y, radius: r }: Point): string {
  if (type === "topic") return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  const { right, down } = CORNERS[type];
  return `M${right.map((at, i) => `${x + at * r} ${y + (down[i] ?? 0) * r}`).join("L")}Z`;
}

/** Shows the shape of a node type, for the legend. */
export function NodeKey({ type }: { readonly type: NodeType }) {
  return (
    <svg className={`node-key is-${type}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapeOf(type, { x: 8, y: 8, radius: 5.5 })} />
    </svg>
  );
}

type GraphDrawingProps = Readonly<{ graph: WireGraph; around: string | null; onChoose: (id: string) => void }>;

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
  const form = useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches) ? "narrow" : "wide";
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

function subscribe(onChange: () => void): () => void {
  const list = window.matchMedia(NARROW);
  list.addEventListener("change", onChange);
  return () => list.removeEventListener("change", onChange);
}

/** The visible part of the drawing, in drawing units. */
type View = Readonly<Record<"x" | "y" | "width" | "height", number>>;

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

/**
 * Places labels in the order of the nodes: above, below, right or left of each node, inside the view and without overlap. A
 * label without room is left out. `node` is the index of the node; `x` and `y` are the centre and the baseline of the text.
 */
export function placeLabels(points: readonly Point[], names: readonly string[], options: LabelOptions) {
  const { view, size, most, characters } = options;
  const labels: { node: number; text: string; x: number; y: number; width: number }[] = [];
  // All labels have the same height, so two overlap if their baselines are closer than that.
  const overlaps = (a: Place, b: Place) => Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < size * 1.2;
  const isInside = ({ x, y, width }: Place) =>
    Math.abs(x - view.x - view.width / 2) <= (view.width - width) / 2 && y - size * 0.9 >= view.y && y + size * 0.3 <= view.y + view.height;
  for (const [node, point] of points.entries()) {
    if (labels.length === most) break;
    const name = names[node] ?? "";
    const text = name.length > characters ? `${name.slice(0, characters).trimEnd()}…` : name;
    const found = placesOf(point, text.length * LETTER * size, size).find(
      (place) => isInside(place) && !labels.some((other) => overlaps(place, other)),
    );
    if (found !== undefined && text !== "") labels.push({ node, text, ...found });
  }
  return labels;
}

type Place = Readonly<Record<"x" | "y" | "width", number>>;

function placesOf({ x, y, radius }: Point, width: number, size: number): Place[] {
  const gap = radius + size * 0.25;
  const [above, below, level] = [y - gap, y + gap + size * 0.8, y + size * 0.35];
  const beside = [x + gap + width / 2, x - gap - width / 2].map((centre) => ({ x: centre, y: level, width }));
  const at = (centre: number) => [above, below].map((baseline) => ({ x: centre, y: baseline, width }));
  return [...at(x), ...beside, ...at(x + width / 2), ...at(x - width / 2)];
}

type Point = Readonly<Record<"x" | "y" | "radius", number>>;

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
