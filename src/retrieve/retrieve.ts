import { messageOf, UnavailableError } from "../errors.ts";
import type { Encoder } from "../models/encoder.ts";
import type { Reranker } from "../models/reranker.ts";
import type { RetrieveSettings } from "../profiles/profile.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { Passage, Question, Selection, StoredDocument, TextRange } from "../types.ts";
import type { Corpus } from "./corpus.ts";
import { type RerankedCandidate, rerankCandidates } from "./rerank.ts";

export interface RetrieveParts {
  readonly corpus: Corpus;
  readonly documents: DocumentStore;
  readonly encoder: Encoder | null;
  /** By the name that a profile gives them; what is absent does not run. */
  readonly rerankers: Readonly<Partial<Record<Exclude<RetrieveSettings["reranker"], "none">, Reranker>>>;
}

export interface Retrieved {
  readonly passages: readonly Passage[];
  /** Chunks that took part in the ranking. */
  readonly candidates: number;
  readonly dense: boolean;
  /** Set when the dense ranking was wanted and failed; words alone decided. */
  readonly denseFailure: string | null;
  /** Name of the reranker that ordered the passages; `null` when none did. */
  readonly reranker: string | null;
  /** Set when the reranker was wanted and failed; the fused order stayed. */
  readonly rerankFailure: string | null;
}

/**
 * Passages for a question, best first, at their current version: what changed or vanished since it was indexed is left out, after one more try.
 * @throws UnavailableError `encoder_missing` when the profile ranks by vectors alone and there is no encoder
 */
export async function retrievePassages(
  question: Question,
  settings: RetrieveSettings,
  { corpus, documents, encoder, rerankers }: RetrieveParts,
  signal: AbortSignal,
): Promise<Retrieved> {
  const wanted = settings.dense && encoder !== null;
  const { vector, failure } = wanted
    ? await syncAndEmbed(question, corpus, encoder, settings.bm25, signal)
    : { vector: null, failure: null };
  if (!wanted) await corpus.sync({ signal });
  const request = {
    tokens: corpus.tokens(question.resolved),
    vector,
    scope: question.scope,
    selection: question.selection,
    selectionMode: settings.selection,
    bm25: settings.bm25,
    candidates: settings.candidates,
    alpha: settings.alpha,
    beta: settings.beta,
    fusion: settings.fusion,
  };
  const reranker = settings.reranker === "none" ? null : (rerankers[settings.reranker] ?? null);
  let rerankFailure: string | null = null;
  const rank = async () => {
    const found = corpus.search(request);
    try {
      return await rerankCandidates(question.resolved, found, settings.rerank, reranker, { signal, idf: (token) => corpus.idf(token) });
    } catch (cause) {
      if (signal.aborted) throw cause;
      rerankFailure = messageOf(cause);
      return rerankCandidates(question.resolved, found, 0, null);
    }
  };
  let candidates = await rank();
  let passages = await loadPassages(candidates.slice(0, settings.passages), question, settings.reranker, documents);
  if (passages === null) {
    await corpus.sync({ signal });
    candidates = await rank();
    passages = (await loadPassages(candidates.slice(0, settings.passages), question, settings.reranker, documents)) ?? [];
  }
  return {
    passages,
    candidates: candidates.length,
    dense: vector !== null,
    denseFailure: failure,
    reranker: rerankFailure === null && settings.rerank > 0 ? (reranker?.id ?? null) : null,
    rerankFailure,
  };
}

async function syncAndEmbed(
  question: Question,
  corpus: Corpus,
  encoder: Encoder,
  wordsCanServe: boolean,
  signal: AbortSignal,
): Promise<{ vector: Float32Array | null; failure: string | null }> {
  try {
    await corpus.sync({ signal });
    const [vector] = await encoder.embed([question.resolved], { signal });
    return { vector: vector ?? null, failure: null };
  } catch (cause) {
    if (signal.aborted || !wordsCanServe) throw cause;
    return { vector: null, failure: messageOf(cause) };
  }
}

/** `null` when a candidate is no longer what was indexed. */
async function loadPassages(
  candidates: readonly RerankedCandidate[],
  question: Question,
  reranker: RetrieveSettings["reranker"],
  documents: DocumentStore,
): Promise<Passage[] | null> {
  const loaded = await documents.load(question.scope, [...new Set(candidates.map(({ documentId }) => documentId))]);
  const passages: Passage[] = [];
  for (const candidate of candidates) {
    const document = loaded.get(candidate.documentId);
    if (document === undefined || document.version !== candidate.version) return null;
    const passage = toPassage(candidate, document, reranker, question.selection, passages.length + 1);
    if (passage !== null) passages.push(passage);
  }
  return passages;
}

function toPassage(
  { chunk, window, dense, bm25, fused, rerank }: RerankedCandidate,
  document: StoredDocument,
  reranker: RetrieveSettings["reranker"],
  selection: Selection | null,
  rank: number,
): Passage | null {
  const units = document.units.filter((unit) => inside(unit, chunk) && (selection === null || inside(unit, selection)));
  if (units.length === 0) return null;
  const range = selection === null ? { start: chunk.start, end: chunk.end } : clip(chunk, selection);
  return {
    sid: `S${rank}`,
    chunkId: chunk.id,
    document: {
      id: document.id,
      path: document.path,
      title: document.title,
      url: document.url,
      asOf: document.asOf,
      authority: document.authority,
      version: document.version,
      originalHash: document.originalHash,
      normaliser: document.normaliser,
      blocks: document.blocks,
      sourceMap: document.sourceMap,
    },
    headingPath: chunk.headingPath,
    range,
    window: { start: window.start, end: window.end },
    text: document.text.slice(range.start, range.end),
    units,
    scores: { dense, bm25, fused, cross: reranker === "cross-encoder" ? rerank : null, rerank: reranker === "embedded" ? rerank : null },
  };
}

function inside(inner: TextRange, outer: TextRange): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function clip(range: TextRange, to: TextRange): TextRange {
  return { start: Math.max(range.start, to.start), end: Math.min(range.end, to.end) };
}

/** @throws UnavailableError naming what is missing and what to do */
export function assertCanRetrieve(profile: string, settings: RetrieveSettings, encoder: Encoder | null): void {
  if (encoder !== null || settings.bm25) return;
  throw new UnavailableError(
    "encoder_missing",
    `Profile "${profile}" ranks by vectors and cannot run without a dense encoder: set SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL to an OpenAI-compatible endpoint, or use profile "sourcebound".`,
    { profile },
  );
}
