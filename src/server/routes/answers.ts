import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { mayShowRecord, unknownRecord, visibleRecord } from "../../engine/proofs.ts";
import { mayBeShown } from "../../memory/named-documents.ts";
import type { AnswerRecord } from "../../pipeline/record.ts";
import { RequestError } from "../../shared/errors.ts";
import type { Answer, Warning } from "../../shared/types.ts";
import * as wire from "../../wire/index.ts";
import { type Caller, covers, narrow, seesEverything } from "../access/caller.ts";
import { type Call, endpoint, type Services } from "../endpoint.ts";
import { shortId } from "../read-request.ts";

/** Past answers, their proofs and sources, and their sessions. */
export const answerEndpoints = {
  check: endpoint({
    ...{ method: "POST", path: "/v1/check", opens: "ask", idempotent: true },
    what: "Checks an answer that somebody else wrote, sentence by sentence, against texts or documents.",
    body: { schema: wire.checkRequestSchema, long: true },
    gives: { status: 200, schema: wire.checkResponseSchema },
    handle: async ({ caller, body: { question, answer, domain, tenant, ...asked }, signal }, { engine }) =>
      wire.checkToWire(await engine.check(question, answer, { ...narrow(caller, { domain, tenant }), ...asked, signal })),
  }),
  search: endpoint({
    ...{ method: "POST", path: "/v1/search", opens: "ask" },
    what: "Passages for a question, best first.",
    body: { schema: wire.searchRequestSchema },
    gives: { status: 200, schema: wire.searchResponseSchema },
    handle: async ({ caller, body: { query, domain, tenant, ...asked }, signal }, { engine }) =>
      wire.searchToWire(await engine.search(query, { ...narrow(caller, { domain, tenant }), ...asked, signal })),
  }),
  answer: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}", opens: "ask", uncounted: true, unstored: true },
    what: "An answer that was given, or what a reviewer put in its place; 404 for one of another scope, or that rests on a document which is gone or not open to the key, like one that never was. One that a reviewer flagged begins with the warning `flagged`.",
    gives: { status: 200, schema: wire.askResponseSchema },
    handle: async ({ context, caller }, { engine }) => wire.answerToWire(await answerFor(engine, caller, shortId(context, "answer"))),
  }),
  proof: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}/proof", opens: "ask", uncounted: true, unstored: true },
    what: "The proof of an answer: `prove verify` checks it offline. 404 where a document on which it rests is gone or not open to the key.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: z.looseObject({}) },
    handle: async ({ caller, query, id }, { engine }) => engine.prove(id, narrow(caller, query)),
  }),
  calls: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}/calls", opens: "review" },
    what: "What models were sent for an answer, and what they said. To administrators alone of a question that followed others, and where a document is gone or not open to the key.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: wire.callsSchema },
    handle: async ({ caller, query, id }, { engine: { scope: scopeOf, store } }) => {
      const scope = scopeOf(narrow(caller, query));
      const record = await visibleRecord(id, scope, store.records);
      const { calls, question } = record.body as AnswerRecord;
      if (!seesEverything(caller)) {
        // The documents behind earlier answers are unknown.
        const isAlone = question.history.every(({ answer }) => answer === "");
        if (!isAlone || !(await mayShowRecord(record, scope, store.documents))) throw unknownRecord(record.id, scope);
      }
      return wire.callsToWire(calls);
    },
  }),
  citations: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}/citations", opens: "ask", uncounted: true, unstored: true },
    what: "What became of an answer's quotes in today's documents: same, moved, changed, gone, and where they stand now.",
    gives: { status: 200, schema: wire.citationStatesSchema },
    handle: async ({ context, caller }, { engine }) => {
      const { answer, options } = await answerOf(engine, caller, shortId(context, "answer"));
      return wire.citationStatesToWire(answer.id, await engine.citationStates(answer, options));
    },
  }),
  newSession: endpoint({
    ...{ method: "POST", path: "/v1/sessions", opens: "ask", unstored: true },
    what: "A fresh session id, that nobody can guess; the session begins with its first question.",
    gives: { status: 201, schema: wire.newSessionSchema },
    handle: (_, { sessions }) => ({ session_id: sessions.issue() }),
  }),
  session: endpoint({
    ...{ method: "GET", path: "/v1/sessions/{id}", opens: "ask", unstored: true },
    what: "The messages of a session with their citations. A session of another scope or user is 404, like one that never was. What rests on a document that the asker may not see any more is withheld (`content: null`).",
    query: wire.sessionQuerySchema,
    gives: { status: 200, schema: wire.sessionSchema },
    handle: async (call, services) => {
      const messages = await services.engine.memory.session(...sessionOf(call, services));
      return wire.toWire(wire.sessionSchema, { sessionId: call.id, messages });
    },
  }),
  endSession: endpoint({
    ...{ method: "DELETE", path: "/v1/sessions/{id}", opens: "ask" },
    what: "Ends a session.",
    query: wire.sessionQuerySchema,
    gives: { status: 204, schema: null },
    handle: (call, services) => services.engine.memory.deleteSession(...sessionOf(call, services)),
  }),
  feedback: endpoint({
    ...{ method: "POST", path: "/v1/feedback", opens: "ask", idempotent: true },
    what: "A reader's verdict on an answer: one an answer, the last one; 404 where `id`, session or scope do not fit.",
    body: { schema: wire.feedbackRequestSchema },
    gives: { status: 200, schema: z.object({ status: z.literal("kept"), id: z.string(), verdict: z.enum(["up", "down"]) }) },
    handle: async ({ caller, body: { session_id: sessionId, domain, tenant, ...given } }, { engine }) => {
      await engine.feedback({ ...given, sessionId }, narrow(caller, { domain, tenant }));
      return { status: "kept", id: given.id, verdict: given.verdict };
    },
  }),
};

