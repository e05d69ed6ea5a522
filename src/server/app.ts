import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { createExampleFinder } from "../engine/packs/example-questions.ts";
import { RequestError } from "../shared/errors.ts";
import { createAnswerWriter } from "../wire/index.ts";
import { hostGuard, strictTransport } from "./access/address.ts";
import { createSessionIds, knownCallerOf, type SessionIds } from "./access/caller.ts";
import { createGuard, type GuardOptions } from "./access/guard.ts";
import { DEFAULT_SERVER_LIMITS, type ServerLimits, type Services } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { describeFailure, goneResponse, isGone } from "./error-response.ts";
import { type IdempotencyRecords, recordsInMemory } from "./idempotency.ts";
import { type AppParts, methodsOf, mountEndpoints, served } from "./mount.ts";
import { describeApi } from "./openapi.ts";
import { readPageFiles, sendPageFile } from "./routes/page.ts";

export interface AppOptions extends GuardOptions, AppParts, Pick<Services, "engine" | "log"> {
  readonly sessions?: SessionIds;
  readonly isStopping?: () => boolean;
  /** Folder of the built page, read at start. */
  readonly webRoot: string;
  readonly limits?: Partial<ServerLimits>;
  /** Bind address; it determines the allowed `Host` headers (`hostGuard`). @default "127.0.0.1" */
  readonly host?: string;
  /** Further allowed `Host` names. Empty: loopback names on loopback, any name elsewhere. @default [] */
  readonly hosts?: readonly string[];
  /** Origins allowed by CORS. @default [] */
  readonly cors?: readonly string[];
  /** Stores responses to requests with an idempotency key. @default in the memory of this process */
  readonly idempotency?: IdempotencyRecords;
}

/** Log readers must not get ids that open sessions or answers. */
const ID_IN_PATH = /^(\/v1\/(?:sessions|answers)\/)[^/]+/;

/** Creates the whole HTTP app; tests need no port: `createApp(…).request("/healthz")`. */
export function createApp(options: AppOptions): Hono {
  const { engine, evaluations, metrics, log, webRoot, host = "127.0.0.1", hosts = [], idempotency = recordsInMemory() } = options;
  const guard = createGuard(options);
  const page = readPageFiles(webRoot);
  const endpoints = served(ENDPOINTS, options);
  const app = new Hono();

  app.onError((error, context) => {
    if (isGone(error, context.req.raw.signal)) return goneResponse();
    const { status, body } = describeFailure(error, log, context.get("requestId") as string | undefined);
    const wait = body.error.data?.retry_after_s;
    if (typeof wait === "number") context.header("Retry-After", String(wait));
    return context.json(body, status, { "Content-Type": "application/problem+json" });
  });
  app.use(requestId({ limitLength: 64 }));
  app.use(async (context, next) => {
    const startedAt = performance.now();
    const address = guard.addressOf(context);
    context.set("address" as never, address as never);
    await next();
    const took = performance.now() - startedAt;
    const route = matchedRoutes(context).findLast(({ path }) => path !== "/*" && path !== "*")?.path ?? "other";
    metrics?.requested(route, context.req.method, context.res.status, took);
    const ms = Math.round(took);
    const path = context.req.path.replace(ID_IN_PATH, "$1:id");
    const caller = knownCallerOf(context);
    const who = { address, key: caller?.keyId ?? caller?.name ?? null, request_id: context.get("requestId") };
    log.info("request", { method: context.req.method, path, status: context.res.status, ms, ...who });
  });
  app.use(securityHeaders());
  app.use(strictTransport(guard.isTrusted), hostGuard(host, hosts));
  if (options.cors !== undefined && options.cors.length > 0)
    app.use("/v1/*", cors({ origin: [...options.cors], exposeHeaders: ["Retry-After", "X-Request-Id"] }));

  const services = {
    ...{ engine, evaluations, metrics, guard, log },
    limits: { ...DEFAULT_SERVER_LIMITS, ...options.limits },
    sessions: options.sessions ?? createSessionIds(randomBytes(32).toString("hex")),
    write: createAnswerWriter(),
    findExamples: createExampleFinder(engine.store.documents),
    api: describeApi(endpoints),
    startedAt: new Date(),
    isStopping: options.isStopping ?? (() => false),
  };
  // Endpoints whose parts are missing are not mounted.
  mountEndpoints(app, endpoints, services as Services, idempotency);
  app.get("*", async (context, next) => {
    const file = page.get(context.req.path);
    if (file !== undefined) return sendPageFile(context, file);
    if (context.req.path === "/")
      throw new RequestError("page_not_built", "The web app is not built. Run `npm run build`, then restart the server.");
    await next();
  });
  app.all("*", (context) => {
    const { method, path } = context.req;
    const allowed = methodsOf(path, endpoints) ?? (page.has(path) || path === "/" ? "GET, HEAD" : null);
    if (allowed === null)
      throw new RequestError("unknown_route", `Unknown endpoint: ${method} ${path}. GET /openapi.json describes all endpoints.`);
    context.header("Allow", allowed);
    throw new RequestError("method_not_allowed", `${method} is not allowed on ${path}. Use ${allowed}.`, { allowed });
  });
  return app;
}

/** Security headers: the page loads only its own files, runs no inline script and cannot be framed. */
function securityHeaders() {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
    },
    xFrameOptions: "DENY",
    referrerPolicy: "no-referrer",
    strictTransportSecurity: false,
  });
}
