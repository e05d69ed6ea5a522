import type { Context } from "hono";
import { refreshToWire } from "../../wire/index.ts";
import type { AskEngine } from "../ask-engine.ts";
import { readRefreshRequest } from "../read-ask-request.ts";

/** `POST /v1/admin/refresh`: reads the documents of a domain again and rebuilds its index. Goes on when the requester leaves: others may wait for it. */
export async function refresh(context: Context, engine: AskEngine): Promise<Response> {
  const { domain } = readRefreshRequest(new Uint8Array(await context.req.arrayBuffer()));
  context.header("Cache-Control", "no-store");
  return context.json(refreshToWire(await engine.refresh(domain)));
}
