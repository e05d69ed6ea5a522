import { describe, expect, it } from "vitest";
import type { CacheEntry, StoredQuestion } from "../store/cache.ts";
import type { ReviewStatus } from "../store/interaction.ts";
import { sampleAnswer, sampleCitation, samplePage } from "../testing/answers.ts";
import { fakeMatcher } from "../testing/fake-matcher.ts";
import { storedDocument } from "../testing/store-contract.ts";
import { type Asked, acceptCandidate, barredBy, type Candidate } from "./recall.ts";
import { StoredAnswers } from "./stored-answers.ts";

const document = storedDocument();
const citation = {
  ...sampleCitation(1, samplePage({ context: document.text }), document.text),
  documentId: document.id,
  documentVersion: document.version,
  start: 0,
  end: document.text.length,
  quoteStart: 0,
};
const answer = sampleAnswer({ question: "q", sentences: [{ text: document.text, citations: [1] }], citations: [citation] });

const asked: Asked = {
  text: "asked",
  written: "asked",
  scope: "s",
  domain: "d",
  topics: [],
  entities: [],
  vector: { model: "m", values: Float32Array.from([1, 0]) },
};
const scope = { domain: "d", tenant: null, access: ["public"] };

function candidate(key: string, over: Partial<Candidate> & { reviewStatus?: ReviewStatus } = {}): Candidate {
  const { reviewStatus = "unreviewed", ...rest } = over;
  const stored: StoredQuestion = {
    key,
    question: key,
    retrieved: { documents: ["doc-a"], chunks: ["c1"], cited: ["c1"] },
    reviewStatus,
    createdAt: "2026-01-01",
    vector: asked.vector.values,
  };
  return { level: "semantic", stored, cosine: 0.9, weight: 1, barred: null, ...rest };
}

function partsFor(same: (stored: string) => boolean, entries: Readonly<Record<string, Partial<CacheEntry>>> = {}) {
  const dropped: string[] = [];
  const entry = (key: string): CacheEntry => ({
    key,
    question: key,
    answer: JSON.stringify(answer),
    documents: [{ id: document.id, version: document.version }],
    reviewStatus: "unreviewed",
    expiresAt: "2027-01-01T00:00:00.000Z",
    createdAt: "2026-01-01",
    ...entries[key],
  });
  const cache = {
    get: async (key: string) => (key === "gone" ? null : entry(key)),
    delete: async (key: string) => {
      dropped.push(key);
    },
  };
  const documents = { load: async () => new Map([[document.id, document]]) };
  const matcher = fakeMatcher((_, stored) => same(stored));
  const recheck = async () => true;
  return {
    dropped,
    matcher,
    parts: {
      cache,
      documents,
      matcher,
      recheck,
      answers: new StoredAnswers(),
      settings: { type: "learned" as const },
      byReview: true,
      signal: new AbortController().signal,
    },
  };
}
const passages = [{ chunkId: "c0", document: { id: "doc-a" } }];

describe("acceptCandidate", () => {
  it("serves the accepted question with the best score without a graph", async () => {
    const { parts } = partsFor((stored) => stored !== "refused");
    const candidates = [
      candidate("refused", { cosine: 0.99 }),
      candidate("far", { cosine: 0.5, weight: 1.5 }),
      candidate("near", { cosine: 0.8 }),
    ];
    const { hit, judged } = await acceptCandidate(asked, scope, candidates, passages, { ...parts, byReview: false });
    expect(hit).toMatchObject({ level: "semantic", question: "near" });
    expect(judged.map(({ question, served, rule }) => [question, served, rule])).toEqual([
      ["refused", false, "fake"],
      ["far", false, "same"],
      ["near", true, "same"],
    ]);
  });

  it.each([
    ["approved by 1.5", 0.9, 0.61, 1.5, "other"],
    ["approved, but too far", 0.9, 0.59, 1.5, "plain"],
    ["of weight .5", 0.9, 1, 0.5, "plain"],
  ])("orders all levels by review status times relevance with a graph: %s", async (_what, near, far, weight, served) => {
    const { parts } = partsFor(() => true);
    const candidates = [candidate("plain", { cosine: near }), candidate("other", { level: "graph", cosine: far, weight })];
    expect((await acceptCandidate(asked, scope, candidates, passages, parts)).hit?.question).toBe(served);
  });

  it("continues with the next when the best is not safe, which is deleted", async () => {
    const { parts, dropped } = partsFor(() => true, { stale: { documents: [{ id: document.id, version: "v0" }] } });
    const { hit, judged } = await acceptCandidate(
      asked,
      scope,
      [candidate("gone", { cosine: 1 }), candidate("stale", { cosine: 0.95 }), candidate("good")],
      passages,
      parts,
    );
    expect(hit?.question).toBe("good");
    expect(judged.map(({ rule }) => rule)).toEqual(["gone", "documents", "same"]);
    expect(dropped).toEqual(["stale"]);
  });

  it("deletes nothing in read-only mode", async () => {
    const { parts, dropped } = partsFor(() => true, { stale: { documents: [{ id: document.id, version: "v0" }] } });
    expect((await acceptCandidate(asked, scope, [candidate("stale")], passages, parts, "none")).hit).toBeNull();
    expect(dropped).toEqual([]);
  });

  it("serves neither flagged answers nor those barred by the graph's rules, whatever the matcher says", async () => {
    const { parts, matcher } = partsFor(() => true, { late: { reviewStatus: "flagged" } });
    const candidates = [
      candidate("flagged", { reviewStatus: "flagged" }),
      candidate("barred", { level: "graph", barred: { rule: "entity_grounding", reason: "" } }),
      candidate("late"),
    ];
    const { hit, judged } = await acceptCandidate(asked, scope, candidates, passages, parts);
    expect(hit).toBeNull();
    expect(judged.map(({ rule }) => rule)).toEqual(["flagged", "entity_grounding", "flagged"]);
    expect(matcher.calls).toHaveLength(1);
  });
});

describe("barredBy", () => {
  const code = (value: string) => ({ type: "dc_code", value });
  const topic = (slug: string) => ({ slug, name: slug, keywords: [] });
  const question = { topics: [topic("forms"), topic("appeals")], entities: [code("DC 6260"), { type: "benefit", value: "pension" }] };
  const stored = { topics: [{ slug: "forms" }], entities: [code("DC 6260")], sources: ["d"] };

  it.each([
    ["no reason", stored, undefined],
    ["another code", { ...stored, entities: [code("DC 6261")] }, "entity_grounding"],
    ["no code", { ...stored, entities: [{ type: "benefit", value: "pension" }] }, "entity_grounding"],
    ["one additional code", { ...stored, entities: [code("DC 6260"), code("DC 6261")] }, "entity_grounding"],
    ["an additional topic", { ...stored, topics: [{ slug: "forms" }, { slug: "pension" }] }, "topic_coherence"],
    ["deleted sources", { ...stored, sources: [] }, "source_consistency"],
  ])("bars an answer for %s", (_what, other, rule) => {
    expect(barredBy(question, other)?.rule).toBe(rule);
  });
});
