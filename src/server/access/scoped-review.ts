import type { ScopeOptions } from "../../engine/engine-types.ts";
import { RequestError } from "../../errors.ts";
import type { QueuedQuestion, Reader, Review, ReviewHistory, ShownReview } from "../../remember/review.ts";
import type { Sees } from "../../store/review-reading.ts";
import type { Answer, Scope } from "../../types.ts";
import { type Caller, covers, scopeDenied, seesEverything } from "./caller.ts";

/** Most questions of a domain that are looked at for a caller who may see a part of them. */
export const MOST_QUEUED = 500;
/** Questions of the queue where the request does not say how many. */
const DEFAULT_QUEUED = 50;

/** What is kept of a name beside the id of a key. */
const NAME_CHARACTERS = 80;

type QueueOptions = NonNullable<Parameters<Review["queue"]>[0]>;
type HistoryOptions = NonNullable<Parameters<Review["history"]>[0]>;

/** What a reviewer can do with answers of the caller's scope; others are not found, exactly like those that never were. */
export interface ScopedReview {
  queue(caller: Caller, options: QueueOptions): Promise<QueuedQuestion[]>;
  show(caller: Caller, id: string): Promise<ShownReview>;
  act(act: "approve" | "flag", caller: Caller, options: { id: string; by: string }): Promise<ShownReview>;
  correct(caller: Caller, options: { id: string; answer: string; by: string }): Promise<Answer>;
  history(caller: Caller, options: Pick<HistoryOptions, "id" | "limit" | "before">): Promise<ReviewHistory>;
}

/** @param scope what a request may see of a domain's documents */
export function scopedReview(review: Review, scope: (options: ScopeOptions) => Scope): ScopedReview {
  const seenBy = (caller: Caller): Sees | undefined => (seesEverything(caller) ? undefined : (asker) => covers(caller, asker));
  const readerOf = (caller: Caller): Reader | undefined => {
    const sees = seenBy(caller);
    const access = caller.access ?? undefined;
    return sees && { sees, scopeFor: ({ domain, tenant }) => scope({ domain, tenant, access }) };
  };
  const show = (caller: Caller, id: string) => review.show(id, readerOf(caller));
  return {
    show,
    async queue(caller, { domain, limit = DEFAULT_QUEUED, status }) {
      if (seesEverything(caller)) return review.queue({ domain, limit, status });
      if (domain !== undefined && caller.domains !== null && !caller.domains.includes(domain)) throw scopeDenied();
      const domains = domain !== undefined ? [domain] : (caller.domains ?? [undefined]);
      const sees = seenBy(caller);
      const queues = await Promise.all(domains.map((one) => review.queue({ domain: one, limit: MOST_QUEUED, status, sees })));
      return queues
        .flat()
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    async act(act, caller, { id, by }) {
      const { withheld } = await show(caller, id);
      if (act === "approve" && withheld) throw answerWithheld(id);
      await review[act](id, actorOf(caller, by));
      return show(caller, id);
    },
    async correct(caller, { id, answer, by }) {
      await show(caller, id);
      return review.correct(id, answer, actorOf(caller, by));
    },
    async history(caller, { id, ...page }) {
      if (id !== undefined) await show(caller, id);
      return review.history({ id, ...page, sees: seenBy(caller) });
    },
  };
}

/** What nobody has read cannot be called right. */
function answerWithheld(id: string): RequestError {
  const message = `The answer of ${id} is withheld from this key: it rests on a document that is gone or not open to it. Flag it, or correct it from documents that are.`;
  return new RequestError("review_stale", message, { id });
}

/** Who acts, with the key by which it came: a name alone can be anybody's. */
export function actorOf({ keyId }: Caller, by: string): string {
  return keyId === null ? by : `${by.slice(0, NAME_CHARACTERS)} (key ${keyId})`;
}
