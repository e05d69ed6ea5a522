import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import { VERSION } from "../../package.ts";
import { RequestError } from "../../shared/errors.ts";
import * as wire from "../../wire/index.ts";
import { narrow } from "../access/caller.ts";
import { endpoint } from "../endpoint.ts";
import { refreshCache } from "./admin.ts";

/** Routes of the published `validator` design (docs/profiles.md), and routes for the state of the server. */
export const serviceEndpoints = {
  query: endpoint({
    ...{ method: "POST", path: "/query", opens: "ask" },
    what: "Answers a question under the profile `validator`, in the format of its design: answer, `overall_pass` and each metric.",
    body: { schema: wire.queryRequestSchema },
    gives: { status: 200, schema: wire.queryResponseSchema },
    handle: async ({ caller, body: { query, domain, client }, signal }, { engine }) =>
      wire.queryToWire(await engine.answer(query, { ...narrow(caller, { domain, tenant: client }), profile: "validator", signal })),
  }),
  refreshCache,
  schema: endpoint({
    ...{ method: "GET", path: "/v1/schema", opens: "anyone", etag: true },
    what: "JSON Schema of question, answer, error and events.",
    gives: { status: 200, schema: z.looseObject({}) },
    handle: () => ({
      request: z.toJSONSchema(wire.askRequestSchema, { io: "input" }),
      response: z.toJSONSchema(wire.askResponseSchema),
      feedback: z.toJSONSchema(wire.feedbackRequestSchema, { io: "input" }),
      error: z.toJSONSchema(wire.errorResponseSchema),
      refresh: {
        request: z.toJSONSchema(wire.refreshRequestSchema, { io: "input" }),
        response: z.toJSONSchema(wire.refreshResponseSchema),
      },
      events: Object.fromEntries(Object.entries(wire.eventSchemas).map(([name, data]) => [name, z.toJSONSchema(data)])),
    }),
  }),
  openapi: endpoint({
    ...{ method: "GET", path: "/openapi.json", opens: "anyone", etag: true },
    what: "This description, in OpenAPI 3.1.",
    gives: { status: 200, schema: z.looseObject({}) },
    handle: (_, { api }) => api,
  }),
  /** A `degraded` engine still answers, so the status is 200. */
  health: endpoint({
    ...{ method: "GET", path: "/healthz", opens: "anyone", unstored: true },
    what: "State of the server; contains no document content.",
    gives: { status: 200, schema: wire.healthSchema },
    handle: (_, { engine }) => healthOf(engine),
  }),
  metrics: endpoint({
    ...{ method: "GET", path: "/metrics", opens: "metrics", needs: "metrics" },
    what: "Metrics in the Prometheus text format.",
    gives: { status: 200, schema: null },
    handle: async ({ context }, { metrics }) => {
      const { type, body } = await metrics.text();
      return context.body(body, 200, { "Content-Type": type });
    },
  }),
  ready: endpoint({
    ...{ method: "GET", path: "/readyz", opens: "anyone", unstored: true },
    what: "200 if there are documents to answer from and the search engine answers, otherwise 503. `search`: which revision of the documents the search engine has indexed.",
    gives: { status: 200, schema: wire.readySchema },
    handle: async (_, { engine, isStopping }) => {
      if (isStopping()) throw new RequestError("not_ready", "This server is shutting down. Use another one.");
      const { documents } = await engine.health();
      if (documents > 0) return { status: "ready" as const, search: await engine.searchStates() };
      throw new RequestError("not_ready", "There are no documents yet. Ingest some first.");
    },
  }),
};

/** Returns the health without document contents or titles, because it needs no key. */
export async function healthOf(engine: Pick<Engine, "health" | "domain">): Promise<wire.WireHealth> {
  const health = await engine.health();
  return wire.toWire(wire.healthSchema, { ...health, title: engine.domain(health.domain).title, version: VERSION });
}
