import type { Point } from "./lay-out.ts";
import type { NodeType } from "./node-types.ts";

/** Corners of each kind, from its middle, in radii: about as large as the disc. A topic is that disc. */
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

/** The outline of a node, as the `d` of a path: kinds differ in shape, not in colour alone. */
export function shapeOf(type: NodeType, { x, y, radius: r }: Point): string {
  if (type === "topic") return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  return `M${CORNERS[type].map(([right, down]) => `${x + right * r} ${y + down * r}`).join("L")}Z`;
}

/** What a kind looks like, beside its name. */
export function NodeKey({ type }: { readonly type: NodeType }) {
  return (
    <svg className={`node-key is-${type}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapeOf(type, { x: 8, y: 8, radius: 5.5 })} />
    </svg>
  );
}
