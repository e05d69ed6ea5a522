import { createHmac } from "node:crypto";
import type { CacheStore } from "../store/cache.ts";
import type { DocumentStore } from "../store/documents.ts";
import { normalizeQuestion } from "../text/normalize-question.ts";
import type { Answer, Question } from "../types.ts";

/** What besides the question decides an answer; a change of any of these is another key. */
export interface CacheScope {
  /** Secret of the installation. */
  readonly secret: string;
  readonly language: string;
  readonly encoder: string;
  /** Hash of every setting that shapes answers. */
  readonly configHash: string;
}

/** Key of the exact cache: HMAC-SHA-256 over the normalised, resolved question and its scope (DESIGN.md, stage 2). */
export function exactCacheKey(question: Question, { secret, language, encoder, configHash }: CacheScope): string {
  const { scope, profile, detail, selection, filters } = question;
  const parts = [
    normalizeQuestion(question.resolved),
    scope.domain,
    scope.tenant,
    profile,
    [...new Set(scope.access)].sort(),
    language,
    detail,
    selection === null ? null : [selection.documentId, selection.start, selection.end],
    encoder,
    configHash,
    ...(filters ? [[filters.document, filters.chapter, filters.section, filters.pages?.first, filters.pages?.last]] : []),
  ];
  return createHmac("sha256", secret).update(JSON.stringify(parts)).digest("hex");
}

export interface LookupParts {
  readonly cache: CacheStore;
  readonly documents: DocumentStore;
  /** Runs today's checks over a cached answer; only a clean one may be served. */
  readonly recheck: (answer: Answer) => Promise<boolean>;
}

/**
 * An exact hit that is safe to serve: every cited document is current and visible, every quote is byte-equal in it, and the checks pass again.
 * Anything else is a miss, and the entry goes.
 */
export async function lookupExact(key: string, question: Question, { cache, documents, recheck }: LookupParts): Promise<Answer | null> {
  const entry = await cache.get(key);
  if (entry === null) return null;
  const answer = JSON.parse(entry.answer) as Answer;
  const current = await documents.load(question.scope, [...entry.versions.keys()]);
  const safe =
    entry.versions.size > 0 &&
    [...entry.versions].every(([id, version]) => current.get(id)?.version === version) &&
    answer.citations.every((citation) => {
      const document = current.get(citation.documentId);
      return document !== undefined && document.text.slice(citation.start, citation.end) === citation.quote;
    }) &&
    (await recheck(answer));
  if (safe) return answer;
  await cache.delete(key);
  return null;
}

/** May an answer enter the cache? Only a clean one: answered, every claim supported or checked, nothing warned about. */
export function isCacheable(answer: Answer): boolean {
  return (
    answer.status === "ok" &&
    answer.citations.length > 0 &&
    answer.warnings.length === 0 &&
    answer.claims.every(({ status }) => status === "supported" || status === "unchecked") &&
    answer.checks.every(({ verdict }) => verdict === "pass")
  );
}
