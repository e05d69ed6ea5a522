import { LRUCache } from "lru-cache";
import type { Answer, Question, Scope, StoredDocument, Warning } from "../shared/types.ts";
import type { CacheEntry, CacheStore } from "../store/cache.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { SharedContent } from "../store/interaction.ts";
import type { ReviewStore } from "../store/review.ts";
import { keyedHash, sha256Hex } from "../text/hash.ts";
import { normalizeQuestion } from "../text/normalise.ts";
import type { MatchVerdict } from "./matcher.ts";

/** Everything besides the question that affects an answer. Any difference gives a different key. */
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
 * "Cache safety"). The key of a follow-up question also covers the conversation so far.
 */
export function exactCacheKey(question: Question, scope: CacheScope): string {
  const { selection, filters, text, resolved, history } = question;
  return keyedHash(
    scope.secret,
    normalizeQuestion(resolved),
    ...scopeParts(question, scope),
    selection === null ? null : [selection.documentId, selection.start, selection.end],
    ...(filters ? [[filters.document, filters.chapter, filters.section, filters.pages?.first, filters.pages?.last]] : []),
    // An answer that depends on earlier turns must not be served in another conversation.
    ...(text === resolved ? [] : [["after", ...history.map(({ question: before, answer }) => [normalizeQuestion(before), answer])]]),
  );
}

/**
 * Returns a key that this question has in common with all questions that may share its answer: those that differ from
 * it only in words. Returns `null` if the question may not share answers. That is so if it has a selection or filters,
 * or if words of earlier turns were added to it.
 */
export function sharingScope(question: Question, scope: CacheScope): string | null {
  const { selection, filters, text, resolved } = question;
  return selection !== null || filters || text !== resolved ? null : scopeKey(question, scope);
}

/** Returns a key of scope, profile, detail and settings, without the words of the question. */
export function scopeKey(question: Pick<Question, "scope" | "profile" | "detail">, scope: CacheScope): string {
  return keyedHash(scope.secret, "scope", ...scopeParts(question, scope));
}

function scopeParts({ scope, profile, detail }: Pick<Question, "scope" | "profile" | "detail">, settings: CacheScope): unknown[] {
  const { language, encoder, configHash } = settings;
  return [scope.domain, scope.tenant, profile, [...new Set(scope.access)].sort(), language, detail, encoder, configHash];
}

/**
 * Checks whether an answer may enter the cache. It must have citations and no warnings. Every claim must be supported or
 * unchecked, and every check must have passed, possibly after a repair. The checks run again on every hit.
 */
export function isCacheable(answer: Answer): boolean {
  return (
    answer.status === "ok" &&
    answer.citations.length > 0 &&
    answer.warnings.length === 0 &&
    // A web check cannot be repeated on a hit, so do not cache an answer that was checked on the web.
    answer.web === undefined &&
    answer.claims.every(({ status }) => status === "supported" || status === "unchecked") &&
    answer.checks.every(({ verdict }) => verdict === "pass" || verdict === "repaired")
  );
}

type CacheLevel = "exact" | "semantic" | "graph";

/** A stored answer to serve, with its origin. */
export interface Hit {
  /** Cache level that found the answer; `curated`: a reviewer's correction. */
  readonly level: CacheLevel | "curated";
  readonly answer: Answer;
  /** The stored question; `null` if its text is not kept. */
  readonly question: string | null;
  readonly storedAt: string;
}

/** Outcome for one stored question at one cache level, with the rule that decided. */
export interface Judgement extends Omit<MatchVerdict, "accepted"> {
  readonly level: CacheLevel;
  readonly question: string | null;
  readonly storedAt: string | null;
  readonly cosine: number | null;
  readonly served: boolean;
}

/** Maximum number of characters in `StoredAnswers`: about 500 answers, which take about 100 MB with derived data. */
const KEPT_CHARACTERS = 16_000_000;
/**
 * For each stored answer: maximum number of contexts for which the cache remembers that the checks passed, and maximum
 * number of questions whose hits it caches.
 */
const MOST_CONTEXTS = 64;

/** Fields that a cache hit shares with the stored answer. They contain nearly all of its text. */
const SHARED = ["sentences", "claims", "citations", "evidence", "conflicts", "checks"] as const satisfies readonly (keyof Answer)[];

interface Read {
  readonly text: string;
  readonly answer: Answer;
  /** Cached hits by question. */
  readonly served: Map<string, Served>;
}

/** A verified cache hit, and the state of the store in which it was verified. */
interface Served {
  readonly hit: Hit;
  readonly judged: Judgement;
  readonly expiresAt: string;
  /** Generation of the store before the entry was read. Every change of the store changes its generation. */
  readonly generation: number;
}

