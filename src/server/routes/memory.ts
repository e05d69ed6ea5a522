import type { Context, Hono, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { RequestError } from "../../errors.ts";
import { answerToWire } from "../../wire/index.ts";
import {
  correctionSchema,
  feedbackRequestSchema,
  forgetRequestSchema,
  forgetTargetOf,
  historyQuerySchema,
  historyToWire,
  isoOf,
  messageToWire,
  queueItemToWire,
  queueQuerySchema,
  reviewActSchema,
  reviewToWire,
  sessionQuerySchema,
  statisticsQuerySchema,
  statisticsToWire,
} from "../../wire/memory.ts";
import { callerOf, narrow } from "../access/caller.ts";
import type { Guard } from "../access/guard.ts";
import { actorOf, scopedReview } from "../access/scoped-review.ts";
import { readQuery, readRequest } from "../read-ask-request.ts";

/** The part of the engine that these routes need. */
export type MemoryEngine = Pick<Engine, "memory" | "scope" | "feedback">;

/** Path (with `ID` for any one part) → methods. */
export const MEMORY_METHODS: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/feedback$/, "POST"],
  [/^\/v1\/sessions\/[^/]+$/, "GET, HEAD, DELETE"],
  [/^\/v1\/admin\/review(?:\/history)?$/, "GET, HEAD"],
  [/^\/v1\/admin\/review\/[^/]+\/(?:approve|flag|correct)$/, "POST"],
  [/^\/v1\/admin\/review\/[^/]+$/, "GET, HEAD"],
  [/^\/v1\/admin\/stats$/, "GET, HEAD"],
  [/^\/v1\/admin\/memory$/, "DELETE"],
];

export interface MemoryRouteOptions {
  /** Lets in only bodies that are JSON and not too large. */
  readonly json: readonly [MiddlewareHandler, MiddlewareHandler];
  readonly role: Guard["role"];
}

/** Sessions and feedback for those who ask; review for keys of that role, of what their scope covers; figures and forgetting for administrators. */
export function addMemoryRoutes(app: Hono, engine: MemoryEngine, { json, role }: MemoryRouteOptions): void {
  const { memory } = engine;
  const review = scopedReview(memory.review);
  app.use("/v1/admin/review/*", role("review"));
  app.use("/v1/admin/stats", role("admin"));
  app.use("/v1/admin/memory", role("admin"));
  app.post("/v1/feedback", ...json, async (context) => {
    const { id, verdict, reason, session_id, domain, tenant } = await body(context, feedbackRequestSchema);
    await engine.feedback({ id, verdict, reason, sessionId: session_id }, narrow(callerOf(context), { domain, tenant }));
    return context.json({ status: "kept", id, verdict });
  });
  app.get("/v1/sessions/:id", async (context) => {
    const { domain, tenant, user_id } = readQuery(context.req.query(), sessionQuerySchema);
    const id = idOf(context);
    const messages = await memory.session({ id, userId: user_id }, engine.scope(narrow(callerOf(context), { domain, tenant })));
    context.header("Cache-Control", "no-store");
    return context.json({ session_id: id, messages: messages.map(messageToWire) });
  });
  app.delete("/v1/sessions/:id", async (context) => {
    const { domain, tenant, user_id } = readQuery(context.req.query(), sessionQuerySchema);
    await memory.deleteSession({ id: idOf(context), userId: user_id }, engine.scope(narrow(callerOf(context), { domain, tenant })));
    return context.body(null, 204);
  });
  app.get("/v1/admin/review", async (context) => {
    const items = await review.queue(callerOf(context), readQuery(context.req.query(), queueQuerySchema));
    return context.json({ items: items.map(queueItemToWire) });
  });
  app.get("/v1/admin/review/history", async (context) => {
    return context.json(historyToWire(await review.history(callerOf(context), readQuery(context.req.query(), historyQuerySchema))));
  });
  app.get("/v1/admin/review/:id", async (context) => context.json(reviewToWire(await review.show(callerOf(context), idOf(context)))));
  for (const act of ["approve", "flag"] as const) {
    app.post(`/v1/admin/review/:id/${act}`, ...json, async (context) => {
      const { by } = await body(context, reviewActSchema);
      const shown = await review.act(act, callerOf(context), { id: idOf(context), by });
      return context.json(reviewToWire(shown));
    });
  }
  app.post("/v1/admin/review/:id/correct", ...json, async (context) => {
    const { by, answer } = await body(context, correctionSchema);
    return context.json({ answer: answerToWire(await review.correct(callerOf(context), { id: idOf(context), answer, by })) });
  });
  app.get("/v1/admin/stats", async (context) => {
    const { domain, since } = readQuery(context.req.query(), statisticsQuerySchema);
    const options = {
      domain: domain === undefined ? null : engine.scope({ domain }).domain,
      since: since === undefined ? null : isoOf(since),
    };
    return context.json(statisticsToWire(await memory.statistics(options)));
  });
  app.delete("/v1/admin/memory", ...json, async (context) => {
    const { by, dry_run: dryRun, ...target } = await body(context, forgetRequestSchema);
    return context.json(await memory.forget(forgetTargetOf(target), { by: actorOf(callerOf(context), by), dryRun }));
  });
}

async function body<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return readRequest(new Uint8Array(await context.req.arrayBuffer()), schema);
}

function idOf(context: Context): string {
  const id = context.req.param("id") ?? "";
  if (id.length > 100) throw new RequestError("invalid_request", `An id has at most 100 characters; this one has ${id.length}.`);
  return id;
}
