import { randomUUID } from "node:crypto";
import type { Scope, StoredDocument } from "../../shared/types.ts";
import type { CachePut } from "../../store/cache.ts";
import type { FileContent, FilePlace } from "../../store/document-rows.ts";
import type { Interaction, InteractionFacts } from "../../store/interaction.ts";
import type { Beside } from "../../store/interactions.ts";
import type { NewReport } from "../../store/reports.ts";
import type { NewTurn } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** A second connection to the same database, like that of another process. */
  readonly second: Store;
  /** Advances the clock of both stores. */
  readonly advance: (ms: number) => void;
}

export const scope: Scope = { domain: "d", tenant: null, access: ["public"] };
export const place: FilePlace = { domain: "d", tenant: null, source: "s", path: "a.md" };

/** An interaction without its id. */
export const sampleInteraction = {
  domain: "d",
  tenant: null,
  access: ["public"],
  profile: "p",
  sessionId: "s",
  question: "q",
  answer: "{}",
  status: "ok",
  confidence: 0.5,
  chance: null,
  cacheMode: "miss",
};
/** Returns the data of an interaction except its texts. */
export const sampleFacts = (over: Partial<InteractionFacts> = {}): InteractionFacts => ({
  asked: "q",
  resolved: "q",
  answered: "a",
  privacy: "redacted",
  curatedKey: "k",
  cacheKey: null,
  reason: null,
  warnings: 0,
  conflicts: 0,
  tokens: 0,
  costUsd: 0,
  savedTokens: null,
  savedUsd: null,
  topics: [],
  latencyMs: 1,
  approved: null,
  ...over,
});

/** Stores an interaction. For tests that ignore its measurements. */
export function addInteraction(store: Store, interaction: Interaction, report: NewReport | null = null, beside: Beside = {}) {
  const { question: asked, answer: answered } = interaction;
  return store.interactions.add(interaction, report, sampleFacts({ asked, resolved: asked, answered, curatedKey: null }), beside);
}

/** Stores a turn of a session. For tests that ignore the interaction of the turn. */
export function addTurn(store: Store, ...[session, scope, turn, settings]: [string, Scope, NewTurn["turn"], NewTurn["settings"]]) {
  return addInteraction(store, { ...sampleInteraction, id: randomUUID() }, null, { turn: { session, scope, turn, settings } });
}

export function storedDocument(over: Partial<StoredDocument> = {}): StoredDocument {
  const text = over.text ?? "Tinnitus is rated at 10 percent.";
  const id = over.id ?? "doc-a";
  return {
    id,
    domain: "d",
    tenant: null,
    access: "public",
    source: "s",
    path: "a.md",
    title: "A",
    description: null,
    url: "https://example.org/a/",
    asOf: null,
    authority: null,
    topic: null,
    subtopic: null,
    type: null,
    originalHash: "hash",
    version: "v1",
    normaliser: "1",
    text,
    blocks: [{ start: 0, end: text.length, type: "paragraph", level: 0, header: -1, runIn: 2 }],
    units: [{ start: 0, end: text.length, type: "paragraph", block: 0 }],
    sourceMap: [0, text.length, 0, text.length],
    pages: [0, 5],
    chunks: [
      {
        id: `${id}-0`,
        documentId: id,
        ordinal: 0,
        start: 0,
        end: text.length,
        tokens: 8,
        headingPath: ["H"],
        windows: [{ start: 0, end: text.length, tokens: 8 }],
      },
    ],
    ...over,
  };
}

export function fileContent(...documents: StoredDocument[]): FileContent {
  return { originalHash: "hash", settings: "s1", access: "public", documents, failure: null };
}

export const DC = { type: "dc_code", value: "DC 6260" };

/** Returns a cache entry that depends on the document of `storedDocument`. */
export function cachePut(over: Partial<CachePut> = {}): CachePut {
  return {
    key: "k",
    scope: "scope",
    place: {
      domain: "d",
      tenant: null,
      access: ["public"],
      profile: "p",
      language: "en",
      detail: "normal",
      encoder: "none",
      configHash: "c",
    },
    answer: "{}",
    interactionId: null,
    documents: [{ id: "doc-a", version: "v1" }],
    sources: [{ documentId: "doc-a", version: "v1", url: "https://example.org/a/", title: "A" }],
    question: "What is tinnitus?",
    shared: {
      vector: { model: "m", values: Float32Array.from([1, 0]) },
      topics: [{ slug: "ears", name: "Ears", keywords: ["tinnitus"] }],
      entities: [DC],
    },
    retrieved: { documents: ["doc-a"], chunks: ["doc-a-0"], cited: ["doc-a-0"] },
    hours: 1,
    capacity: 10,
    ...over,
  };
}

export function interaction(id: string): Interaction {
  const base = { domain: "d", tenant: null, access: ["public"], profile: "p", sessionId: null, answer: "{}" };
  return { ...base, id, question: id, status: "ok", confidence: null, chance: null, cacheMode: "miss" };
}

/** Runs a test with its own store and closes it afterwards, even if the test fails. */
export type WithStore = (use: (under: StoreUnderTest) => Promise<void>) => () => Promise<void>;
