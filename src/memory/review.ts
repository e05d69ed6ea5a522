import { RequestError } from "../shared/errors.ts";
import type { Answer, Scope } from "../shared/types.ts";
import type { AuditPage, AuditRow } from "../store/audit.ts";
import { type Asker, askerOf } from "../store/interaction.ts";
import type { PendingInteraction, PendingOptions, ReviewedInteraction, ReviewOutcome, Sees } from "../store/review.ts";
import type { Store } from "../store/store.ts";
import { compareText } from "../text/normalise.ts";
import { shownOf } from "./named-documents.ts";

/** Number of interactions, newest first, from which the queue is computed. */
export const QUEUE_DEPTH = 20_000;
/** Default number of listed queue items. */
export const DEFAULT_QUEUE_LIMIT = 20;
/** Default number of listed history rows. */
export const DEFAULT_HISTORY_LIMIT = 50;
/** Number of history rows that are read at once if the person may see only some of them. */
const HISTORY_READ = 500;

export type QueuedQuestion = Awaited<ReturnType<Review["queue"]>>[number];

export type ShownReview = Awaited<ReturnType<Review["show"]>>;

export type ReviewHistory = Awaited<ReturnType<Review["history"]>>;

export interface QueueOptions extends Omit<PendingOptions, "limit"> {
  readonly domain?: string | undefined;
  readonly limit?: number | undefined;
}

export interface HistoryOptions extends Pick<AuditPage, "before"> {
  readonly id?: string | undefined;
  readonly limit?: number | undefined;
  readonly sees?: Sees | undefined;
}

/** A person who views answers. */
export interface Reader {
  readonly sees: Sees;
  /** Returns the scope in which the answer is shown: domain and tenant of the asker, access labels of this person. */
  readonly scopeFor: (asker: Asker) => Scope;
}

/** An interaction and the scope of its question. */
export interface AskedIn {
  readonly id: string;
  readonly scope: Scope;
}

export interface ReviewParts {
  readonly store: Pick<Store, "review" | "audit" | "documents">;
  readonly domain: (name?: string) => string;
  readonly createId: () => string;
  /** True if the cache keeps flagged answers and serves them with a warning. */
  readonly keepsFlagged: boolean;
  /**
   * Describes the filters and the selection to which each question was restricted, by answer id. Omits unrestricted
   * questions.
   */
  readonly within: (asked: readonly AskedIn[]) => Promise<ReadonlyMap<string, string>>;
  /** Links every sentence of a reviewer's text to quotes of documents. Throws if a sentence cannot be linked. */
  readonly bind: (interaction: ReviewedInteraction, answer: Answer, id: string, text: string) => Promise<Answer>;
}

