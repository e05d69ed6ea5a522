import { messageOf, UnavailableError } from "../errors.ts";
import type { Encoder } from "../models/encoder.ts";
import type { RetrieveSettings } from "../profiles/profile.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { Passage, Question, Selection, StoredDocument, TextRange } from "../types.ts";
import type { Candidate, Corpus } from "./corpus.ts";
import type { QuestionVector } from "./vector-index.ts";

export interface RetrieveParts {
  readonly corpus: Corpus;
  readonly documents: DocumentStore;
  readonly encoder: Encoder | null;
}

export interface Retrieved {
  readonly passages: readonly Passage[];
  /** Chunks that took part in the ranking. */
  readonly candidates: number;
  readonly dense: boolean;
  /** The encoder that ranked; `null`: words alone did. */
  readonly ranker: Encoder | null;
  /** Set when the dense ranking was wanted and failed; words alone decided. */
  readonly denseFailure: string | null;
  /** Name of the encoder that ranked, and what its endpoint counted (`null`: nothing; absent: it runs here). */
  readonly embedding: { readonly model: string; readonly tokens: number | null } | null;
}

/**
 * Passages for a question, best first, at their current version: what changed or vanished since it was indexed is left out, after one more try.
 * @throws UnavailableError `encoder_missing` when the profile ranks by vectors alone and there is no encoder
 */
export async function retrievePassages(
  question: Question,
  settings: RetrieveSettings,
  { corpus, documents, encoder }: RetrieveParts,
  signal: AbortSignal,
): Promise<Retrieved> {
  const wanted = settings.dense && encoder !== null;
  const { vector, failure, embedding } = wanted
    ? await syncAndEmbed(question, corpus, settings.bm25, signal)
    : { vector: null, failure: null, embedding: null };
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
  let candidates = corpus.search(request);
  let passages = await loadPassages(candidates.slice(0, settings.passages), question, documents);
  if (passages === null) {
    await corpus.sync({ signal });
    candidates = corpus.search(request);
    passages = (await loadPassages(candidates.slice(0, settings.passages), question, documents)) ?? [];
  }
  return {
    passages,
    candidates: candidates.length,
    dense: vector !== null,
    ranker: vector?.index.encoder ?? null,
    denseFailure: failure,
    embedding,
  };
}

async function syncAndEmbed(
  question: Question,
  corpus: Corpus,
  wordsCanServe: boolean,
  signal: AbortSignal,
): Promise<{ vector: QuestionVector | null; failure: string | null; embedding: Retrieved["embedding"] }> {
  const counts: (number | null)[] = [];
  try {
    await corpus.sync({ signal });
    const vector = await corpus.embedQuestion(question.resolved, { signal, onUsage: (tokens) => counts.push(tokens) });
    return { vector, failure: null, embedding: embeddingOf(vector, counts) };
  } catch (cause) {
    if (signal.aborted || !wordsCanServe) throw cause;
    return { vector: null, failure: messageOf(cause), embedding: null };
  }
}

function embeddingOf(vector: QuestionVector | null, counts: readonly (number | null)[]): Retrieved["embedding"] {
  if (vector === null || counts.length === 0) return null;
  return { model: vector.index.encoder.model ?? vector.index.encoder.id, tokens: sumOrNull(counts) };
}

/** `null` when one of the numbers is not known. */
export function sumOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/** `null` when a candidate is no longer what was indexed. */
async function loadPassages(candidates: readonly Candidate[], question: Question, documents: DocumentStore): Promise<Passage[] | null> {
  const loaded = await documents.load(question.scope, [...new Set(candidates.map(({ documentId }) => documentId))]);
  const passages: Passage[] = [];
  for (const candidate of candidates) {
    const document = loaded.get(candidate.documentId);
    if (document === undefined || document.version !== candidate.version) return null;
    const passage = toPassage(candidate, document, question.selection, passages.length + 1);
    if (passage !== null) passages.push(passage);
  }
  return passages;
}

function toPassage(
  { chunk, window, dense, bm25, fused }: Candidate,
  document: StoredDocument,
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
    scores: { dense, bm25, fused, cross: null },
  };
}

function inside(inner: TextRange, outer: TextRange): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function clip(range: TextRange, to: TextRange): TextRange {
  return { start: Math.max(range.start, to.start), end: Math.min(range.end, to.end) };
}

/** @throws UnavailableError naming what is missing and what to do */
export function assertCanRetrieve(profile: string, needsEncoder: boolean, encoder: Encoder | null): void {
  if (encoder !== null || !needsEncoder) return;
  throw new UnavailableError(
    "encoder_missing",
    `Profile "${profile}" judges by vectors and cannot run without a dense encoder: set embeddings: "embedded", or SOURCEBOUND_EMBEDDINGS_HUB to a model of the hub, or SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL to an OpenAI-compatible endpoint, or use profile "sourcebound".`,
    { profile },
  );
}
