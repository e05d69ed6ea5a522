import { RequestError } from "../shared/errors.ts";
import type { Answer, Scope } from "../shared/types.ts";
import type { AuditPage, AuditRow } from "../store/audit.ts";
import { type Asker, askerOf } from "../store/interaction.ts";
import type { PendingInteraction, PendingOptions, ReviewedInteraction, ReviewOutcome, Sees } from "../store/review.ts";
import type { Store } from "../store/store.ts";
import { compareText } from "../text/normalise.ts";
import { shownOf } from "./named-documents.ts";

/** Interactions that the order of the queue is worked out from: the newest. */
export const QUEUE_DEPTH = 20_000;
/** Items of the queue that are listed. */
export const DEFAULT_QUEUE_LIMIT = 20;
/** Rows of the history that are listed. */
export const DEFAULT_HISTORY_LIMIT = 50;
/** Rows of the history that are read at once where only some may be seen. */
const HISTORY_READ = 500;

export type QueuedQuestion = QueueItem & {
  readonly question: string;
  /** What the question was limited to, in words; `null`: to nothing, or it is not known any more. */
  readonly within: string | null;
};

export interface ShownReview extends Omit<ReviewedInteraction, "answer" | "curatedKey" | "curated"> {
  /** `null`: its text was not kept, or it is withheld. */
  readonly answer: Answer | null;
  /** Answer and correction that rest on a document which is gone or not open to the reader are left out. */
  readonly withheld: boolean;
  /** What the question was limited to, in words; `null`: to nothing, or it is not known any more. */
  readonly within: string | null;
  readonly curated: { readonly answer: Answer; readonly status: "served" | "demoted"; readonly by: string; readonly at: string } | null;
  readonly history: readonly AuditRow[];
}

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

/** Who looks at answers. */
export interface Reader {
  readonly sees: Sees;
  /** What it may see today of the documents from which an asker was answered. */
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
  /** What questions were limited to, in words, by the ids of their answers; those that were not are left out. */
  readonly within: (asked: readonly AskedIn[]) => Promise<ReadonlyMap<string, string>>;
  /** Binds what a reviewer wrote to documents, or throws. */
  readonly bind: (interaction: ReviewedInteraction, answer: Answer, id: string, text: string) => Promise<Answer>;
}

