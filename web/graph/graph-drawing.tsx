import { useMemo } from "react";
import type { WireGraph } from "../../src/client/index.ts";
import { DRAWING, layOut } from "./lay-out.ts";

export interface GraphDrawingProps {
  readonly graph: WireGraph;
  readonly around: string | null;
  readonly onChoose: (id: string) => void;
}

/** Labels that are written beside nodes: more would cover one another. */
const LABELLED = 18;
const LABEL_CHARACTERS = 26;

/** The graph as a picture. The list beside it says the same in words, and is what the keyboard walks. */
export function GraphDrawing({ graph, around, onChoose }: GraphDrawingProps) {
  const points = useMemo(() => layOut(graph), [graph]);
  const { nodes, links } = graph;
  return (
    <svg className="graph-drawing" viewBox={`0 0 ${DRAWING.width} ${DRAWING.height}`} aria-hidden="true">
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

/** Text at the border grows inwards. */
function anchorOf(x: number): "start" | "middle" | "end" {
  return x < DRAWING.width * 0.15 ? "start" : x > DRAWING.width * 0.85 ? "end" : "middle";
}
