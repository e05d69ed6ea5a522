import { z } from "zod";
import { RequestError } from "../../errors.ts";
import type { Reader } from "../../remember/review.ts";
import type { Sees } from "../../store/review-reading.ts";
import { scopeQuerySchema } from "../../wire/ask.ts";
import { answerToWire, askResponseSchema } from "../../wire/index.ts";
import {
  correctionSchema,
  historyQuerySchema,
  historySchema,
  historyToWire,
  queueItemToWire,
  queueQuerySchema,
  queueSchema,
  reviewActSchema,
  reviewSchema,
  reviewToWire,
} from "../../wire/memory.ts";
import { reportSchema, reportsQuerySchema, reportsResponseSchema } from "../../wire/reports.ts";
import { toWire } from "../../wire/to-wire.ts";
import { actorOf, type Caller, covers, narrow, scopeDenied, seesEverything } from "../access/caller.ts";
import { type Call, endpoint, type ServiceEngine, type Services } from "../endpoint.ts";
import { cursorAt, cursorBelow, entryOf, offsetOf, paginate } from "../read-request.ts";

/** Most questions of a domain that are looked at for the queue. */
const MOST_QUEUED = 500;

/** Review of the answers that the key covers, and diagnostic reports; others are not found, exactly like those that never were. */
export const reviewEndpoints = {
  queue: endpoint({
    ...{ method: "GET", path: "/v1/review", opens: "review" },
    what: "Questions that wait for review, those that need it most first.",
    query: queueQuerySchema,
    gives: { status: 200, schema: queueSchema },
    handle: async ({ caller, query: { domain, status, ...page } }, { service: { memory } }) => {
      const asked = { limit: MOST_QUEUED, status, sees: seenBy(caller) };
      if (seesEverything(caller)) return paginate(await memory.review.queue({ ...asked, domain }), page, queueItemToWire);
      if (domain !== undefined && caller.domains !== null && !caller.domains.includes(domain)) throw scopeDenied();
      const domains = domain !== undefined ? [domain] : (caller.domains ?? [undefined]);
      const queues = await Promise.all(domains.map((one) => memory.review.queue({ ...asked, domain: one })));
      const queue = queues.flat().sort((a, b) => b.score - a.score);
      return paginate(queue.slice(0, MOST_QUEUED), page, queueItemToWire);
    },
  }),
  history: endpoint({
    ...{ method: "GET", path: "/v1/review/history", opens: "review" },
    what: "The audit log, newest first: what was done to answers that the key may see, to an administrator everything; and whether the chain of the whole log is intact.",
    query: historyQuerySchema,
    gives: { status: 200, schema: historySchema },
    handle: async ({ caller, query: { id, limit, cursor } }, { service }) => {
      const before = entryOf(cursor);
      if (id !== undefined) await show(service, caller, id);
      const history = await service.memory.review.history({ id, limit, before, sees: seenBy(caller) });
      return { ...historyToWire(history), next_cursor: cursorBelow(history.olderThan) };
    },
  }),
  review: endpoint({
    ...{ method: "GET", path: "/v1/review/{id}", opens: "review" },
    what: "One answer with its review, feedback, correction and history; answer and correction are withheld that rest on a document which is gone or not open to the key.",
    gives: { status: 200, schema: reviewSchema },
    handle: async ({ caller, id }, { service }) => reviewToWire(await show(service, caller, id)),
  }),
  approve: endpoint({
    ...{ method: "POST", path: "/v1/review/{id}/approve", opens: "review", idempotent: true },
    what: "The answer is right. 409 where a cited document has changed.",
    body: { schema: reviewActSchema },
    gives: { status: 200, schema: reviewSchema },
    handle: (call, services) => judge("approve", call, services),
  }),
  flag: endpoint({
    ...{ method: "POST", path: "/v1/review/{id}/flag", opens: "review", idempotent: true },
    what: "The answer is wrong or doubtful: it is not served again.",
    body: { schema: reviewActSchema },
    gives: { status: 200, schema: reviewSchema },
    handle: (call, services) => judge("flag", call, services),
  }),
  correct: endpoint({
    ...{ method: "POST", path: "/v1/review/{id}/correct", opens: "review", idempotent: true },
    what: "Another answer in its place, served first; 422 with every sentence that is not bound to a source, and why.",
    body: { schema: correctionSchema },
    gives: { status: 200, schema: z.object({ answer: askResponseSchema }) },
    handle: async ({ caller, body: { by, answer }, id }, { service }) => {
      await show(service, caller, id);
      return { answer: answerToWire(await service.memory.review.correct(id, answer, actorOf(caller, by))) };
    },
  }),
  reports: endpoint({
    ...{ method: "GET", path: "/v1/reports", opens: "review" },
    what: "Diagnostic reports of questions that were refused, answered with low confidence or warned about: by topic, and the newest.",
    query: reportsQuerySchema,
    gives: { status: 200, schema: reportsResponseSchema },
    handle: async ({ caller, query: { domain, tenant, topic, since, limit, cursor }, signal }, { service }) => {
      const offset = offsetOf(cursor);
      const { total, topics, reports } = await service.reports({
        ...narrow(caller, { domain, tenant }),
        topic: topic === "none" ? null : topic,
        since: since === undefined ? undefined : new Date(since),
        ...{ limit, offset, signal },
      });
      return toWire(reportsResponseSchema, { total, topics, items: reports, nextCursor: cursorAt(offset + limit, total) });
    },
  }),
  report: endpoint({
    ...{ method: "GET", path: "/v1/reports/{id}", opens: "review" },
    what: "One report, by its id or that of its answer, without what it took from documents that are gone or not open to the key.",
    query: scopeQuerySchema,
    gives: { status: 200, schema: reportSchema },
    handle: async ({ caller, query, id }, { service }) => toWire(reportSchema, await service.report(id, narrow(caller, query))),
  }),
};

/** Whose answers the caller may look at; `undefined`: everybody's. */
function seenBy(caller: Caller): Sees | undefined {
  return seesEverything(caller) ? undefined : (asker) => covers(caller, asker);
}

function show({ memory, scope }: ServiceEngine, caller: Caller, id: string) {
  const sees = seenBy(caller);
  const access = caller.access ?? undefined;
  const reader: Reader | undefined = sees && { sees, scopeFor: ({ domain, tenant }) => scope({ domain, tenant, access }) };
  return memory.review.show(id, reader);
}

async function judge(
  act: "approve" | "flag",
  { caller, body, id }: Call<unknown, z.output<typeof reviewActSchema>>,
  { service }: Services,
) {
  const { withheld } = await show(service, caller, id);
  if (act === "approve" && withheld) throw answerWithheld(id);
  await service.memory.review[act](id, actorOf(caller, body.by));
  return reviewToWire(await show(service, caller, id));
}

/** What nobody has read cannot be called right. */
function answerWithheld(id: string): RequestError {
  const message = `The answer of ${id} is withheld from this key: it rests on a document that is gone or not open to it. Flag it, or correct it from documents that are.`;
  return new RequestError("review_stale", message, { id });
}
