import { useState } from "react";
import type { WireGraph } from "../../src/client/index.ts";
import { formatRoute, queryOf } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatCount, formatNumber } from "../format.ts";
import { Button, CheckField, SelectField, TextField } from "../kit/controls.tsx";
import { StateLine } from "../kit/message.tsx";
import { RoomPage } from "../kit/pane.tsx";
import { ScrollRegion } from "../kit/table.tsx";
import { GraphDrawing, NODE_TYPES, NodeKey, type NodeType } from "./graph-drawing.tsx";

/** Choices for the maximum number of nodes. A drawing of more than 160 nodes would be unreadable. */
const SIZES = ["20", "40", "80", "160"].map((size) => [size, size] as const);

/** The Graph view: stored questions, their topics, entities and documents. It first shows the topic with the most links. */
export default function GraphRoom() {
  const { domain, tenant } = useAccount();
  const scope = { domain: domain?.name ?? null, tenant };
  const [state, reload] = useFetched<WireGraph>(`/v1/graph?${queryOf({ types: "topic", limit: "100", ...scope })}`);
  return (
    <RoomPage title="Graph">
      <p className="muted">Stored questions with their topics, entities and the documents that answer them.</p>
      <StateLine state={state} what="the topics" onRetry={reload} />
      {state.type === "ready" ? <Explorer topics={state.value.nodes} scope={scope} /> : null}
    </RoomPage>
  );
}

/** @param topics most links first */
function Explorer({ topics, scope }: { readonly topics: WireGraph["nodes"]; readonly scope: Readonly<Record<string, string | null>> }) {
  const [types, setTypes] = useState<readonly NodeType[]>(NODE_TYPES.map(({ type }) => type));
  const [words, setWords] = useState("");
  const [around, setAround] = useState(topics[0]?.id ?? "");
  const [size, setSize] = useState("40");
  const query = queryOf({
    ...{ limit: size, words, types: types.length === NODE_TYPES.length ? null : types.join(",") },
    ...{ around: around || null, ...scope },
  });
  const [state, reload] = useFetched<WireGraph>(`/v1/graph?${query}`);
  const choices = [["", "All topics"] as const, ...topics.map(({ id, label }) => [id, label] as const)];
  if (choices.every(([id]) => id !== around)) choices.push([around, "One node"]);
  const toggle = (type: NodeType) => setTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type]);
  return (
    <>
      <fieldset className="filters">
        <legend className="visually-hidden">What is shown</legend>
        {NODE_TYPES.map(({ type, many }) => (
          <CheckField
            key={type}
            checked={types.includes(type)}
            disabled={types.length === 1 && types.includes(type)}
            onChange={() => toggle(type)}
          >
            <NodeKey type={type} /> {many}
          </CheckField>
        ))}
        <TextField type="search" label="Name contains" value={words} onChange={setWords} />
        <SelectField label="Maximum shown" value={size} options={SIZES} onChange={setSize} />
        <SelectField label="Topic" value={around} options={choices} onChange={setAround} />
      </fieldset>
      <StateLine state={state} what="the graph" onRetry={reload} />
      {state.type === "ready" ? <Shown graph={state.value} around={around} onAround={setAround} /> : null}
    </>
  );
}

type ShownProps = Readonly<{ graph: WireGraph; around: string; onAround: (id: string) => void }>;

function Shown({ graph, ...rest }: ShownProps) {
  const { totals, edges, fitting, nodes } = graph;
  const whole = NODE_TYPES.map(({ type, one, many }) => formatCount(totals[type] ?? 0, one, many)).join(", ");
  if (fitting === 0) {
    const isEmpty = Object.values(totals).every((count) => count === 0);
    return (
      <p role="status">
        {isEmpty ? "Nothing is stored yet. Ask a question, then reload." : "Nothing matches these filters. Remove one of them."}
      </p>
    );
  }
  return (
    <>
      <p role="status" className="muted">
        {whole}, {formatCount(edges, "link")} in all.{" "}
        {nodes.length < fitting
          ? `Showing the ${nodes.length} of ${formatNumber(fitting)} matching nodes with the most links.`
          : `${formatCount(nodes.length, "node matches", "nodes match")}.`}
      </p>
      <div className="graph-columns">
        <GraphDrawing graph={graph} around={rest.around} onChoose={rest.onAround} />
        <NodeList graph={graph} {...rest} />
      </div>
    </>
  );
}

function NodeList({ graph: { nodes }, around, onAround }: ShownProps) {
  const { domain, tenant } = useAccount();
  return (
    <ScrollRegion className="node-list" aria-label="Nodes that are shown">
      <ul>
        {nodes.map(({ id, type, label, degree, refers_to: refersTo }) => {
          const place = { start: null, end: null, version: null, quote: null, domain: domain?.name ?? null, tenant };
          return (
            <li key={id} className="row">
              <Button className="link-button" aria-pressed={id === around} onClick={() => onAround(id)}>
                <NodeKey type={type} />
                <span>
                  {label}
                  <span className="visually-hidden">, {type}</span>
                </span>
                <span className="muted">{formatCount(degree, "link")}</span>
              </Button>
              {refersTo === null ? null : (
                <a
                  href={formatRoute(
                    type === "question" ? { room: "review", id: refersTo } : { room: "read", document: refersTo, ...place },
                  )}
                  aria-label={`Open ${label}`}
                >
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
