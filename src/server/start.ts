import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Engine } from "../engine/engine.ts";
import { messageOf } from "../errors.ts";
import { PACKAGE_ROOT, VERSION } from "../package.ts";
import { createApp } from "./app.ts";
import type { AskEngine } from "./ask-engine.ts";
import type { ServerLog } from "./log.ts";
import { type RunningServer, serve } from "./serve.ts";

/** Milliseconds between two purges of expired sessions and of what is older than it may be kept (`book` source: hourly). */
export const SESSION_PURGE_MS = 3_600_000;

/** Serves an engine as its configuration says. Errors go to `say`, one line each; questions are never logged. */
export async function serveEngine(engine: Engine, say: (line: string) => void): Promise<RunningServer> {
  const { host, port, admin_token: adminToken = null } = engine.config.server;
  const log: ServerLog = {
    info: () => undefined,
    error: (message, facts) => say(`${message} ${JSON.stringify(facts)}`),
  };
  const app = createApp({ engine: toAskEngine(engine), memory: engine, log, webRoot: join(PACKAGE_ROOT, "dist", "web"), host, adminToken });
  const server = await serve(app, { host, port });
  const purge = setInterval(() => {
    engine.memory.purge().catch((error: unknown) => log.error("purge failed", { reason: messageOf(error) }));
  }, SESSION_PURGE_MS);
  purge.unref();
  return {
    url: server.url,
    close: async () => {
      clearInterval(purge);
      await server.close();
    },
  };
}

/** What HTTP asks of an engine. */
export function toAskEngine(engine: Engine): AskEngine {
  return {
    ask: (request, { signal }) =>
      engine.ask(request.question, {
        domain: request.domain,
        tenant: request.tenant,
        profile: request.profile,
        detail: request.detail,
        sessionId: request.session_id ?? randomUUID(),
        selection:
          request.selection === undefined
            ? null
            : { documentId: request.selection.document_id, start: request.selection.start, end: request.selection.end },
        filters: request.filters ?? null,
        userId: request.user_id ?? null,
        privacy: request.privacy,
        signal,
      }),
    refresh: (domain) => engine.refresh(domain),
    hotlines: (message) => engine.hotlines(message),
    health: async () => ({ ...(await engine.health()), version: VERSION }),
  };
}