export function createReview({ store, domain, createId, within, bind }: ReviewParts) {
  const load = async (id: string, sees?: Sees) => {
    const found = await store.review.get(id, sees);
    if (found === null) throw unknownInteraction(id);
    return found;
  };
  return {
    async queue({ domain: name, limit = DEFAULT_QUEUE_LIMIT, status, sees }: QueueOptions = {}): Promise<QueuedQuestion[]> {
      const pending = await store.review.pending(domain(name), { limit: QUEUE_DEPTH, status, sees });
      const items = rankQueue(pending).slice(0, limit);
      const questions = await store.review.questions(items.map(({ id }) => id));
      const limits = await within(
        items.map(({ id, tenant, access }) => ({ id, scope: askerOf({ domain: domain(name), tenant, access }) })),
      );
      return items.map((item) => ({ ...item, question: questions.get(item.id) ?? "", within: limits.get(item.id) ?? null }));
    },
    /** Absent, the reader sees everything. @throws RequestError `unknown_interaction`, also of what is not seen */
    async show(id: string, reader?: Reader): Promise<ShownReview> {
      const { curatedKey: _, curated, answer: text, ...found } = await load(id, reader?.sees);
      const limits = await within([{ id, scope: found }]);
      const given = text === "" ? null : (JSON.parse(text) as Answer);
      const correction = curated === null ? null : (JSON.parse(curated.answer) as Answer);
      const scope = reader?.scopeFor(found);
      const open = async (one: Answer | null) => (one === null || scope === undefined ? one : shownOf(one, scope, store.documents));
      const [answer, corrected] = [await open(given), await open(correction)];
      return {
        ...found,
        within: limits.get(id) ?? null,
        answer,
        withheld: (answer === null && given !== null) || (corrected === null && correction !== null),
        curated:
          curated === null || corrected === null
            ? null
            : { answer: corrected, status: curated.status, by: curated.createdBy, at: curated.createdAt },
        history: await store.audit.list({ subject: id, limit: DEFAULT_HISTORY_LIMIT }),
      };
    },
    /** The answer is right: also wherever the same question got the same answer. @throws RequestError `unknown_interaction`, `review_stale`, `review_no_text` */
    async approve(id: string, by: string): Promise<void> {
      const answer = answerOf(await load(id));
      assertDone(await store.review.approve({ id, by: actor(by), versions: versionsOf(answer) }), id);
    },
    /** The answer is wrong or doubtful: the cache lets go of it. @throws RequestError `unknown_interaction` */
    async flag(id: string, by: string): Promise<void> {
      assertDone(await store.review.flag({ id, by: actor(by) }), id);
    },
    /**
     * Another answer in its place, served first from now on wherever the question is asked as it was, within the same limits, until one of its documents changes.
     * @throws RequestError `unknown_interaction`, `review_no_text`, `review_not_repeatable`, `review_stale`, `answer_…`
     */
    async correct(id: string, text: string, by: string): Promise<Answer> {
      const found = await load(id);
      const before = answerOf(found);
      if (found.curatedKey === null) {
        const message = `The answer of ${id} is never repeated (it held personal data, called for a hotline, or depended on a conversation), so that a correction would never be served: flag it, or add what is missing to the documents.`;
        throw new RequestError("review_not_repeatable", message, { id });
      }
      const answer = await bind(found, before, createId(), text);
      const act = { id, by: actor(by), versions: versionsOf(answer), curatedId: answer.id, answer: JSON.stringify(answer) };
      assertDone(await store.review.correct(act), id);
      return answer;
    },
    /** Acts on answers that the reviewer may look at; the chain is that of the whole log. */
    async history({ id, limit = DEFAULT_HISTORY_LIMIT, before, sees }: HistoryOptions = {}) {
      // One more than is listed says whether any follows.
      const asked = { subject: id, limit: limit + 1, before };
      const found = sees === undefined ? await store.audit.list(asked) : await listSeen(store, asked, sees);
      const rows = found.slice(0, limit);
      // `seq` of the last row, where older ones follow; `null`: these were all.
      const olderThan = found.length > limit ? (rows.at(-1)?.seq ?? null) : null;
      return { rows, olderThan, chain: await store.audit.verify() };
    },
  };
}

/** What a reviewer can do; every act is in the audit log under `by`. `sees`: whose questions the reviewer may look at; absent: everybody's. */
export type Review = ReturnType<typeof createReview>;

/** Acts on answers that the asker may look at, newest first. */
async function listSeen(
  { audit, review }: ReviewParts["store"],
  { subject, limit, before: from }: AuditPage,
  sees: Sees,
): Promise<AuditRow[]> {
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
  const why = privacy === "ephemeral" ? "privacy is ephemeral" : "it was forgotten";
  throw new RequestError("review_no_text", `The text of ${id} was not kept (${why}): there is nothing to review.`, { id });
}

function versionsOf({ citations }: Answer): Map<string, string> {
  return new Map(citations.map(({ documentId, documentVersion }) => [documentId, documentVersion]));
}

/** Longest name of an actor, in characters. */
const ACTOR_CHARACTERS = 100;

/** @throws RequestError `review_actor` */
export function actor(by: string): string {
  const name = by.trim();
  if (name === "" || name.length > ACTOR_CHARACTERS || /\p{Cc}/u.test(name)) {
    throw new RequestError("review_actor", `Say who acts, in 1–${ACTOR_CHARACTERS} characters: the audit log keeps it.`);
  }
  return name;
}

function assertDone(outcome: ReviewOutcome, id: string): void {
  if (outcome === "missing") throw unknownInteraction(id);
  if (outcome === "stale") {
    const message = `A document that the answer of ${id} cites has changed or is gone: ask the question again and review the new answer.`;
    throw new RequestError("review_stale", message, { id });
  }
}

/** Also said of an interaction that the asker may not see. */
export function unknownInteraction(id: string): RequestError {
  return new RequestError("unknown_interaction", `There is no interaction "${id}": \`sourcebound review list\` shows those that wait.`, {
    id,
  });
}

