import { useMemo } from "react";
import type { WireGraph } from "../../src/client/index.ts";
import { DRAWING, layOut, type Point } from "./lay-out.ts";

export interface GraphDrawingProps {
  readonly graph: WireGraph;
  readonly around: string | null;
  readonly onChoose: (id: string) => void;
}

/** Labels that are written beside nodes: more would cover one another. */
const LABELLED = 18;
const LABEL_CHARACTERS = 26;
/** Units of the drawing that are shown at least, and around the outermost nodes. */
const LEAST_VIEW = { width: 420, height: 300 } as const;
const MARGIN = { x: 110, y: 40 } as const;

/** The graph as a picture. The list beside it says the same in words, and is what the keyboard walks. */
export function GraphDrawing({ graph, around, onChoose }: GraphDrawingProps) {
  const points = useMemo(() => layOut(graph), [graph]);
  const { nodes, links } = graph;
  return (
    <svg className="graph-drawing" viewBox={viewOf(points)} aria-hidden="true">
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
            <circle cx={point.x} cy={point.y} r={point.radius} />
            {i < LABELLED ? (
              <text x={point.x} y={point.y - point.radius - 3} textAnchor={anchorOf(point.x)}>
                {label.length > LABEL_CHARACTERS ? `${label.slice(0, LABEL_CHARACTERS)}…` : label}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}

/** The part of the drawing in which nodes stand, with room for their labels: few nodes are shown large. */
function viewOf(points: readonly Point[]): string {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const width = Math.min(DRAWING.width, Math.max(LEAST_VIEW.width, spread(xs) + 2 * MARGIN.x));
  const height = Math.min(DRAWING.height, Math.max(LEAST_VIEW.height, spread(ys) + 2 * MARGIN.y, (width * DRAWING.height) / DRAWING.width));
  const from = (at: readonly number[], size: number, whole: number) =>
    Math.min(whole - size, Math.max(0, (Math.min(...at) + Math.max(...at) - size) / 2));
  return points.length === 0
    ? `0 0 ${DRAWING.width} ${DRAWING.height}`
    : [from(xs, width, DRAWING.width), from(ys, height, DRAWING.height), width, height].map(Math.round).join(" ");
}

function spread(at: readonly number[]): number {
  return at.length === 0 ? 0 : Math.max(...at) - Math.min(...at);
}

/** Text at the border grows inwards. */
function anchorOf(x: number): "start" | "middle" | "end" {
  return x < DRAWING.width * 0.15 ? "start" : x > DRAWING.width * 0.85 ? "end" : "middle";
}
