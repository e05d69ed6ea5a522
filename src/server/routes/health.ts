import type { Context } from "hono";
import { RequestError } from "../../errors.ts";
import type { AskEngine } from "../ask-engine.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** `GET /healthz`: what is loaded. `degraded` still answers questions and is 200; an engine that cannot tell is an error. */
export async function health(context: Context, engine: AskEngine): Promise<Response> {
  context.header("Cache-Control", "no-store");
  return context.json(await engine.health());
}

/** `GET /readyz`: 200 when there are documents to answer from, 503 before, and once the server is about to stop; what a load balancer asks. */
export async function ready(context: Context, engine: AskEngine, isStopping: boolean): Promise<Response> {
  context.header("Cache-Control", "no-store");
  if (isStopping) throw new RequestError("not_ready", "This server is about to stop: ask another one.");
  const { documents } = await engine.health();
  if (documents > 0) return context.json({ status: "ready" });
  throw new RequestError("not_ready", "There are no documents to answer from yet: ingest some.");
}

/** `GET /metrics`: what was counted since the start of this process. */
export async function showMetrics(context: Context, metrics: Metrics): Promise<Response> {
  const { type, body } = await metrics.text();
  return context.body(body, 200, { "Content-Type": type });
}
