import { describe, expect, it } from "vitest";
import type { LinkedQuestion } from "../store/graph.ts";
import { type GraphFilter, NODE_TYPES, viewGraph } from "./graph-view.ts";

const EVERYTHING: GraphFilter = { types: NODE_TYPES, words: "", around: null, limit: 150 };

function question(text: string | null, topic: string, documentId: string): LinkedQuestion {
  return {
    ...{ key: `${text}`, tenant: null, access: ["public"], question: text, answerId: `answer of ${text}` },
    topics: [{ slug: topic, name: topic.toUpperCase() }],
    entities: [{ type: "fee", value: "$5" }],
    sources: [{ documentId, title: `Title of ${documentId}` }],
  };
}

const QUESTIONS = [
  question("What is a card?", "cards", "d1"),
  question("What does it cost?", "cards", "d2"),
  question(null, "secret", "d3"),
];

describe("viewGraph", () => {
  it("contains no text that may not be stored", () => {
    expect(JSON.stringify(viewGraph(QUESTIONS, EVERYTHING))).not.toContain("SECRET");
  });

  it("keeps one node with its neighbours of the selected types", () => {
    const { nodes, links } = viewGraph(QUESTIONS, { ...EVERYTHING, types: ["question"], around: "topic:cards" });
    expect(nodes.map(({ type }) => type)).toEqual(["topic", "question", "question"]);
    expect(new Set(links.map(([, to]) => to))).toEqual(new Set([1, 2]));
  });

  it("reduces ten thousand nodes to a readable number, and reports the total", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => question(`Question ${i}`, `t${i % 40}`, `d${i % 700}`));
    const { nodes, totals, fitting, links } = viewGraph(many, { ...EVERYTHING, limit: 120 });
    expect(nodes).toHaveLength(120);
    expect([totals.question, fitting]).toEqual([10_000, 10_741]);
    expect(Math.max(...links.flat())).toBeLessThan(120);
    expect(nodes[0]?.id).toBe("entity:fee:$5");
  });
});
