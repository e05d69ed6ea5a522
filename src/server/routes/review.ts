import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import type { Reader } from "../../memory/review.ts";
import { RequestError } from "../../shared/errors.ts";
import type { Sees } from "../../store/review.ts";
import * as wire from "../../wire/index.ts";
import { actorOf, type Caller, covers, narrow, scopeDenied, seesEverything } from "../access/caller.ts";
import { endpoint } from "../endpoint.ts";
import { paginate, readCursor, writeCursor } from "../read-request.ts";

/** Maximum number of questions in the review queue. */
const MOST_QUEUED = 500;

/** Review and diagnostic reports. An answer that the key may not see gets the same response as an unknown id. */
export const reviewEndpoints = {
  queue: endpoint({
    ...{ method: "GET", path: "/v1/review", opens: "review" },
    what: "Questions that wait for review, most urgent first.",
    query: wire.queueQuerySchema,
    gives: { status: 200, schema: wire.queueSchema },
    handle: async ({ caller, query: { domain, status, ...page } }, { engine: { memory } }) => {
      const asked = { limit: MOST_QUEUED, status, sees: seenBy(caller) };
      if (domain !== undefined && caller.domains !== null && !caller.domains.includes(domain)) throw scopeDenied();
      const domains = domain !== undefined ? [domain] : (caller.domains ?? [undefined]);
      const queues = await Promise.all(domains.map((one) => memory.review.queue({ ...asked, domain: one })));
      const queue = queues.flat().sort((a, b) => b.score - a.score);
      return paginate(queue.slice(0, MOST_QUEUED), page, wire.queueItemToWire);
    },
  }),
  history: endpoint({
    ...{ method: "GET", path: "/v1/review/history", opens: "review" },
    what: "The audit log, newest first: actions on answers that the key may see (all actions for administrators), and whether the hash chain of the log is intact.",
    query: wire.historyQuerySchema,
    gives: { status: 200, schema: wire.historySchema },
    handle: async ({ caller, query: { id, limit, cursor } }, { engine }) => {
      const before = readCursor("b", cursor);
      if (id !== undefined) await show(engine, caller, id);
      const history = await engine.memory.review.history({ id, limit, before, sees: seenBy(caller) });
      return { ...wire.historyToWire(history), next_cursor: writeCursor("b", history.olderThan) };
    },
  }),
  review: endpoint({
    ...{ method: "GET", path: "/v1/review/{id}", opens: "review" },
    what: "One answer with its review, feedback, correction and history. Answer and correction are withheld if they depend on a document that was deleted or is not accessible to the key.",
    gives: { status: 200, schema: wire.reviewSchema },
    handle: async ({ caller, id }, { engine }) => wire.reviewToWire(await show(engine, caller, id)),
  }),
  approve: judgement("approve", "Approves the answer. 409 if a cited document has changed."),
  flag: judgement("flag", "Flags the answer as wrong or doubtful; it is not served again, unless `cache.serve_flagged` is set."),
  correct: endpoint({
    ...{ method: "POST", path: "/v1/review/{id}/correct", opens: "review", idempotent: true },
    what: "Replaces the answer with a correction, which is served before any cached answer; 422 lists every unsupported sentence with the reason.",
    body: { schema: wire.correctionSchema },
    gives: { status: 200, schema: z.object({ answer: wire.askResponseSchema }) },
    handle: async ({ caller, body: { by, answer }, id }, { engine }) => {
      await show(engine, caller, id);
      return { answer: wire.answerToWire(await engine.memory.review.correct(id, answer, actorOf(caller, by))) };
    },
  }),
  reports: endpoint({
    ...{ method: "GET", path: "/v1/reports", opens: "review" },
    what: "Diagnostic reports of questions that were refused, answered with low confidence or answered with a warning: by topic, and the newest.",
    query: wire.reportsQuerySchema,
    gives: { status: 200, schema: wire.reportsResponseSchema },
    handle: async ({ caller, query: { domain, tenant, topic, since, limit, cursor }, signal }, { engine }) => {
      const offset = readCursor("o", cursor) ?? 0;
      const { total, topics, reports } = await engine.reports({
        ...narrow(caller, { domain, tenant }),
        topic: topic === "none" ? null : topic,
        since: since === undefined ? undefined : new Date(since),
        ...{ limit, offset, signal },
      });
      const nextCursor = writeCursor("o", offset + limit < total ? offset + limit : null);
      return wire.toWire(wire.reportsResponseSchema, { total, topics, items: reports, nextCursor });
    },
  }),
  report: endpoint({
    ...{ method: "GET", path: "/v1/reports/{id}", opens: "review" },
    what: "One report, by its id or that of its answer, without content of documents that were deleted or are not accessible to the key.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: wire.reportSchema },
    handle: async ({ caller, query, id }, { engine }) => wire.toWire(wire.reportSchema, await engine.report(id, narrow(caller, query))),
  }),
};

/** Returns a filter for the answers that the caller may see; `undefined`: all. */
function seenBy(caller: Caller): Sees | undefined {
  return seesEverything(caller) ? undefined : (asker) => covers(caller, asker);
}

function show({ memory, scope }: Engine, caller: Caller, id: string) {
  const sees = seenBy(caller);
  const access = caller.access ?? undefined;
  const reader: Reader | undefined = sees && { sees, scopeFor: ({ domain, tenant }) => scope({ domain, tenant, access }) };
  return memory.review.show(id, reader);
}

function judgement(act: "approve" | "flag", what: string) {
  return endpoint({
    ...{ method: "POST", path: `/v1/review/{id}/${act}`, what, opens: "review", idempotent: true },
    body: { schema: wire.reviewActSchema },
    gives: { status: 200, schema: wire.reviewSchema },
    handle: async ({ caller, body, id }, { engine }) => {
      const { withheld } = await show(engine, caller, id);
      if (act === "approve" && withheld) {
        // A withheld answer cannot be approved, because nobody can read it.
        const message = `The answer ${id} is withheld because it depends on a document that was deleted or is not accessible to this key. Flag it, or correct it using accessible documents.`;
        throw new RequestError("review_stale", message, { id });
      }
      await engine.memory.review[act](id, actorOf(caller, body.by));
      return wire.reviewToWire(await show(engine, caller, id));
    },
  });
}
