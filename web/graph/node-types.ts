import type { WireGraph } from "../../src/client/index.ts";

export type NodeType = WireGraph["nodes"][number]["type"];

/** Kinds of nodes, and what they are called. */
export const NODE_TYPES: readonly { readonly type: NodeType; readonly one: string; readonly many: string }[] = [
  { type: "topic", one: "topic", many: "topics" },
  { type: "entity", one: "entity", many: "entities" },
  { type: "source", one: "source", many: "sources" },
  { type: "question", one: "question", many: "questions" },
];