/**
 * Caches stored answers in parsed form, and hits that were verified. Everything in it is derived from the text of an
 * entry. Whether the entry still exists, is not flagged, and has current and visible documents is read from the store on
 * every hit. Only if the generation of the store is unchanged, a verified hit is used again without reading.
 */
export class StoredAnswers {
  private readonly known = new LRUCache<string, Read>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ text }) => Math.max(1, text.length),
  });
  private readonly passed = new WeakMap<Answer, Set<string>>();
  private readonly contents = new WeakMap<Answer, SharedContent>();
  private readonly topics = new WeakMap<Answer, readonly string[]>();

  /** Returns the parsed answer of an entry. While it is cached, equal text gives the same frozen object. */
  read(key: string, text: string): Answer {
    const before = this.known.get(key);
    if (before?.text === text) return before.answer;
    const answer = freeze(JSON.parse(text)) as Answer;
    this.known.set(key, { text, answer, served: new Map() });
    return answer;
  }

  /**
   * Caches a verified hit on an entry returned by `read`.
   * @param question the resolved question
   */
  serves(key: string, question: string, served: Served): void {
    const hits = this.known.peek(key)?.served;
    if (hits === undefined) return;
    if (hits.size >= MOST_CONTEXTS) hits.clear();
    hits.set(question, served);
  }

  /**
   * Returns the cached hit of this question on this entry. Returns `null` if there is none, or if the store has changed
   * since, so that everything must be verified again.
   */
  servedIn(generation: number, key: string, question: string): Served | null {
    const served = this.known.get(key)?.served.get(question);
    return served?.generation === generation ? served : null;
  }

  /**
   * Runs the checks of an answer, unless the same answer has already passed them in the same context.
   * @param context everything besides the answer on which the checks depend, as text
   */
  async passes(answer: Answer, context: string, check: () => Promise<boolean>): Promise<boolean> {
    const contexts = this.passed.get(answer) ?? new Set();
    if (contexts.has(context)) return true;
    if (!(await check())) return false;
    if (contexts.size >= MOST_CONTEXTS) contexts.clear();
    this.passed.set(answer, contexts.add(context));
    return true;
  }

  /**
   * Splits the record of a cache hit into the fields that it shares with the cached answer (`content`, which is stored only
   * once) and its other fields (`own`). Returns `null` if a shared field differs.
   * @param stored record of the hit, in the form in which it is stored
   * @param served cached answer, as returned by `read`
   */
  share(stored: Answer, served: Answer): { readonly own: object; readonly content: SharedContent } | null {
    if (!SHARED.every((part) => stored[part] === served[part])) return null;
    const own = Object.fromEntries(Object.entries(stored).filter(([part]) => !SHARED.some((shared) => shared === part)));
    const content = this.contents.get(served) ?? contentOf(served);
    this.contents.set(served, content);
    return { own, content };
  }

  /**
   * Returns the topics of the documents that an answer cites. They never change for a stored answer, because it cites fixed
   * versions of its documents.
   */
  async topicsOf(served: Answer, read: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const known = this.topics.get(served) ?? (await read());
    this.topics.set(served, known);
    return known;
  }
}

function contentOf(served: Answer): SharedContent {
  const body = JSON.stringify(Object.fromEntries(SHARED.map((part) => [part, served[part]])));
  return { hash: sha256Hex(body), body };
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const one of Object.values(value)) freeze(one);
  return Object.freeze(value);
}

export interface ReverifyParts {
  readonly cache: Pick<CacheStore, "delete">;
  readonly answers: Pick<StoredAnswers, "read">;
  readonly documents: Pick<DocumentStore, "load">;
  /** Runs the current checks on a stored answer. The answer may be served only if this returns true. */
  readonly recheck: (answer: Answer) => Promise<boolean>;
  /** True to serve flagged answers with a warning. @default false */
  readonly servesFlagged?: boolean;
}

/** Warning added to a stored answer that a reviewer has flagged. */
export const FLAGGED_WARNING: Warning = { code: "flagged", message: "A reviewer flagged this answer as wrong or doubtful. Do not use it." };

/** A stored answer that may be served, or the rule that prevents it. */
type Reverified = { readonly type: "safe"; readonly answer: Answer } | ReturnType<typeof unsafe>;

/**
 * Verifies a stored answer before it is served, on every cache level (DESIGN.md, "Cache safety"). It must not be flagged,
 * unless flagged answers are served with a warning. Every document that it names must be visible in the named version.
 * Every quote must be byte-equal, and the checks must pass. An entry that fails is deleted, unless it is flagged.
 * @param effects `"none"` deletes nothing, for requests that only explain the cache
 */
