import { join } from "node:path";
import { createEngine, type Engine } from "../engine/engine.ts";
import { createEvaluations } from "../grading/evaluations.ts";
import { layOutDocuments } from "../grading/golden-set.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { ConfigError, messageOf } from "../shared/errors.ts";
import { isLiveKey, type KeyStore } from "../store/keys.ts";
import { isLoopback } from "./access/address.ts";
import type { ServerLog } from "./access/guard.ts";
import { createTokenReader } from "./access/token.ts";
import { createApp } from "./app.ts";
import { openTls, type RunningServer, serve } from "./serve.ts";
import { openServing } from "./serving.ts";

/** Milliseconds between purges of expired sessions and records: one hour, as in the published `book` design (docs/profiles.md). */
export const SESSION_PURGE_MS = 3_600_000;

/**
 * Serves an engine as configured. Errors, and requests if configured, go to `say`, one line each; questions are never logged.
 * @throws ConfigError `config_keys_missing` when other machines could connect and no key exists
 */
export async function serveEngine(engine: Engine, say: (line: string) => void): Promise<RunningServer> {
  const settings = engine.config.server;
  const { host } = settings;
  if (!isLoopback(host) && settings.without_keys !== "anyone" && settings.jwt === undefined) await assertKeyed(engine.store.keys, host);
  const tls = settings.tls === undefined ? undefined : openTls(settings.tls);
  if (!isLoopback(host) && tls === undefined && settings.trusted_proxies.length === 0) say(PLAIN_WARNING);
  const log: ServerLog = {
    info: (message, facts) => {
      if (settings.access_log) say(JSON.stringify({ time: new Date().toISOString(), message, ...facts }));
    },
    error: (message, facts) => say(`${message} ${JSON.stringify(facts)}`),
  };
  const evaluations = createEvaluations({
    config: engine.config,
    openEngine: createEngine,
    openJudge: async () => (await import("../grading/claim-judge.ts")).createShippedJudge(),
    layOut: (domain, to) => layOutDocuments(engine, domain, to),
  });
  const serving = await openServing(engine);
  await engine.resumeUploads();
  let isStopping = false;
  const app = createApp({
    ...serving,
    ...{ evaluations, log, webRoot: join(PACKAGE_ROOT, "dist", "web"), host, hosts: settings.hosts, cors: settings.cors },
    isStopping: () => isStopping,
    keys: engine.store.keys,
    labels: engine.config.access,
    tokens: settings.jwt === undefined ? undefined : createTokenReader(settings.jwt, engine.config.domain),
    adminToken: settings.admin_token ?? null,
    withoutKeys: settings.without_keys,
    trustedProxies: settings.trusted_proxies,
    requestsPerHour: settings.requests_per_hour,
  });
  const tlsFailed = (reason: string) => log.error("the new certificate could not be loaded", { reason });
  const server = await serve(app, settings, tls, tlsFailed).catch(async (error: unknown) => {
    await serving.close();
    throw error;
  });
  const purge = setInterval(() => {
    engine.memory.purge().catch((error: unknown) => log.error("purge failed", { reason: messageOf(error) }));
  }, SESSION_PURGE_MS);
  purge.unref();
  return {
    url: server.url,
    close: async () => {
      isStopping = true;
      clearInterval(purge);
      await server.close();
      await evaluations.close();
      await serving.close();
    },
  };
}

const PLAIN_WARNING =
  "warning: other machines can reach this address over plain HTTP, so keys can be intercepted. Set server.tls, or serve behind a proxy listed in server.trusted_proxies.";

/** Throws if no valid key exists. Otherwise an incomplete configuration would give other machines a server without keys. */
async function assertKeyed(keys: KeyStore, host: string): Promise<void> {
  const now = new Date();
  if ((await keys.list()).some((key) => isLiveKey(key, now))) return;
  const message = `Other machines can reach ${host}, but there is no key yet. Create one with \`sourcebound keys create\`, listen on this machine only with --host 127.0.0.1, or admit everyone with \`server.without_keys: anyone\`.`;
  throw new ConfigError("config_keys_missing", message, { host });
}
