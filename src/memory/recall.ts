import { dot } from "../cross-encoder/reader.ts";
import type { MatchSettings } from "../profiles/profile.ts";
import type { Scope } from "../shared/types.ts";
import type { CacheStore, StoredQuestion } from "../store/cache.ts";
import type { EntityNode, GraphStore, QuestionNodes } from "../store/graph.ts";
import { isCode, nameOf } from "./classify.ts";
import { type Matcher, type MatchPassage, type MatchVerdict, UNCOMPARED } from "./matcher.ts";
import { type Hit, type Judgement, type ReverifyParts, reverify } from "./stored-answers.ts";

/** Vectors of one encoder. Each group (the key of a scope) is searched separately. */
interface GroupedVectors {
  add(group: string, vector: Float32Array): number;
  delete(slot: number): void;
  search(group: string, vector: Float32Array, k: number): readonly { readonly slot: number; readonly score: number }[];
}

/**
 * Maximum number of searches per question. A search is repeated if it found entries that no longer exist in the database.
 */
const ROUNDS = 8;

/**
 * In-memory index of the vectors of stored questions. Before each search, it loads the entries that any process has added
 * to the database since. A deleted entry is detected when a search finds it. It is never served, because every neighbour is
 * read from the database.
 */
export class QuestionIndex {
  private readonly cache: Pick<CacheStore, "newest" | "vectorsAfter">;
  private readonly createVectors: (model: string) => GroupedVectors;
  /** Vectors by model, with the keys of the questions by slot. */
  private readonly models = new Map<string, { readonly vectors: GroupedVectors; readonly keys: Map<number, string> }>();
  private readonly places = new Map<string, { readonly model: string; readonly slot: number }>();
  private seen = 0;
  private syncing: Promise<void> = Promise.resolve();

  constructor(cache: Pick<CacheStore, "newest" | "vectorsAfter">, createVectors: (model: string) => GroupedVectors) {
    this.cache = cache;
    this.createVectors = createVectors;
  }

  /**
   * Returns the nearest stored questions of a scope that still exist.
   * @param read reads entries from the database by key; returns those that exist, and the keys of the deleted ones
   */
  async nearest<T>(
    { model, scope, vector }: { readonly model: string; readonly scope: string; readonly vector: Float32Array },
    k: number,
    read: (keys: readonly string[]) => Promise<{ found: T[]; gone: readonly string[] }>,
  ) {
    await this.sync();
    for (let round = 1; ; round++) {
      const { vectors, keys } = this.models.get(model) ?? {};
      const nearest = vectors?.search(scope, vector, k) ?? [];
      const neighbours = nearest.map(({ slot, score }) => ({ key: keys?.get(slot) ?? "", cosine: score }));
      const { found, gone } = await read(neighbours.map(({ key }) => key));
      for (const key of gone) this.forget(key);
      if (gone.length === 0 || round === ROUNDS) return { neighbours, found };
    }
  }

  private sync(): Promise<void> {
    const next = this.syncing.then(() => this.takeIn());
    this.syncing = next.catch(() => undefined);
    return next;
  }

  private async takeIn(): Promise<void> {
    if ((await this.cache.newest()) <= this.seen) return;
    for (const { seq, key, scope, model, vector } of await this.cache.vectorsAfter(this.seen)) {
      this.forget(key);
      const own = this.models.get(model) ?? { vectors: this.createVectors(model), keys: new Map() };
      this.models.set(model, own);
      const slot = own.vectors.add(scope, vector);
      own.keys.set(slot, key);
      this.places.set(key, { model, slot });
      this.seen = seq;
    }
  }

  private forget(key: string): void {
    const place = this.places.get(key);
    if (place === undefined) return;
    const own = this.models.get(place.model);
    own?.vectors.delete(place.slot);
    own?.keys.delete(place.slot);
    this.places.delete(key);
  }
}

/** The asked question, prepared for comparison with stored ones. */
export interface Asked extends QuestionNodes {
  /** Question with misspelt words corrected. */
  readonly text: string;
  /** Question as written. */
  readonly written: string;
  readonly scope: string;
  readonly domain: string;
  readonly vector: { readonly model: string; readonly values: Float32Array };
}

/** A stored question whose answer may fit. `acceptCandidate` decides whether it is served. */
export interface Candidate {
  readonly level: "semantic" | "graph";
  readonly stored: StoredQuestion;
  readonly cosine: number;
  /** Factor for the relevance, by review status: `WEIGHT_OF`. */
  readonly weight: number;
  /** Rule of the question graph that excludes the stored question (`barredBy`), or `null`. */
  readonly barred: { readonly rule: string; readonly reason: string } | null;
}