export function createReview({ store, domain, createId, keepsFlagged, within, bind }: ReviewParts) {
  const load = async (id: string, sees?: Sees) => {
    const found = await store.review.get(id, sees);
    if (found === null) throw unknownInteraction(id);
    return found;
  };
  return {
    /** In the result, `within` describes the selection or filters of a question; `null`: none, or no longer known. */
    async queue({ domain: name, limit = DEFAULT_QUEUE_LIMIT, status, sees }: QueueOptions = {}) {
      const pending = await store.review.pending(domain(name), { limit: QUEUE_DEPTH, status, sees });
      const items = rankQueue(pending).slice(0, limit);
      const questions = await store.review.questions(items.map(({ id }) => id));
      const asked = items.map(({ id, tenant, access }) => ({ id, scope: askerOf({ domain: domain(name), tenant, access }) }));
      const limits = await within(asked);
      return items.map((item) => ({ ...item, question: questions.get(item.id) ?? "", within: limits.get(item.id) ?? null }));
    },
    /**
     * Returns an interaction for review. Without `reader`, everything is visible.
     * @throws RequestError `unknown_interaction`, also if the interaction is not visible to `reader`
     */
    async show(id: string, reader?: Reader) {
      const { curatedKey: _, curated, answer: text, ...found } = await load(id, reader?.sees);
      const limits = await within([{ id, scope: found }]);
      const given = text === "" ? null : (JSON.parse(text) as Answer);
      const correction = curated === null ? null : (JSON.parse(curated.answer) as Answer);
      const scope = reader?.scopeFor(found);
      const open = async (one: Answer | null) => (one === null || scope === undefined ? one : shownOf(one, scope, store.documents));
      const [answer, corrected] = [await open(given), await open(correction)];
      return {
        ...found,
        /** Describes the selection or filters of the question; `null` if there were none, or if they are no longer known. */
        within: limits.get(id) ?? null,
        /** The answer; `null` if its text was not kept or is withheld. */
        answer,
        /** True if answer or correction is withheld, because a document that it uses is deleted or not visible to `reader`. */
        withheld: (answer === null && given !== null) || (corrected === null && correction !== null),
        curated:
          curated === null || corrected === null
            ? null
            : { answer: corrected, status: curated.status, by: curated.createdBy, at: curated.createdAt },
        history: await store.audit.list({ subject: id, limit: DEFAULT_HISTORY_LIMIT }),
      };
    },
    /**
     * Approves the answer. The approval also covers other interactions with the same question and the same answer.
     * @throws RequestError `unknown_interaction`, `review_stale`, `review_no_text`
     */
    async approve(id: string, by: string): Promise<void> {
      const answer = answerOf(await load(id));
      assertDone(await store.review.approve({ id, by: actor(by), versions: versionsOf(answer) }), id);
    },
    /**
     * Marks the answer as wrong or doubtful. The cached answer is deleted, unless the cache serves flagged answers with a
     * warning.
     * @throws RequestError `unknown_interaction`
     */
    async flag(id: string, by: string): Promise<void> {
      assertDone(await store.review.flag({ id, by: actor(by), keepsCached: keepsFlagged }), id);
    },
    /**
     * Replaces the answer. Until one of its documents changes, the correction is served for the same question with the same
     * selection and filters. It has priority over cached answers.
     * @throws RequestError `unknown_interaction`, `review_no_text`, `review_not_repeatable`, `review_stale`, `answer_…`
     */
    async correct(id: string, text: string, by: string): Promise<Answer> {
      const found = await load(id);
      const before = answerOf(found);
      if (found.curatedKey === null) {
        const message = `The answer ${id} cannot be corrected, because it is never served again: it contained personal data, triggered a hotline, or depended on a conversation. Flag it, or add the missing facts to the documents.`;
        throw new RequestError("review_not_repeatable", message, { id });
      }
      const answer = await bind(found, before, createId(), text);
      const act = { id, by: actor(by), versions: versionsOf(answer), curatedId: answer.id, answer: JSON.stringify(answer) };
      assertDone(await store.review.correct(act), id);
      return answer;
    },
    /** Returns audit rows about answers that the reviewer may see, and in `chain` the result of verifying the whole audit log. */
    async history({ id, limit = DEFAULT_HISTORY_LIMIT, before, sees }: HistoryOptions = {}) {
      // Read one row more than `limit`, to know whether older rows follow.
      const asked = { subject: id, limit: limit + 1, before };
      const found = sees === undefined ? await store.audit.list(asked) : await listSeen(store, asked, sees);
      const rows = found.slice(0, limit);
      // `seq` of the last returned row if older rows follow; otherwise `null`.
      const olderThan = found.length > limit ? (rows.at(-1)?.seq ?? null) : null;
      return { rows, olderThan, chain: await store.audit.verify() };
    },
  };
}

/**
 * Actions of a reviewer. Every change is recorded in the audit log under the name `by`. `sees` decides whose questions are
 * visible. Without it, those of all users are.
 */
export type Review = ReturnType<typeof createReview>;

/** Returns audit rows about answers that the reviewer may see, newest first. */
async function listSeen({ audit, review }: ReviewParts["store"], { subject, limit, before: from }: AuditPage, sees: Sees) {
  const seen: AuditRow[] = [];
  for (let before = from; seen.length < limit; ) {
    const rows = await audit.list({ limit: HISTORY_READ, subject, before });
    const askers = await review.askers([...new Set(rows.map(({ subject }) => subject))]);
    for (const row of rows) {
      const asker = askers.get(row.subject);
      if (asker !== undefined && sees(asker)) seen.push(row);
    }
    before = rows.at(-1)?.seq;
    if (rows.length < HISTORY_READ) break;
  }
  return seen.slice(0, limit);
}

function answerOf({ id, answer, privacy }: ReviewedInteraction): Answer {
  if (answer !== "") return JSON.parse(answer) as Answer;
  const reason = privacy === "ephemeral" ? "the privacy setting is ephemeral" : "it was deleted";
  throw new RequestError("review_no_text", `The text of ${id} was not kept (${reason}), so there is nothing to review.`, { id });
}

