import type { EmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { sourcebound } from "../../../src/profiles/sourcebound.ts";
import { DomainIndex } from "../../../src/retrieval/domain-index.ts";
import { EmbeddedEngine } from "../../../src/retrieval/embedded-engine.ts";
import { retrievePassages } from "../../../src/retrieval/retrieve.ts";
import type { IndexWords } from "../../../src/retrieval/understand.ts";
import type { Question, TextRange } from "../../../src/shared/types.ts";
import type { DocumentStore } from "../../../src/store/documents.ts";
import type { EmbeddingStore } from "../../../src/store/embeddings.ts";
import { headingPathAt } from "../../../src/text/units.ts";
import { scopeInSet } from "../../sets/memory-corpus.ts";
import type { Ask } from "./ask.ts";
import type { MadeDocument, Place } from "./documents.ts";

/** Number of passages retrieved, as for the cross-encoder in the product. */
const PASSAGES = 20;
/** Number of top passages whose neighbouring windows are also candidates. */
const WITH_NEIGHBOURS = 3;

/** A candidate window of a document. */
export interface Window extends TextRange {
  readonly made: MadeDocument;
}

export interface Index {
  /** Returns the windows that the product retrieves, best first. */
  readonly candidates: (ask: Ask) => Promise<Window[]>;
  /** Returns the windows of a document that overlap a range, in order. */
  readonly windowsAt: (made: MadeDocument, range: TextRange) => Window[];
  /** Returns the places of a passage of the set. */
  readonly placesOf: (key: string) => readonly { readonly made: MadeDocument; readonly place: Place }[];
  /** Returns the IDF-weighted share of the question's words in a text. */
  readonly coverage: (ask: Pick<Ask, "question" | "scope">, text: string) => number;
  readonly headOf: (window: Window) => string;
}

/** Opens the product's index and retrieval over documents in memory. */
export async function openIndex(made: readonly MadeDocument[], encoder: EmbeddedEncoder): Promise<Index> {
  const byId = new Map(made.map((one) => [one.document.id, one]));
  const documents: Pick<DocumentStore, "revision" | "heads" | "changedSince" | "loadForIndex" | "load" | "outlines"> = {
    revision: async () => 1,
    heads: async () => new Map([...byId].map(([id, { document }]) => [id, document])),
    changedSince: async () => [],
    loadForIndex: async (_domain, ids) => ids.flatMap((id) => byId.get(id)?.document ?? []),
    load: async (_scope, ids) =>
      new Map(ids.flatMap((id) => (byId.has(id) ? [[id, (byId.get(id) as MadeDocument).document] as const] : []))),
    outlines: async () => [],
  };
  const embeddings: EmbeddingStore = { get: async () => new Map(), put: async () => undefined };
  const corpus = new DomainIndex({
    domain: "set",
    engine: new EmbeddedEngine({ domain: "set" }),
    documents,
    embeddings,
    encoder,
    batch: 256,
  });
  await corpus.sync();
  const settings = { ...sourcebound.retrieve, passages: PASSAGES };
  const signal = new AbortController().signal;
  /** Word statistics by scope, filled by `candidates`. */
  const words = new Map<string | null, IndexWords>();
  const places = new Map<string, { made: MadeDocument; place: Place }[]>();
  for (const one of made) for (const place of one.places) places.set(place.key, [...(places.get(place.key) ?? []), { made: one, place }]);

  return {
    async candidates(ask) {
      words.set(ask.scope, await corpus.wordsIn(scopeInSet(ask.scope), [ask.question]));
      const alone = { sessionId: null, selection: null, history: [], injectionSignals: [] };
      const scope = scopeInSet(ask.scope);
      const question: Question = { ...alone, text: ask.question, resolved: ask.question, scope, profile: "sourcebound", detail: "normal" };
      const { passages } = await retrievePassages(question, settings, { corpus, documents, encoder }, signal);
      const best = passages.map(({ document, window }) => ({ made: byId.get(document.id) as MadeDocument, ...window }));
      const beside = passages
        .slice(0, WITH_NEIGHBOURS)
        .flatMap(({ document, range }) => windowsAt(byId.get(document.id) as MadeDocument, range));
      return unique([...best.slice(0, WITH_NEIGHBOURS), ...beside, ...best.slice(WITH_NEIGHBOURS)]);
    },
    windowsAt,
    placesOf: (key) => places.get(key) ?? [],
    coverage({ question, scope }, text) {
      const idf = (token: string) => words.get(scope)?.idf(token) ?? 0;
      const wanted = new Set(corpus.tokens(question));
      const held = new Set(corpus.tokens(text));
      let all = 0;
      let found = 0;
      for (const token of wanted) {
        all += idf(token);
        if (held.has(token)) found += idf(token);
      }
      return all === 0 ? 0 : found / all;
    },
    headOf: ({ made: { document }, start }) =>
      [document.title, ...headingPathAt(document, start)].filter((part) => part !== "").join(" › "),
  };
}

function windowsAt(made: MadeDocument, { start, end }: TextRange): Window[] {
  const windows = made.document.chunks.flatMap((chunk) => chunk.windows.map((window) => ({ made, start: window.start, end: window.end })));
  return unique(windows.filter((window) => window.start < end && start < window.end));
}

export function keyOf({ made, start, end }: Window): string {
  return `${made.document.id} ${start} ${end}`;
}

export function unique(windows: readonly Window[]): Window[] {
  return [...new Map(windows.map((window) => [keyOf(window), window] as const)).values()];
}