/** Maximum number of nearest stored questions that the semantic cache compares. */
const NEAREST_QUESTIONS = 10;
/** Maximum number of answers per graph query, as in the published `seven-layer` design (docs/profiles.md). */
const GRAPH_ANSWERS = 5;
/** Maximum number of related questions that are read from the graph before they are ranked. */
const GRAPH_READ = 50;
const WEIGHT_OF = { approved: 1.5, flagged: 0.5, unreviewed: 1 } as const;

/** Returns the stored questions of the same scope whose vectors are nearest to that of the asked question. */
export async function nearestQuestions(
  asked: Asked,
  { cache, index }: { readonly cache: Pick<CacheStore, "questions">; readonly index: QuestionIndex },
): Promise<Candidate[]> {
  const { scope, vector } = asked;
  const query = { model: vector.model, scope, vector: vector.values };
  const { neighbours, found } = await index.nearest(query, NEAREST_QUESTIONS, (keys) => cache.questions(keys, scope));
  const byKey = new Map(found.map((stored) => [stored.key, stored]));
  return neighbours.flatMap(({ key, cosine }): Candidate[] => {
    const stored = byKey.get(key);
    return stored === undefined ? [] : [{ level: "semantic", stored, cosine, weight: WEIGHT_OF[stored.reviewStatus], barred: null }];
  });
}

/** Stores with the questions, and with their topics and entities. */
interface GraphParts {
  readonly cache: Pick<CacheStore, "questions">;
  readonly graph: GraphStore;
}

/**
 * Returns the newest approved questions of the same scope that share a topic and an entity with the asked question.
 * This is the graph query of the published `seven-layer` design (docs/profiles.md).
 */
export async function approvedQuestions(asked: Asked, parts: GraphParts): Promise<Candidate[]> {
  return readGraph(asked, await parts.graph.related({ ...queryOf(asked), approvedOnly: true, limit: GRAPH_ANSWERS }), parts);
}

/**
 * Returns stored questions of any review status that share a topic and an entity with the asked question. Ranks them by
 * the cosine times the factor for the status (`WEIGHT_OF`).
 * @param known keys of questions that were compared before; they are left out
 */
export async function relatedQuestions(asked: Asked, known: ReadonlySet<string>, parts: GraphParts): Promise<Candidate[]> {
  const keys = await parts.graph.related({ ...queryOf(asked), approvedOnly: false, limit: GRAPH_READ });
  const fresh = keys.filter((key) => !known.has(key));
  const candidates = await readGraph(asked, fresh, parts);
  return candidates.sort((a, b) => b.weight * b.cosine - a.weight * a.cosine || byAge(a, b)).slice(0, GRAPH_ANSWERS);
}

function queryOf({ scope, domain, topics, entities }: Asked) {
  return { scope, domain, topics: topics.map(({ slug }) => slug), entities };
}

async function readGraph(asked: Asked, keys: readonly string[], { cache, graph }: GraphParts): Promise<Candidate[]> {
  const { found } = await cache.questions(keys, asked.scope);
  const nodes = await graph.nodesOf(found.map(({ key }) => key));
  return found.map((stored): Candidate => {
    const of = nodes.get(stored.key) ?? { topics: [], entities: [], sources: [] };
    // The vector may come from an earlier encoder and have another length.
    const cosine = asked.vector.values.length === stored.vector.length ? dot(asked.vector.values, stored.vector) : 0;
    return { level: "graph", stored, cosine, weight: WEIGHT_OF[stored.reviewStatus], barred: barredBy(asked, of) };
  });
}

/** Joins the results of graph search (`approved`) and vector search (`near`). Of duplicates, keeps the result of the graph search. */
export function joinCandidates(approved: readonly Candidate[], near: readonly Candidate[]): Candidate[] {
  const keys = new Set(approved.map(({ stored }) => stored.key));
  return [...approved, ...near.filter(({ stored }) => !keys.has(stored.key))];
}

/**
 * Returns the rule that excludes a stored question, or `null`. The rules are entity grounding, topic coherence and
 * source consistency of the published `seven-layer` design (docs/profiles.md).
 */
export function barredBy(
  asked: QuestionNodes,
  stored: { readonly topics: readonly { slug: string }[]; readonly entities: readonly EntityNode[]; readonly sources: readonly unknown[] },
): Candidate["barred"] {
  const codes = (entities: readonly EntityNode[]) => entities.filter(isCode).map(nameOf).sort().join("\n");
  if (codes(asked.entities) !== codes(stored.entities))
    return { rule: "entity_grounding", reason: "the stored question is about other codes" };
  const slugs = new Set(asked.topics.map(({ slug }) => slug));
  const beyond = stored.topics.map(({ slug }) => slug).filter((slug) => !slugs.has(slug));
  if (beyond.length > 0) return { rule: "topic_coherence", reason: `the stored question is also about ${beyond.join(", ")}` };
  if (stored.sources.length > 0) return null;
  return { rule: "source_consistency", reason: "none of the sources of the stored answer exists any more" };
}

