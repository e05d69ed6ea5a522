import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { WireGraph } from "../../src/client/index.ts";
import { DRAWING, layOut, type Point, placeLabels, type View } from "./lay-out.ts";

export type NodeType = WireGraph["nodes"][number]["type"];

/** Node types with their names in singular and plural. */
export const NODE_TYPES: readonly { readonly type: NodeType; readonly one: string; readonly many: string }[] = [
  { type: "topic", one: "topic", many: "topics" },
  { type: "entity", one: "entity", many: "entities" },
  { type: "source", one: "source", many: "sources" },
  { type: "question", one: "question", many: "questions" },
];

/** Corners of each shape relative to its centre, in radii, with about the area of a disc. Topics are discs. */
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

/** Returns the SVG path of a node: types differ in shape, not only in colour. */
export function shapeOf(type: NodeType, { x, y, radius: r }: Point): string {
  if (type === "topic") return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  return `M${CORNERS[type].map(([right, down]) => `${x + right * r} ${y + down * r}`).join("L")}Z`;
}

/** The shape of a node type, as a legend for its name. */
export function NodeKey({ type }: { readonly type: NodeType }) {
  return (
    <svg className={`node-key is-${type}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapeOf(type, { x: 8, y: 8, radius: 5.5 })} />
    </svg>
  );
}

export interface GraphDrawingProps {
  readonly graph: WireGraph;
  readonly around: string | null;
  readonly onChoose: (id: string) => void;
}

/** Label settings: a narrow drawing has room for fewer and shorter labels. */
const LABELS = { wide: { size: 13, most: 24, characters: 26 }, narrow: { size: 27, most: 12, characters: 16 } } as const;
const NARROW = "(max-width: 48rem)";
/** Minimum size of the visible part and the margin around the outermost nodes, in drawing units. */
const LEAST_VIEW = { width: 420, height: 300 } as const;
const MARGIN = { x: 110, y: 40 } as const;

/** Draws the graph. Hidden from assistive technology: the list next to it has the same nodes and supports the keyboard. */
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

/** Returns the visible part: the nodes with room for their labels, so that small graphs appear large. */
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

/** Returns whether a media query matches, and updates on changes. */
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
