import type { Context } from "hono";
import { refreshToWire } from "../../wire/index.ts";
import { callerOf, scopeDenied } from "../access/caller.ts";
import type { AskEngine } from "../ask-engine.ts";
import { readRefreshRequest } from "../read-ask-request.ts";

/** `POST /v1/admin/refresh`: reads the documents of a domain again and rebuilds its index. Goes on when the requester leaves: others may wait for it. */
export async function refresh(context: Context, engine: AskEngine): Promise<Response> {
  const request = readRefreshRequest(new Uint8Array(await context.req.arrayBuffer()));
  context.header("Cache-Control", "no-store");
  const { domains, tenants } = callerOf(context);
  if (request.domain !== undefined && domains !== null && !domains.includes(request.domain)) throw scopeDenied();
  const refreshed = await engine.refresh(request.domain ?? domains?.[0]);
  const seen = refreshed.sources.filter(({ tenant }) => tenants === null || tenant === null || tenants.includes(tenant));
  return context.json(refreshToWire({ ...refreshed, sources: seen }));
}