function versionsOf({ citations }: Answer): Map<string, string> {
  return new Map(citations.map(({ documentId, documentVersion }) => [documentId, documentVersion]));
}

/** Maximum length of an actor's name in characters. */
const ACTOR_CHARACTERS = 100;

/** @throws RequestError `review_actor` */
export function actor(by: string): string {
  const name = by.trim();
  if (name === "" || name.length > ACTOR_CHARACTERS || /\p{Cc}/u.test(name)) {
    throw new RequestError("review_actor", `Name the reviewer for the audit log, in 1–${ACTOR_CHARACTERS} characters.`);
  }
  return name;
}

function assertDone(outcome: ReviewOutcome, id: string): void {
  if (outcome === "missing") throw unknownInteraction(id);
  if (outcome === "stale") {
    const message = `A document cited by the answer ${id} was changed or deleted. Ask the question again and review the new answer.`;
    throw new RequestError("review_stale", message, { id });
  }
}

/**
 * Returns the error for an unknown interaction. It is also thrown for an interaction that the user may not see, to hide
 * that the interaction exists.
 */
export function unknownInteraction(id: string): RequestError {
  const message = `There is no interaction "${id}". \`sourcebound review list\` shows those that wait for review.`;
  return new RequestError("unknown_interaction", message, { id });
}

/** Minimum risk in the queue. The score multiplies risk and frequency, so with a risk of 0, frequency would not count. */
const LEAST_RISK = 0.05;

/** Returns the review risk of an answer, at least `LEAST_RISK`. */
export function riskOf(one: PendingInteraction): number {
  const risk = factorsOf(one).reduce((sum, [own]) => sum + own, 0);
  return Math.max(LEAST_RISK, risk);
}

/**
 * Returns the factors of the risk that apply, each with its reason. A negative rating by a user weighs most, then a review
 * whose document has changed, then low confidence. The weights were chosen by hand, not measured.
 */
function factorsOf(one: PendingInteraction) {
  const counted = (n: number, what: string) => `${n} ${n === 1 ? what : `${what}s`}`;
  const factors: readonly (readonly [applies: boolean, risk: number, why: string])[] = [
    [one.thumbs === "down", 1, "thumbs down"],
    [one.thumbs === "up", -0.3, "thumbs up"],
    [one.demoted, 0.8, "a source changed"],
    [one.reviewStatus === "flagged", 0.5, "flagged"],
    [one.conflicts > 0, 0.5, counted(one.conflicts, "conflict")],
    [one.warnings > 0, 0.4, counted(one.warnings, "warning")],
    [one.reported, 0.4, "reported"],
    [one.status === "ok", 0.6 * (1 - (one.confidence ?? 0)), `confidence ${one.confidence?.toFixed(2) ?? "unknown"}`],
    // A refusal misleads nobody, but may show a gap in the documents.
    [one.status !== "ok", 0.2, "refused"],
  ];
  return factors.flatMap(([applies, risk, why]) => (applies ? [[risk, why] as const] : []));
}

/** Orders questions by review priority. Interactions with the same question in the same scope are one item: the one with the highest risk. */
export function rankQueue(pending: readonly PendingInteraction[]) {
  const byQuestion = new Map<string, { first: PendingInteraction; risk: number; waiting: number }>();
  for (const one of pending) {
    const key = JSON.stringify([one.questionHash === "" ? one.id : one.questionHash, one.tenant, one.access, one.profile]);
    const risk = riskOf(one);
    const known = byQuestion.get(key);
    const isFirst = known === undefined || risk > known.risk || (risk === known.risk && isNewer(one, known.first));
    byQuestion.set(key, { ...(isFirst ? { first: one, risk } : known), waiting: (known?.waiting ?? 0) + 1 });
  }
  return [...byQuestion.values()]
    .map(({ first, risk, waiting }) => ({
      ...first,
      risk,
      /** Number of interactions with this question that await review. */
      waiting,
      /** risk × (1 + log2 of the number of times the question was asked). */
      score: risk * (1 + Math.log2(first.asked)),
      why: factorsOf(first).map(([, why]) => why),
    }))
    .sort((a, b) => b.score - a.score || b.asked - a.asked || compareText(b.createdAt, a.createdAt) || compareText(a.id, b.id));
}

function isNewer(one: PendingInteraction, other: PendingInteraction): boolean {
  return (compareText(one.createdAt, other.createdAt) || compareText(other.id, one.id)) > 0;
}
