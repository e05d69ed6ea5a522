import type { WireGraph } from "../../src/client/index.ts";
import { formatRoute, type Route } from "../app/route.ts";
import { formatCount } from "../format.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { NodeKey } from "./node-shape.tsx";

export interface NodeListProps {
  readonly graph: WireGraph;
  readonly around: string | null;
  readonly onAround: (id: string) => void;
  readonly domain: string | null;
  readonly tenant: string | null;
}

/** The nodes that are shown, the most joined first. */
export function NodeList({ graph: { nodes }, around, onAround, domain, tenant }: NodeListProps) {
  return (
    <ScrollRegion className="node-list" aria-label="Nodes that are shown">
      <ul>
        {nodes.map(({ id, type, label, degree, refers_to: refersTo }) => {
          const route = routeOf(type, refersTo, { domain, tenant });
          return (
            <li key={id}>
              <button type="button" className="node-button" aria-pressed={id === around} onClick={() => onAround(id)}>
                <NodeKey type={type} />
                <span>
                  {label}
                  <span className="visually-hidden">, {type}</span>
                </span>
                <span className="muted">{formatCount(degree, "link")}</span>
              </button>
              {route === null ? null : (
                <a href={formatRoute(route)} aria-label={`Open ${label}`}>
                  Open
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </ScrollRegion>
  );
}

function routeOf(
  type: WireGraph["nodes"][number]["type"],
  id: string | null,
  { domain, tenant }: Pick<NodeListProps, "domain" | "tenant">,
): Route | null {
  if (id === null) return null;
  if (type === "question") return { room: "review", id };
  return { room: "read", document: id, start: null, end: null, version: null, quote: null, domain, tenant };
}