/** Returns the session of a request if the caller may use it. */
function sessionOf(
  { caller, query: { user_id, ...named }, id }: Call<z.output<typeof wire.sessionQuerySchema>>,
  { engine, sessions }: Services,
) {
  sessions.assertOpen(caller, id);
  return [{ id, userId: user_id }, engine.scope(narrow(caller, named))] as const;
}

/** Warning on an answer that a reviewer flagged after it was given. */
const FLAGGED: Warning = {
  code: "flagged",
  message: "A reviewer has flagged this answer as wrong or doubtful: do not rely on it. Ask the question again.",
};

/** Returns a past answer if the caller may see it and its documents still exist; otherwise it is unknown. */
async function answerFor(engine: Engine, caller: Caller, id: string): Promise<Answer> {
  const { answer, options, isFlagged } = await answerOf(engine, caller, id);
  if (!(await mayBeShown(answer, engine.scope(options), engine.store.documents))) throw unknownAnswer(id);
  return { ...answer, sessionId: null, warnings: isFlagged ? [FLAGGED, ...answer.warnings] : answer.warnings };
}

/** Returns an answer of the caller's domain, tenant and labels without a check of its documents, so its text must not be shown. */
async function answerOf(engine: Engine, caller: Caller, id: string) {
  const shown = await engine.memory.review.show(id).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === "unknown_interaction") return null;
    throw error;
  });
  const correction = shown?.curated?.status === "served" ? shown.curated.answer : null;
  const answer = correction ?? shown?.answer ?? null;
  if (shown === null || answer === null || !covers(caller, shown)) throw unknownAnswer(id);
  const options = narrow(caller, { domain: shown.domain, tenant: shown.tenant ?? undefined });
  const scope = engine.scope(options);
  if (scope.tenant !== shown.tenant || !shown.access.every((label) => scope.access.includes(label))) throw unknownAnswer(id);
  return { answer, options, isFlagged: correction === null && shown.reviewStatus === "flagged" };
}

function unknownAnswer(id: string): RequestError {
  const message =
    "There is no such answer here: it was forgotten, rests on a document that is gone, or is not open to you. Ask the question again.";
  return new RequestError("unknown_answer", message, { id });
}
