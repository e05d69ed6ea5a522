import type { Answer, Question, Scope, StoredDocument } from "../shared/types.ts";
import type { CacheEntry, CacheStore } from "../store/cache.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { ReviewStore } from "../store/review.ts";
import type { StoredAnswers } from "./stored-answers.ts";
import { type CacheScope, exactCacheKey, type Hit, type Judgement } from "./stored-answers.ts";

export interface ReverifyParts {
  readonly cache: Pick<CacheStore, "delete">;
  readonly answers: Pick<StoredAnswers, "read">;
  readonly documents: Pick<DocumentStore, "load">;
  /** Runs the current checks on a stored answer. Only a clean one may be served. */
  readonly recheck: (answer: Answer) => Promise<boolean>;
}

/** A stored answer that may be served, or the rule that prevents it. */
export type Reverified =
  | { readonly type: "safe"; readonly answer: Answer }
  | { readonly type: "unsafe"; readonly rule: "flagged" | "documents" | "quotes" | "checks"; readonly reason: string };

/**
 * Verifies a stored answer before it is served, however it was found (DESIGN.md, "Cache safety"): it is not flagged,
 * every document that it names is visible in the named version, every quote is byte-equal, and the checks find nothing.
 * An entry that fails is deleted, unless it is flagged or `effects` is `"none"`.
 * @param effects `"none"` changes nothing, for explanations
 */
export async function reverify(
  entry: CacheEntry,
  scope: Scope,
  parts: ReverifyParts,
  effects: "drop" | "none" = "drop",
): Promise<Reverified> {
  if (entry.reviewStatus === "flagged") return { type: "unsafe", rule: "flagged", reason: "a reviewer flagged the stored answer" };
  const judged = await judge(entry, scope, parts);
  if (judged.type === "unsafe" && effects === "drop") await parts.cache.delete(entry.key);
  return judged;
}

async function judge({ key, answer: text, documents }: CacheEntry, scope: Scope, parts: ReverifyParts): Promise<Reverified> {
  const current = await parts.documents.load(
    scope,
    documents.map(({ id }) => id),
  );
  if (documents.length === 0 || documents.some(({ id }) => !current.has(id)))
    return { type: "unsafe", rule: "documents", reason: "a cited document was deleted or is no longer visible" };
  if (documents.some(({ id, version }) => current.get(id)?.version !== version))
    return { type: "unsafe", rule: "documents", reason: "a cited document has changed" };
  const answer = parts.answers.read(key, text);
  if (!quotesStand(answer, current))
    return { type: "unsafe", rule: "quotes", reason: "a quote is no longer in its document, byte for byte" };
  if (!(await parts.recheck(answer)))
    return { type: "unsafe", rule: "checks", reason: "the current checks find a fault in the stored answer" };
  return { type: "safe", answer };
}

function quotesStand({ citations }: Answer, current: ReadonlyMap<string, StoredDocument>): boolean {
  return (
    citations.length > 0 &&
    citations.every(({ documentId, documentVersion, start, end, quote, context, quoteStart, row }) => {
      const document = current.get(documentId);
      if (document === undefined || document.version !== documentVersion) return false;
      const { text } = document;
      return (
        text.slice(start, end) === quote &&
        text.slice(start - quoteStart, start - quoteStart + context.length) === context &&
        (row === undefined || text.slice(row.header.start, row.header.end) === row.header.text)
      );
    })
  );
}

/** Returns the answer stored for exactly this question if it is safe to serve today. An unsafe entry is deleted, unless flagged. */
export async function lookupExact(
  key: string,
  scope: Scope,
  parts: ReverifyParts & { readonly cache: Pick<CacheStore, "get" | "delete"> },
  effects: "drop" | "none" = "drop",
): Promise<{ hit: Hit | null; judged: Judgement; expiresAt: string }> {
  const entry = await parts.cache.get(key);
  const miss = { level: "exact", cosine: null, entities: null, documents: null, score: null, served: false } as const;
  if (entry === null) {
    const reason = "no answer is stored for this question in this scope, or it has expired";
    return { hit: null, judged: { ...miss, question: null, storedAt: null, rule: "none", reason }, expiresAt: "" };
  }
  const { question, createdAt: storedAt, expiresAt } = entry;
  const safe = await reverify(entry, scope, parts, effects);
  if (safe.type === "unsafe")
    return { hit: null, judged: { ...miss, question, storedAt, rule: safe.rule, reason: safe.reason }, expiresAt };
  return {
    hit: { level: "exact", answer: safe.answer, question, storedAt },
    judged: { ...miss, question, storedAt, served: true, rule: "same_question", reason: "same question" },
    expiresAt,
  };
}

/**
 * Returns the key of a reviewer's answer to this question. Unlike the exact key, it ignores the encoder, the settings
 * and the conversation, because a person wrote the answer. The current checks still run on every hit.
 */
export function curatedKey(question: Question, scope: CacheScope): string {
  return exactCacheKey({ ...question, text: question.resolved }, { ...scope, encoder: "", configHash: "curated" });
}

export interface CuratedParts {
  readonly review: Pick<ReviewStore, "curated" | "demote">;
  readonly documents: Pick<DocumentStore, "load">;
  /**
   * Runs the current checks and verifies that the answer respects the limits of the question. Only a clean one may be
   * served.
   */
  readonly recheck: (answer: Answer) => Promise<boolean>;
}

/**
 * Returns a reviewer's answer that is still valid: its documents are current, its quotes byte-equal, its checks pass.
 * An answer that fails its checks goes back to the review queue.
 */
export async function lookupCurated(key: string, question: Question, { review, documents, recheck }: CuratedParts): Promise<Hit | null> {
  if (question.injectionSignals.length > 0) return null;
  const entry = await review.curated(key);
  if (entry === null) return null;
  const answer = JSON.parse(entry.answer) as Answer;
  const current = await documents.load(question.scope, [...entry.versions.keys()]);
  const isCurrent = entry.versions.size > 0 && [...entry.versions].every(([id, version]) => current.get(id)?.version === version);
  const isExact = answer.citations.every(({ documentId, start, end, quote }) => current.get(documentId)?.text.slice(start, end) === quote);
  if (isCurrent && isExact && (await recheck(answer))) {
    return { level: "curated", answer, question: answer.question === "" ? null : answer.question, storedAt: entry.createdAt };
  }
  // A changed document has already demoted the answer itself.
  if (isCurrent) await review.demote(key, "its checks no longer pass");
  return null;
}
