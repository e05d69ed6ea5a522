import type { Context } from "hono";
import { z } from "zod";
import { callerOf } from "../access/caller.ts";
import type { Guard } from "../access/guard.ts";
import type { SessionIds } from "../access/session-ids.ts";
import type { ServerLog } from "../log.ts";
import { createMcpServer, type McpEngine } from "../mcp.ts";
import type { Handlers } from "../mount.ts";
import { bodyOf } from "../read-request.ts";

export interface McpRouteOptions {
  readonly engine: McpEngine;
  readonly guard: Guard;
  readonly log: ServerLog;
  readonly sessions: SessionIds;
}

const messageSchema = z.looseObject({ method: z.string().optional() });

/** MCP over HTTP, without sessions: each message is served by a server of its own for whoever sent it. Only calls of tools count against how often one may. */
export function mcpHandlers({ engine, guard, log, sessions }: McpRouteOptions): Handlers {
  return {
    mcp: async (context: Context) => {
      const { createMcpHandler } = await import("@modelcontextprotocol/server");
      const parsedBody = await bodyOf(context, z.union([messageSchema, z.array(messageSchema).max(50)]));
      const calls = [parsedBody].flat().filter(({ method }) => method === "tools/call");
      for (const _ of calls) await guard.admitAsker(context);
      const caller = callerOf(context);
      const onerror = (error: Error) => log.error("mcp", { message: error.message });
      const handler = createMcpHandler(() => createMcpServer({ engine, caller, log, sessions }), { onerror });
      // The body was read above; the headers say what is left of the request.
      const request = new Request(context.req.url, { method: "POST", headers: context.req.raw.headers, signal: context.req.raw.signal });
      return handler.fetch(request, { parsedBody });
    },
  };
}