interface AcceptParts extends ReverifyParts {
  readonly cache: Pick<CacheStore, "get" | "delete">;
  readonly matcher: Matcher;
  readonly settings: MatchSettings;
  /**
   * Order of accepted candidates. True: by relevance times the factor for the review status (`Candidate.weight`). False: by
   * the score of the matcher.
   */
  readonly byReview: boolean;
  readonly signal: AbortSignal;
}

/**
 * Returns the best candidate that asks the same question and whose answer is safe to serve today. A candidate about which
 * anything is unknown is excluded.
 * @param passages passages retrieved for the asked question, best first
 * @param effects `"drop"` deletes stored answers that are not safe; `"none"` changes nothing
 */
export async function acceptCandidate(
  asked: Asked,
  scope: Scope,
  candidates: readonly Candidate[],
  passages: readonly MatchPassage[],
  parts: AcceptParts,
  effects: "drop" | "none" = "drop",
): Promise<{ hit: Hit | null; judged: Judgement[] }> {
  if (candidates.length === 0) return { hit: null, judged: [] };
  const judged = await judgeAll(asked, candidates, passages, parts);
  const order = [...judged].filter(({ verdict }) => verdict.accepted).sort(parts.byReview ? byReviewedRelevance : byScore);
  const judgements = judged.map(({ candidate, verdict }) => toJudgement(candidate, verdict));
  for (const { candidate } of order) {
    const at = judged.findIndex((one) => one.candidate === candidate);
    const before = judgements[at] as Judgement;
    const entry = await parts.cache.get(candidate.stored.key);
    const safe = entry === null ? GONE : await reverify(entry, scope, parts, effects);
    const { rule, reason } = safe.type === "unsafe" ? safe : before;
    judgements[at] = { ...before, rule, reason, served: safe.type === "safe" };
    if (entry === null || safe.type === "unsafe") continue;
    const { question, createdAt: storedAt } = entry;
    return { hit: { level: candidate.level, answer: safe.answer, question, storedAt }, judged: judgements };
  }
  return { hit: null, judged: judgements };
}

const GONE = { type: "unsafe", rule: "gone", reason: "the stored answer was deleted in the meantime" } as const;

/**
 * Returns a verdict for every candidate. Rejects candidates that a graph rule excludes or a reviewer flagged, without
 * comparing them.
 */
async function judgeAll(
  { text, written }: Asked,
  candidates: readonly Candidate[],
  passages: readonly MatchPassage[],
  { matcher, settings, servesFlagged, signal }: AcceptParts,
): Promise<Judged[]> {
  const excluded = candidates.map(
    ({ stored, barred }) => barred ?? (stored.reviewStatus === "flagged" && servesFlagged !== true ? FLAGGED : null),
  );
  const compared = candidates.filter((_, at) => excluded[at] === null);
  const stored = compared.map(({ stored: { question, retrieved }, cosine }) => ({ question, cosine, retrieved }));
  const verdicts = await matcher.compare({ question: text, written, passages }, stored, settings, signal);
  return candidates.map((candidate, at) => ({
    candidate,
    verdict: verdicts[compared.indexOf(candidate)] ?? { ...UNCOMPARED, ...(excluded[at] ?? GONE) },
  }));
}

const FLAGGED = { rule: "flagged", reason: "a reviewer flagged the stored answer" } as const;

type Judged = { readonly candidate: Candidate; readonly verdict: MatchVerdict };

/** Orders by relevance times the factor for the review status. Relevance is the matcher's score or, if it is `null`, the cosine. */
function byReviewedRelevance(a: Judged, b: Judged): number {
  const rank = ({ candidate, verdict }: Judged) => candidate.weight * (verdict.score ?? candidate.cosine);
  return rank(b) - rank(a) || byAge(a.candidate, b.candidate);
}

function byScore(a: Judged, b: Judged): number {
  const [one, two] = [a.candidate, b.candidate];
  return (b.verdict.score ?? 0) - (a.verdict.score ?? 0) || two.cosine - one.cosine || byAge(one, two);
}

function toJudgement({ level, stored, cosine }: Candidate, verdict: MatchVerdict): Judgement {
  const { score, entities, documents, rule, reason } = verdict;
  const { question, createdAt: storedAt } = stored;
  return { level, question, storedAt, cosine, entities, documents, score, served: false, rule, reason };
}

/** Orders newest first. Equal times are ordered by key, so that the order is always the same. */
function byAge({ stored: a }: Candidate, { stored: b }: Candidate): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.key < b.key ? -1 : 1;
}
