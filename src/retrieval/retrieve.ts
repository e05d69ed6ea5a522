import type { Encoder } from "../models/encoder.ts";
import type { Reranker } from "../models/reranker.ts";
import type { RetrieveSettings } from "../profiles/profile.ts";
import { messageOf, StoreError, UnavailableError } from "../shared/errors.ts";
import type { Area, Filters, Passage, Question, Scope } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { sumOrNull } from "../text/numbers.ts";
import { readPassage } from "../text/units.ts";
import { deduplicate, diversify } from "./deduplicate.ts";
import type { DomainIndex } from "./domain-index.ts";
import { resolveFilters } from "./filters.ts";
import { intersectSelection, partOf, placeWithin, searchArea, selectionArea } from "./search-area.ts";
import type { QuestionVector } from "./search-engine.ts";
import { type Candidate, type TimePart, untimed } from "./top-k.ts";

export interface RetrieveParts {
  readonly corpus: DomainIndex;
  readonly documents: Pick<DocumentStore, "load" | "outlines">;
  readonly encoder: Encoder | null;
  /** Rerankers by their name in profiles. A profile that names a missing reranker runs without reranking. */
  readonly rerankers?: Readonly<Partial<Record<Exclude<RetrieveSettings["reranker"], "none">, Reranker | undefined>>>;
  /** Times every part of the stage. @default untimed */
  readonly time?: TimePart;
}

export type Retrieved = Awaited<ReturnType<typeof retrievePassages>>;

/**
 * Returns passages for a question, best first, at their current version. If a document of a passage was changed or
 * deleted since it was indexed, the search is repeated once. If this happens again, no passage is returned.
 * @throws UnavailableError `encoder_missing` when the profile ranks by vectors alone and there is no encoder
 */
export async function retrievePassages(
  question: Question,
  settings: RetrieveSettings,
  { corpus, documents, encoder, rerankers, time = untimed }: RetrieveParts,
  signal: AbortSignal,
) {
  const wanted = settings.dense && encoder !== null;
  const embedded = wanted
    ? await syncAndEmbed(question, corpus, settings, time, signal)
    : { vector: null, failure: null, failedIn: null, embedding: null };
  let vector: QuestionVector | null = embedded.vector;
  if (!wanted) await time("sync", () => corpus.sync({ signal, mayWaitForVectors: false }));
  const { text, terms, codes } = await time("understand", () => corpus.understand(question, settings.query));
  const { bm25, candidates: k, alpha, beta, fusion } = settings;
  const request = { terms, codes, scope: question.scope, bm25, candidates: k, alpha, beta, fusion };
  const wantedPassages = settings.passages + (settings.twins === "off" ? 0 : NEAR_DUPLICATE_MARGIN);
  let area = areaOf(question);
  const found = async () => {
    // The encoder may have been switched since the question was embedded.
    if (vector !== null && vector.encoder.id !== corpus.encoder?.id) vector = await corpus.embedQuestion(text, { signal });
    const asked = { ...request, vector };
    if (area === null) return corpus.search(asked, { signal, time });
    return searchArea(asked, area, corpus, documents, signal);
  };
  const ranked = () => time("search", found);
  const reranker = settings.reranker === "none" ? null : (rerankers?.[settings.reranker] ?? null);
  let rerankFailure: string | null = null;
  const rerank = async (found: readonly Candidate[]) => {
    try {
      return await time("rerank", () => rerankCandidates(question.resolved, found, settings.rerank, reranker, signal));
    } catch (cause) {
      if (signal.aborted) throw cause;
      rerankFailure = messageOf(cause);
      return rerankCandidates(question.resolved, found, 0, null);
    }
  };
  const search = async () => diversify(await rerank(await ranked()), ({ documentId }) => documentId, settings.perDocument);
  const load = () => time("load", () => loadPassages(candidates.slice(0, wantedPassages), question, area, documents));
  let candidates = await search();
  let loaded = await load();
  if (loaded === null) {
    await corpus.sync({ signal, mayWaitForVectors: false });
    area = areaOf({ ...question, ...(await applyFilters(question.filters ?? null, question.scope, documents)) });
    candidates = await search();
    loaded = (await load()) ?? [];
  }
  const words = await (await corpus.wordsIn(question.scope)).loadPassages(loaded);
  const { twins } = settings;
  const current = loaded;
  const distinct = twins === "off" ? current : time("deduplicate", () => deduplicate(current, twins, words));
  const passages = distinct.slice(0, settings.passages);
  return {
    passages,
    candidates: candidates.length,
    dense: vector !== null,
    /** The encoder that ranked; `null` if words alone did. */
    ranker: vector?.encoder ?? null,
    /** Error message if the dense ranking was requested, but failed (words alone ranked) or did not cover all windows. */
    denseFailure: embedded.failure,
    /** What failed: the store of the vectors, the encoder, or the index, which is full and ranks only the vectors that it has. */
    denseFailedIn: embedded.failedIn,
    embedding: embedded.embedding,
    /** Name of the reranker that ordered the passages; `null` if none did. */
    reranker: rerankFailure === null && settings.rerank > 0 ? (reranker?.id ?? null) : null,
    /** Error message if the reranker was requested and failed, so that the fused order stayed. */
    rerankFailure: rerankFailure as string | null,
  };
}

/** A candidate with its reranker score; `null`: not requested or unknown. */
type RerankedCandidate = Candidate & { readonly rerank: number | null };

