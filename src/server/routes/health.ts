import type { Context } from "hono";
import type { AskEngine } from "../ask-engine.ts";

/** `GET /healthz`: what is loaded. `degraded` still answers questions and is 200; an engine that cannot tell is an error. */
export async function health(context: Context, engine: AskEngine): Promise<Response> {
  context.header("Cache-Control", "no-store");
  return context.json(await engine.health());
}
