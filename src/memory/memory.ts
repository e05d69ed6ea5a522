import { redactPersonalData } from "../guard/pii.ts";
import { RequestError } from "../shared/errors.ts";
import { MAX_FEEDBACK_CHARACTERS } from "../shared/limits.ts";
import type { Privacy, Scope } from "../shared/types.ts";
import type { ForgetTarget, Forgotten, Purged, Retention } from "../store/forget.ts";
import type { Store } from "../store/store.ts";
import { keyedHash } from "../text/hash.ts";
import { actor, createReview, type ReviewParts } from "./review.ts";
import { type SessionMessage, sessionMessages } from "./session-messages.ts";
import { sumUp, sumUpMade } from "./statistics.ts";

/** Number of answers, newest first, from which statistics of models, stages and checks are computed. */
const MADE_ANSWERS = 2_000;

export interface FeedbackRequest {
  readonly id: string;
  readonly verdict: "up" | "down";
  readonly reason?: string | null | undefined;
  /** Session of the answer. If it is given but is not the session of this answer, the request fails. */
  readonly sessionId?: string | null | undefined;
}

export interface SessionRequest {
  readonly id: string;
  readonly userId?: string | null | undefined;
}

export interface Counted {
  /** Domain whose interactions are counted; `null`: all domains. */
  readonly domain: string | null;
  /** ISO time from which interactions are counted; `null`: from the beginning. */
  readonly since: string | null;
}

export interface ForgetOptions {
  /** Who requests the deletion; recorded in the audit log. */
  readonly by: string;
  /** True to count what would be deleted without deleting it. */
  readonly dryRun?: boolean | undefined;
}

export interface ForgetReport extends Forgotten {
  /** True if the database files no longer contain the deleted data; `null` in a dry run, which deletes nothing. */
  readonly scrubbed: boolean | null;
  /** Says where the deleted data may still be, and what to do about it; `null` if it is nowhere. */
  readonly left: string | null;
}

export interface MemoryParts extends Omit<ReviewParts, "store"> {
  readonly store: Store;
  readonly privacy: Privacy;
  readonly sessionTurns: number;
  readonly retention: Retention;
}

export function createMemory({ store, privacy, sessionTurns, retention, ...reviewing }: MemoryParts) {
  return {
    review: createReview({ store, ...reviewing }),
    /** @throws RequestError `unknown_answer`, `feedback_too_long`, `feedback_too_often` */
    async feedback({ id, verdict, reason = null, sessionId = null }: FeedbackRequest, scope: Scope): Promise<void> {
      const text = reason === null || reason.trim() === "" ? null : reason.trim();
      if (text !== null && text.length > MAX_FEEDBACK_CHARACTERS) {
        const message = `The reason has ${text.length} characters; the limit is ${MAX_FEEDBACK_CHARACTERS}. Shorten it.`;
        throw new RequestError("feedback_too_long", message, { characters: text.length, limit: MAX_FEEDBACK_CHARACTERS });
      }
      const sessionHash = sessionId === null ? null : keyedHash(await store.secret(), "session", sessionId);
      const kept = text === null || privacy === "ephemeral" ? null : redactPersonalData(text);
      const outcome = await store.review.rate({ id, ...scope, sessionHash, verdict, reason: kept });
      if (outcome === "missing") {
        const message = `There is no answer "${id}" to rate. Send the "id" and "session_id" of an answer.`;
        throw new RequestError("unknown_answer", message, { id });
      }
      if (outcome === "too_often")
        throw new RequestError(
          "feedback_too_often",
          "This rating was not saved, because the rating of the answer was changed too often. The previous rating is kept.",
        );
    },
    /**
     * Returns the messages of a session.
     * @throws RequestError `unknown_session`, also for a session of another scope or user
     */
    async session({ id, userId = null }: SessionRequest, scope: Scope): Promise<SessionMessage[]> {
      const turns = await store.sessions.turns(id, scope, sessionTurns, userId);
      if (turns.length === 0) throw unknownSession(id);
      return sessionMessages(turns, scope, store.documents);
    },
    /** @throws RequestError `unknown_session` */
    async deleteSession({ id, userId = null }: SessionRequest, scope: Scope): Promise<void> {
      if (!(await store.sessions.delete(id, scope, userId))) throw unknownSession(id);
    },
    statistics: ({ domain, since }: Counted) => sumUp(store.statistics.counted(domain, since)),
    /** Returns statistics of the newest answers: times of the stages, grades, models, checks. */
    madeStatistics: async ({ domain, since }: Counted) => sumUpMade(await store.statistics.made(domain, since, MADE_ANSWERS)),
    /** @throws RequestError `forget_nothing`, `review_actor` */
    async forget(target: ForgetTarget, { by, dryRun = false }: ForgetOptions): Promise<ForgetReport> {
      assertTarget(target);
      const name = actor(by);
      if (dryRun) return { ...(await store.forgetting.count(target)), scrubbed: null, left: null };
      const forgotten = await store.forgetting.forget(target, name);
      const scrubbed = await store.forgetting.scrub();
      return { ...forgotten, scrubbed, left: scrubbed ? null : store.forgetting.unscrubbed };
    },
    /** Deletes expired sessions and everything older than its retention period. */
    purge: (): Promise<Purged> => store.forgetting.purge(retention),
  };
}

/** Reviews, ratings, sessions, statistics and deletion of stored questions. */
export type Memory = ReturnType<typeof createMemory>;

function assertTarget(target: ForgetTarget): void {
  const empty =
    ((target.type === "session" || target.type === "user") && target.id === "") ||
    (target.type === "question" && target.question.trim() === "");
  if (empty) throw new RequestError("forget_nothing", `No ${target.type} was given, so nothing was deleted. Name one.`);
}

function unknownSession(id: string): RequestError {
  const message = `There is no session "${id}". It has expired, was deleted, or belongs to another user.`;
  return new RequestError("unknown_session", message, { session_id: id });
}
