import type { LinkedQuestion } from "../store/graph.ts";

export const NODE_TYPES = ["topic", "entity", "source", "question"] as const;
export type NodeType = (typeof NODE_TYPES)[number];

/** A node of the question graph. Its id consists of its type and its name, such as `topic:fees`. */
interface Named {
  readonly type: NodeType;
  readonly label: string;
  /** Id of the document or answer that the node stands for, or `null`. */
  readonly refersTo: string | null;
}

export interface GraphFilter {
  readonly types: readonly NodeType[];
  /** Words that must all occur in the label of the node, or in the label of one of its neighbours. */
  readonly words: string;
  /** Id of a node. Only this node and its neighbours are shown; `null`: all nodes. */
  readonly around: string | null;
  /** Maximum number of nodes. */
  readonly limit: number;
}

/**
 * Returns the part of the graph that the filters select. Its nodes are ordered: first the node `around`, then nodes whose
 * own label contains the words, then the others; within each group, nodes with most edges first. Takes time linear in
 * nodes and edges, except for sorting.
 */
export function viewGraph(questions: readonly LinkedQuestion[], { types, words, around, limit }: GraphFilter) {
  const { nodes, neighbours } = buildGraph(questions);
  const totals = { topic: 0, entity: 0, source: 0, question: 0 };
  for (const { type } of nodes.values()) totals[type]++;
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (id: string) => {
    const label = nodes.get(id)?.label.toLowerCase() ?? "";
    return wanted.every((word) => label.includes(word));
  };
  const nextTo = (id: string) => [...(neighbours.get(id) ?? [])];
  const fits = (id: string) => wanted.length === 0 || holds(id) || nextTo(id).some(holds);
  const near = around === null ? null : new Set([around, ...nextTo(around)]);
  const kept = new Set(types);
  const fitting = [...nodes.keys()].filter(
    (id) => (id === around || kept.has(nodes.get(id)?.type ?? "question")) && (near === null || near.has(id)) && fits(id),
  );
  const degree = (id: string) => neighbours.get(id)?.size ?? 0;
  const first = (id: string) => Number(id === around) * 2 + Number(wanted.length > 0 && holds(id));
  const shown = fitting.sort((a, b) => first(b) - first(a) || degree(b) - degree(a) || (a < b ? -1 : 1)).slice(0, limit);
  const index = new Map(shown.map((id, i) => [id, i]));
  const links = shown.flatMap((id, from) =>
    nextTo(id).flatMap((other): [number, number][] => {
      const to = index.get(other);
      return to !== undefined && from < to ? [[from, to]] : [];
    }),
  );
  const edges = [...neighbours.values()].reduce((sum, { size }) => sum + size, 0) / 2;
  return {
    ...{ totals, edges, fitting: fitting.length, links },
    nodes: shown.flatMap((id) => {
      const node = nodes.get(id);
      return node === undefined ? [] : [{ id, ...node, degree: degree(id) }];
    }),
  };
}

/** Builds the graph. Questions with the same text are one node. Questions whose text was not kept have no node. */
function buildGraph(questions: readonly LinkedQuestion[]) {
  const nodes = new Map<string, Named>();
  const neighbours = new Map<string, Set<string>>();
  const link = (one: string, other: string) => neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
  for (const { question, answerId, topics, entities, sources } of questions) {
    if (question === null) continue;
    const id = `question:${question}`;
    if (!nodes.has(id)) nodes.set(id, { type: "question", label: question, refersTo: answerId });
    const join = (type: NodeType, name: string, label: string, refersTo: string | null = null) => {
      const other = `${type}:${name}`;
      nodes.set(other, { type, label, refersTo });
      link(id, other);
      link(other, id);
    };
    for (const { slug, name } of topics) join("topic", slug, name);
    for (const { type, value } of entities) join("entity", `${type}:${value}`, `${value} (${type})`);
    for (const { documentId, title } of sources) join("source", documentId, title, documentId);
  }
  return { nodes, neighbours };
}
