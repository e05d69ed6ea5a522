import { createHmac } from "node:crypto";
import type { Answer, Question } from "../shared/types.ts";
import { normalizeQuestion } from "../text/normalise.ts";

/** What besides the question decides an answer; a change of any of these is another key. */
export interface CacheScope {
  /** Secret of the installation. */
  readonly secret: string;
  readonly language: string;
  readonly encoder: string;
  /** Hash of every setting that shapes answers. */
  readonly configHash: string;
}

/** Key of the exact cache: HMAC-SHA-256 over the normalised, resolved question and its scope (DESIGN.md, "Cache safety"); of a follow-up also over what was said before. */
export function exactCacheKey(question: Question, scope: CacheScope): string {
  const { selection, filters, text, resolved, history } = question;
  return keyedHash(scope.secret, [
    normalizeQuestion(resolved),
    ...scopeParts(question, scope),
    selection === null ? null : [selection.documentId, selection.start, selection.end],
    ...(filters ? [[filters.document, filters.chapter, filters.section, filters.pages?.first, filters.pages?.last]] : []),
    // What answered an earlier turn does not answer what follows it.
    ...(text === resolved ? [] : [["after", ...history.map(({ question: before, answer }) => [normalizeQuestion(before), answer])]]),
  ]);
}

/**
 * Key of a scope: questions share answers only where everything but their words is equal. `null` for a question that shares
 * none: about parts of documents, or read with the help of earlier turns, whose words are ours.
 */
export function sharingScope(question: Question, scope: CacheScope): string | null {
  const { selection, filters, text, resolved } = question;
  if (selection !== null || filters || text !== resolved) return null;
  return scopeKey(question, scope);
}

/** Key of everything but the question. */
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

/** May an answer enter the cache? Only a clean one: answered, every claim supported or checked, nothing warned about. */
export function isCacheable(answer: Answer): boolean {
  return (
    answer.status === "ok" &&
    answer.citations.length > 0 &&
    answer.warnings.length === 0 &&
    // What the web said today cannot be checked again on a hit.
    answer.web === undefined &&
    answer.claims.every(({ status }) => status === "supported" || status === "unchecked") &&
    answer.checks.every(({ verdict }) => verdict === "pass")
  );
}

export type CacheLevel = "exact" | "semantic" | "graph";

/** A stored answer that is served, and where it comes from. */
export interface Hit {
  /** `curated`: a reviewer wrote it. */
  readonly level: CacheLevel | "curated";
  readonly answer: Answer;
  /** The stored question; `null` where no text is kept. */
  readonly question: string | null;
  readonly storedAt: string;
}

/** What became of one stored question at one level, and by which rule. */
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