/**
 * Reorders the first `depth` candidates by the reranker's score, those with a code of the question first. Candidates
 * without a score follow in their previous order.
 */
export async function rerankCandidates(
  question: string,
  candidates: readonly Candidate[],
  depth: number,
  reranker: Reranker | null,
  signal?: AbortSignal,
): Promise<RerankedCandidate[]> {
  if (reranker === null || depth === 0) return candidates.map((candidate) => ({ ...candidate, rerank: null }));
  const first = candidates.slice(0, depth);
  const passages = first.map(({ title, text, chunk }) => ({ title, section: chunk.headingPath.join(". "), text }));
  const scores = await reranker.rerank(question, passages, { signal });
  const scored = first.map((candidate, i) => ({ ...candidate, rerank: scores[i] ?? null }));
  const order = ({ rerank }: RerankedCandidate) => rerank ?? Number.NEGATIVE_INFINITY;
  scored.sort((a, b) => Number(b.coded === true) - Number(a.coded === true) || (order(a) === order(b) ? 0 : order(b) - order(a)));
  return [...scored, ...candidates.slice(depth).map((candidate) => ({ ...candidate, rerank: null }))];
}

/** Number of extra passages to load as replacements for near-duplicates. */
const NEAR_DUPLICATE_MARGIN = 4;

/**
 * Resolves filters against the current documents.
 * @throws RequestError `unknown_document`, `unknown_chapter`, `unknown_section`, `unknown_page`
 */
export async function applyFilters(
  filters: Filters | null,
  scope: Scope,
  documents: Pick<DocumentStore, "outlines">,
): Promise<Pick<Question, "filters" | "area">> {
  if (filters === null) return {};
  const { area, applied } = resolveFilters(filters, await documents.outlines(scope));
  return { filters: applied, area };
}

/** Returns the area to which the answer is limited, or `null`. */
export function areaOf({ area = null, selection }: Pick<Question, "area" | "selection">): Area | null {
  if (selection === null) return area;
  return area === null ? selectionArea(selection) : intersectSelection(area, selection);
}

/**
 * Name of the encoder that ranked, and the tokens counted by its endpoint (`null`: not counted). `null` if no encoder
 * ranked or it runs in this process.
 */
type Embedding = { readonly model: string; readonly tokens: number | null } | null;

async function syncAndEmbed(
  question: Question,
  corpus: DomainIndex,
  { bm25, query }: RetrieveSettings,
  time: TimePart,
  signal: AbortSignal,
) {
  const counts: (number | null)[] = [];
  let full: string | null = null;
  try {
    await time("sync", () => corpus.sync({ signal, mayWaitForVectors: false })).catch((cause: unknown) => {
      if (!(cause instanceof UnavailableError) || cause.code !== "index_full") throw cause;
      full = cause.message;
    });
    const { text } = await time("understand", () => corpus.understand(question, query));
    const vector = await time("embed", () => corpus.embedQuestion(text, { signal, onUsage: (tokens) => counts.push(tokens) }));
    return {
      vector,
      failure: full as string | null,
      failedIn: full === null ? null : "index",
      embedding: embeddingOf(vector, counts),
    } as const;
  } catch (cause) {
    // If the search engine itself is unavailable, BM25 cannot rank either.
    const isSearchDown = cause instanceof UnavailableError && cause.code === "search_unavailable";
    if (signal.aborted || !bm25 || isSearchDown) throw cause;
    return {
      vector: null,
      failure: messageOf(cause),
      failedIn: cause instanceof StoreError ? "store" : "encoder",
      embedding: null,
    } as const;
  }
}

function embeddingOf(vector: QuestionVector | null, counts: readonly (number | null)[]): Embedding {
  if (vector === null || counts.length === 0) return null;
  return { model: vector.encoder.model ?? vector.encoder.id, tokens: sumOrNull(counts) };
}

/** Loads the passages of candidates. Returns `null` if one of their documents has changed since it was indexed. */
async function loadPassages(
  candidates: readonly RerankedCandidate[],
  question: Question,
  area: Area | null,
  documents: Pick<DocumentStore, "load">,
): Promise<Passage[] | null> {
  const loaded = await documents.load(question.scope, [...new Set(candidates.map(({ documentId }) => documentId))]);
  const passages: Passage[] = [];
  for (const candidate of candidates) {
    const document = loaded.get(candidate.documentId);
    if (document === undefined || document.version !== candidate.version) return null;
    if (area !== null && partOf(area, document) === undefined) return null;
    const { chunk, window, dense, bm25, fused, rerank: cross } = candidate;
    const place = placeWithin(area, document, { chunk, window });
    if (place === null) continue;
    const found = { sid: `S${passages.length + 1}`, chunkId: chunk.id, window: { start: window.start, end: window.end } };
    const passage = readPassage(document, { ...found, scores: { dense, bm25, fused, cross }, ...place });
    if (passage !== null) passages.push(passage);
  }
  return passages;
}

/** @throws UnavailableError that says what is missing and what to do */
export function assertCanRetrieve(profile: string, needsEncoder: boolean, encoder: Encoder | null): void {
  if (encoder !== null || !needsEncoder) return;
  const message = `Profile "${profile}" ranks by vectors and requires a dense encoder. Set embeddings: "embedded", or SOURCEBOUND_EMBEDDINGS_HUB to a Hugging Face model, or SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL to an OpenAI-compatible endpoint, or use profile "sourcebound".`;
  throw new UnavailableError("encoder_missing", message, { profile });
}
