import { createHmac } from "node:crypto";
import type { Answer, Question } from "../shared/types.ts";
import { normalizeQuestion } from "../text/normalise.ts";

/** Everything besides the question that affects an answer. Any change results in another key. */
export interface CacheScope {
  /** Secret of the installation. */
  readonly secret: string;
  readonly language: string;
  readonly encoder: string;
  /** Hash of every setting that affects answers. */
  readonly configHash: string;
}

/**
 * Returns the key of the exact cache: HMAC-SHA-256 over the normalised, resolved question and its scope (DESIGN.md,
 * "Cache safety"). For a follow-up, the conversation so far is included.
 */
export function exactCacheKey(question: Question, scope: CacheScope): string {
  const { selection, filters, text, resolved, history } = question;
  return keyedHash(scope.secret, [
    normalizeQuestion(resolved),
    ...scopeParts(question, scope),
    selection === null ? null : [selection.documentId, selection.start, selection.end],
    ...(filters ? [[filters.document, filters.chapter, filters.section, filters.pages?.first, filters.pages?.last]] : []),
    // The answer to an earlier turn must not answer a follow-up.
    ...(text === resolved ? [] : [["after", ...history.map(({ question: before, answer }) => [normalizeQuestion(before), answer])]]),
  ]);
}

/**
 * Returns the key under which questions share answers: everything but their words must be equal. Returns `null` for a
 * question that shares none: one limited to parts of documents, or resolved with earlier turns and thus reworded by the
 * program.
 */
export function sharingScope(question: Question, scope: CacheScope): string | null {
  const { selection, filters, text, resolved } = question;
  if (selection !== null || filters || text !== resolved) return null;
  return scopeKey(question, scope);
}

/** Returns the key of everything but the question. */
export function scopeKey(question: Pick<Question, "scope" | "profile" | "detail">, scope: CacheScope): string {
  return keyedHash(scope.secret, ["scope", ...scopeParts(question, scope)]);
}

function scopeParts({ scope, profile, detail }: Pick<Question, "scope" | "profile" | "detail">, settings: CacheScope): unknown[] {
  const { language, encoder, configHash } = settings;
  return [scope.domain, scope.tenant, profile, [...new Set(scope.access)].sort(), language, detail, encoder, configHash];
}

function keyedHash(secret: string, parts: readonly unknown[]): string {
  return createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex");
}

/**
 * Checks whether an answer may enter the cache: it is answered with citations, every claim is supported or unchecked,
 * every check passes, and there are no warnings.
 */
export function isCacheable(answer: Answer): boolean {
  return (
    answer.status === "ok" &&
    answer.citations.length > 0 &&
    answer.warnings.length === 0 &&
    // The result of a web check cannot be verified again on a hit.
    answer.web === undefined &&
    answer.claims.every(({ status }) => status === "supported" || status === "unchecked") &&
    answer.checks.every(({ verdict }) => verdict === "pass")
  );
}

export type CacheLevel = "exact" | "semantic" | "graph";

/** A stored answer to serve, with its origin. */
export interface Hit {
  /** `curated`: a reviewer wrote it. */
  readonly level: CacheLevel | "curated";
  readonly answer: Answer;
  /** The stored question; `null` if its text is not kept. */
  readonly question: string | null;
  readonly storedAt: string;
}

/** Outcome for one stored question at one cache level, with the rule that decided. */
export interface Judgement {
  readonly level: CacheLevel;
  readonly question: string | null;
  readonly storedAt: string | null;
  readonly cosine: number | null;
  readonly entities: number | null;
  readonly documents: number | null;
  readonly score: number | null;
  readonly served: boolean;
  readonly rule: string;
  readonly reason: string;
}
