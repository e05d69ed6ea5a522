import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { mayShowRecord, unknownRecord, visibleRecord } from "../../engine/proofs.ts";
import { documentsIn, seesEvery } from "../../memory/named-documents.ts";
import { FLAGGED_WARNING } from "../../memory/stored-answers.ts";
import type { AnswerRecord } from "../../pipeline/assemble.ts";
import { RequestError } from "../../shared/errors.ts";
import type { Answer } from "../../shared/types.ts";
import * as wire from "../../wire/index.ts";
import { type Caller, covers, narrow, seesEverything } from "../access/caller.ts";
import { type Call, endpoint, type Services } from "../endpoint.ts";

/** Past answers, their proofs and sources, and their sessions. */
export const answerEndpoints = {
  check: endpoint({
    ...{ method: "POST", path: "/v1/check", opens: "ask", idempotent: true, ephemeral: true },
    what: "Checks an answer written elsewhere, sentence by sentence, against texts or documents.",
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
    what: "A stored answer, or the reviewer's correction of it; 404 if it is outside the key's scope, or if a document it depends on was deleted or is not accessible to the key. A flagged answer starts with the warning `flagged`.",
    gives: { status: 200, schema: wire.askResponseSchema },
    handle: async ({ caller, id }, { engine }) => wire.answerToWire(await answerFor(engine, caller, id)),
  }),
  proof: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}/proof", opens: "ask", uncounted: true, unstored: true },
    what: "The proof of an answer; `prove verify` checks it offline. 404 if a document it depends on was deleted or is not accessible to the key.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: z.looseObject({}) },
    handle: async ({ caller, query, id }, { engine }) => engine.prove(id, narrow(caller, query)),
  }),
  calls: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}/calls", opens: "review" },
    what: "Prompts and outputs of the model calls for an answer. If the question was a follow-up, or if a document that the answer depends on was deleted or is not accessible to the key, only administrators may see them.",
    query: wire.scopeQuerySchema,
    gives: { status: 200, schema: wire.callsSchema },
    handle: async ({ caller, query, id }, { engine: { scope: scopeOf, store } }) => {
      const scope = scopeOf(narrow(caller, query));
      const record = await visibleRecord(id, scope, store.records);
      const { calls, question } = record.body as AnswerRecord;
      if (!seesEverything(caller)) {
        // Prompts of a follow-up contain earlier answers. Access to those cannot be checked: their documents are unknown.
        const isAlone = question.history.every(({ answer }) => answer === "");
        if (!isAlone || !(await mayShowRecord(record, scope, store.documents))) throw unknownRecord(record.id, scope);
      }
      return wire.callsToWire(calls);
    },
  }),
  citations: endpoint({
    ...{ method: "GET", path: "/v1/answers/{id}/citations", opens: "ask", uncounted: true, unstored: true },
    what: "State of an answer's quotes in the current documents: same, moved, changed or gone, with their current places.",
    gives: { status: 200, schema: wire.citationStatesSchema },
    handle: async ({ caller, id }, { engine }) => {
      const { answer, options } = await answerOf(engine, caller, id);
      return wire.citationStatesToWire(answer.id, await engine.citationStates(answer, options));
    },
  }),
  newSession: endpoint({
    ...{ method: "POST", path: "/v1/sessions", opens: "ask", unstored: true },
    what: "Creates a random session id; the session starts with its first question.",
    gives: { status: 201, schema: wire.newSessionSchema },
    handle: (_, { sessions }) => ({ session_id: sessions.issue() }),
  }),
  session: endpoint({
    ...{ method: "GET", path: "/v1/sessions/{id}", opens: "ask", unstored: true },
    what: "The messages of a session with their citations; 404 if it belongs to another scope or user. Messages that depend on a document the asker may no longer see are withheld (`content: null`).",
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
    what: "Rates an answer; the last rating counts. 404 if `id`, session or scope do not match.",
    body: { schema: wire.feedbackRequestSchema },
    gives: { status: 200, schema: z.object({ status: z.literal("kept"), id: z.string(), verdict: z.enum(["up", "down"]) }) },
    handle: async ({ caller, body: { session_id: sessionId, domain, tenant, ...given } }, { engine }) => {
      await engine.feedback({ ...given, sessionId }, narrow(caller, { domain, tenant }));
      return { status: "kept", id: given.id, verdict: given.verdict };
    },
  }),
};

/** Returns the session in the path. @throws RequestError `session_not_issued` if the caller may not use it */
function sessionOf(
  { caller, query: { user_id, ...named }, id }: Call<z.output<typeof wire.sessionQuerySchema>>,
  { engine, sessions }: Services,
) {
  sessions.assertOpen(caller, id);
  return [{ id, userId: user_id }, engine.scope(narrow(caller, named))] as const;
}

/** Returns a past answer. If the caller may not see it, or if one of its documents is gone, the answer counts as unknown. */
async function answerFor(engine: Engine, caller: Caller, id: string): Promise<Answer> {
  const { answer, options, isFlagged } = await answerOf(engine, caller, id);
  if (!(await seesEvery(documentsIn(answer), engine.scope(options), engine.store.documents))) throw unknownAnswer(id);
  return { ...answer, sessionId: null, warnings: isFlagged ? [FLAGGED_WARNING, ...answer.warnings] : answer.warnings };
}

/** Returns an answer in the caller's domain, tenant and labels. The documents of the answer are not checked. */
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
    "This answer does not exist: it was deleted, depends on a deleted document, or is not accessible to you. Ask the question again.";
  return new RequestError("unknown_answer", message, { id });
}
