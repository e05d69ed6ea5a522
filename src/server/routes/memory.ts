import type { Context } from "hono";
import type { Engine } from "../../engine/engine.ts";
import { answerToWire } from "../../wire/index.ts";
import {
  correctionSchema,
  feedbackRequestSchema,
  forgetRequestSchema,
  forgetTargetOf,
  historyToWire,
  isoOf,
  messageToWire,
  queueItemToWire,
  reviewActSchema,
  reviewToWire,
  sessionQuerySchema,
  statisticsQuerySchema,
  statisticsToWire,
} from "../../wire/memory.ts";
import { callerOf, narrow } from "../access/caller.ts";
import { actorOf, MOST_QUEUED, scopedReview } from "../access/scoped-review.ts";
import type { SessionIds } from "../access/session-ids.ts";
import { ENDPOINTS } from "../endpoints.ts";
import type { Handler, Handlers } from "../mount.ts";
import { cursorBelow, entryOf, paginate } from "../page.ts";
import { bodyOf, partOf, queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type MemoryEngine = Pick<Engine, "memory" | "scope" | "feedback">;

/** Sessions, feedback and answers for those who ask; review for keys of that role, of what their scope covers; figures and forgetting for administrators. */
export function memoryHandlers(engine: MemoryEngine, sessions: SessionIds): Handlers {
  return { ...askerHandlers(engine, sessions), ...reviewHandlers(engine), ...adminHandlers(engine) };
}

function askerHandlers(engine: MemoryEngine, sessions: SessionIds): Handlers {
  const { memory } = engine;
  return {
    feedback: async (context) => {
      const { id, verdict, reason, session_id, domain, tenant } = await bodyOf(context, feedbackRequestSchema);
      await engine.feedback({ id, verdict, reason, sessionId: session_id }, narrow(callerOf(context), { domain, tenant }));
      return context.json({ status: "kept", id, verdict });
    },
    newSession: (context) => {
      context.header("Cache-Control", "no-store");
      return context.json({ session_id: sessions.issue() }, 201);
    },
    session: async (context) => {
      const { domain, tenant, user_id } = queryOf(context, sessionQuerySchema);
      const id = partOf(context, "id");
      const caller = callerOf(context);
      sessions.assertOpen(caller, id);
      const messages = await memory.session({ id, userId: user_id }, engine.scope(narrow(caller, { domain, tenant })));
      context.header("Cache-Control", "no-store");
      return context.json({ session_id: id, messages: messages.map(messageToWire) });
    },
    endSession: async (context) => {
      const { domain, tenant, user_id } = queryOf(context, sessionQuerySchema);
      const id = partOf(context, "id");
      const caller = callerOf(context);
      sessions.assertOpen(caller, id);
      await memory.deleteSession({ id, userId: user_id }, engine.scope(narrow(caller, { domain, tenant })));
      return context.body(null, 204);
    },
  };
}

function reviewHandlers({ memory, scope }: MemoryEngine): Handlers {
  const review = scopedReview(memory.review, scope);
  const act = (name: "approve" | "flag"): Handler => {
    return async (context) => {
      const { by } = await bodyOf(context, reviewActSchema);
      return context.json(reviewToWire(await review.act(name, callerOf(context), { id: partOf(context, "id"), by })));
    };
  };
  return {
    queue: async (context) => {
      const { limit, cursor, ...asked } = queryOf(context, ENDPOINTS.queue.query);
      const { items, next_cursor } = paginate(await review.queue(callerOf(context), { ...asked, limit: MOST_QUEUED }), { limit, cursor });
      return context.json({ items: items.map(queueItemToWire), next_cursor });
    },
    history: async (context) => {
      const { id, limit, cursor } = queryOf(context, ENDPOINTS.history.query);
      const history = await review.history(callerOf(context), { id, limit, before: entryOf(cursor) });
      return context.json({ ...historyToWire(history), next_cursor: cursorBelow(history.olderThan) });
    },
    review: async (context) => context.json(reviewToWire(await review.show(callerOf(context), partOf(context, "id")))),
    approve: act("approve"),
    flag: act("flag"),
    correct: async (context) => {
      const { by, answer } = await bodyOf(context, correctionSchema);
      return context.json({ answer: answerToWire(await review.correct(callerOf(context), { id: partOf(context, "id"), answer, by })) });
    },
  };
}

function adminHandlers(engine: MemoryEngine): Handlers {
  const { memory } = engine;
  const counted = (context: Context) => {
    const { domain, since } = queryOf(context, statisticsQuerySchema);
    return { domain: domain === undefined ? null : engine.scope({ domain }).domain, since: since === undefined ? null : isoOf(since) };
  };
  return {
    statistics: async (context) => context.json(statisticsToWire(await memory.statistics(counted(context)))),
    madeStatistics: async (context) => context.json(await memory.madeStatistics(counted(context))),
    forget: async (context) => {
      const { by, dry_run: dryRun, ...target } = await bodyOf(context, forgetRequestSchema);
      return context.json(await memory.forget(forgetTargetOf(target), { by: actorOf(callerOf(context), by), dryRun }));
    },
  };
}