export async function reverify(
  entry: CacheEntry,
  scope: Scope,
  parts: ReverifyParts,
  effects: "drop" | "none" = "drop",
): Promise<Reverified> {
  const isFlagged = entry.reviewStatus === "flagged";
  if (isFlagged && parts.servesFlagged !== true) return unsafe("flagged", "a reviewer flagged the stored answer");
  const judged = await judge(entry, scope, parts);
  if (judged.type === "unsafe" && effects === "drop" && !isFlagged) await parts.cache.delete(entry.key);
  if (!isFlagged || judged.type === "unsafe") return judged;
  return { type: "safe", answer: { ...judged.answer, warnings: [FLAGGED_WARNING, ...judged.answer.warnings] } };
}

async function judge({ key, answer: text, documents }: CacheEntry, scope: Scope, parts: ReverifyParts): Promise<Reverified> {
  const ids = documents.map(({ id }) => id);
  const current = await parts.documents.load(scope, ids);
  if (ids.length === 0 || ids.some((id) => !current.has(id)))
    return unsafe("documents", "a cited document was deleted or is no longer accessible to you");
  if (documents.some(({ id, version }) => current.get(id)?.version !== version)) return unsafe("documents", "a cited document has changed");
  const answer = parts.answers.read(key, text);
  if (!quotesStand(answer, current)) return unsafe("quotes", "a quote of the stored answer is no longer in its document word for word");
  const passes = await parts.recheck(answer);
  return passes ? { type: "safe", answer } : unsafe("checks", "the current checks find a fault in the stored answer");
}

function unsafe(rule: "flagged" | "documents" | "quotes" | "checks", reason: string) {
  return { type: "unsafe", rule, reason } as const;
}

function quotesStand({ citations }: Answer, current: ReadonlyMap<string, StoredDocument>): boolean {
  return (
    citations.length > 0 &&
    citations.every(({ documentId, documentVersion, start, end, quote, context, quoteStart, row }) => {
      const document = current.get(documentId);
      if (document === undefined) return false;
      const { version, text } = document;
      return (
        version === documentVersion &&
        text.slice(start, end) === quote &&
        text.slice(start - quoteStart, start - quoteStart + context.length) === context &&
        (row === undefined || text.slice(row.header.start, row.header.end) === row.header.text)
      );
    })
  );
}

/** Looks up the answer stored under `key` and verifies it (`reverify`). `hit` is `null` if there is none that is safe to serve today. */
export async function lookupExact(
  key: string,
  scope: Scope,
  parts: ReverifyParts & { readonly cache: Pick<CacheStore, "get" | "delete"> },
  effects: "drop" | "none" = "drop",
): Promise<{ hit: Hit | null; judged: Judgement; expiresAt: string }> {
  const entry = await parts.cache.get(key);
  const miss = { level: "exact", cosine: null, entities: null, documents: null, score: null, served: false } as const;
  if (entry === null) {
    const reason = "no answer to exactly this question is stored for this tenant, access and profile, or it has expired";
    return { hit: null, judged: { ...miss, question: null, storedAt: null, rule: "none", reason }, expiresAt: "" };
  }
  const { question, createdAt: storedAt, expiresAt } = entry;
  const safe = await reverify(entry, scope, parts, effects);
  if (safe.type === "unsafe")
    return { hit: null, judged: { ...miss, question, storedAt, rule: safe.rule, reason: safe.reason }, expiresAt };
  return {
    hit: { level: "exact", answer: safe.answer, question, storedAt },
    judged: { ...miss, question, storedAt, served: true, rule: "same_question", reason: "an answer to exactly this question is stored" },
    expiresAt,
  };
}

/**
 * Returns the key of a reviewer's correction for this question. Unlike the exact key, it ignores the encoder, the
 * settings and the conversation, because a person wrote the answer. The current checks still run on every hit.
 */
export function curatedKey(question: Question, scope: CacheScope): string {
  return exactCacheKey({ ...question, text: question.resolved }, { ...scope, encoder: "", configHash: "curated" });
}

interface CuratedParts {
  readonly review: Pick<ReviewStore, "curated" | "demote">;
  readonly documents: Pick<DocumentStore, "load">;
  /**
   * Runs the current checks, and verifies that the quotes lie within the selection and filters of the question. The answer
   * may be served only if this returns true.
   */
  readonly recheck: (answer: Answer) => Promise<boolean>;
}

/**
 * Returns a reviewer's correction if its documents are current, its quotes byte-equal, and its checks pass. A correction
 * that fails its checks goes back to the review queue.
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
  // If a document has changed, the correction is in the review queue already.
  if (isCurrent) await review.demote(key, "the stored answer no longer passes its checks");
  return null;
}