/**
 * What makes an answer worth a look, each part in 0–1. A reader who says that it is wrong counts most; then a review that no longer holds;
 * what the checks said; and how unsure the answer was. The weights are a choice, not measured.
 */
export const RISK_WEIGHTS = {
  thumbsDown: 1,
  sourceChanged: 0.8,
  flagged: 0.5,
  conflicts: 0.5,
  warnings: 0.4,
  reported: 0.4,
  /** Times 1 − confidence, of an answer; an answer without a confidence counts as wholly unsure. */
  unsure: 0.6,
  /** A refusal misleads nobody; it may be a gap in the documents. */
  refused: 0.2,
  thumbsUp: -0.3,
} as const;

/** Least risk of what is in the queue: how often it was asked must count for something. */
const LEAST_RISK = 0.05;

/** How much an answer needs a look, from 0.05 up. */
export function riskOf(one: PendingInteraction): number {
  const w = RISK_WEIGHTS;
  const unsure = one.status === "ok" ? w.unsure * (1 - (one.confidence ?? 0)) : w.refused;
  const sum =
    unsure +
    (one.thumbs === "down" ? w.thumbsDown : 0) +
    (one.thumbs === "up" ? w.thumbsUp : 0) +
    (one.demoted ? w.sourceChanged : 0) +
    (one.reviewStatus === "flagged" ? w.flagged : 0) +
    (one.conflicts > 0 ? w.conflicts : 0) +
    (one.warnings > 0 ? w.warnings : 0) +
    (one.reported ? w.reported : 0);
  return Math.max(LEAST_RISK, sum);
}

/** One question of the queue, under the interaction of it that most needs a look. */
export interface QueueItem extends PendingInteraction {
  readonly risk: number;
  /** risk × (1 + log2 of how often it was asked). */
  readonly score: number;
  /** Interactions with this question that wait for review. */
  readonly waiting: number;
  readonly why: readonly string[];
}

/** Questions in the order in which they need a look; the same question of the same scope is one item. */
export function rankQueue(pending: readonly PendingInteraction[]): QueueItem[] {
  const byQuestion = new Map<string, { first: PendingInteraction; risk: number; waiting: number }>();
  for (const one of pending) {
    const key = JSON.stringify([one.questionHash === "" ? one.id : one.questionHash, one.tenant, one.access, one.profile]);
    const risk = riskOf(one);
    const known = byQuestion.get(key);
    if (known === undefined) byQuestion.set(key, { first: one, risk, waiting: 1 });
    else {
      known.waiting++;
      if (risk > known.risk || (risk === known.risk && isNewer(one, known.first))) {
        known.first = one;
        known.risk = risk;
      }
    }
  }
  return [...byQuestion.values()]
    .map(({ first, risk, waiting }) => ({ ...first, risk, waiting, score: risk * (1 + Math.log2(first.asked)), why: reasonsOf(first) }))
    .sort((a, b) => b.score - a.score || b.asked - a.asked || compareText(b.createdAt, a.createdAt) || compareText(a.id, b.id));
}

function isNewer(one: PendingInteraction, other: PendingInteraction): boolean {
  return (compareText(one.createdAt, other.createdAt) || compareText(other.id, one.id)) > 0;
}

function reasonsOf(one: PendingInteraction): string[] {
  const confidence = one.confidence === null ? "unknown" : one.confidence.toFixed(2);
  return [
    ...(one.thumbs === "down" ? ["thumbs down"] : []),
    ...(one.demoted ? ["a source changed"] : []),
    ...(one.reviewStatus === "flagged" ? ["flagged"] : []),
    ...(one.conflicts > 0 ? [`${one.conflicts} ${one.conflicts === 1 ? "conflict" : "conflicts"}`] : []),
    ...(one.warnings > 0 ? [`${one.warnings} ${one.warnings === 1 ? "warning" : "warnings"}`] : []),
    ...(one.reported ? ["reported"] : []),
    one.status === "ok" ? `confidence ${confidence}` : "refused",
  ];
}
