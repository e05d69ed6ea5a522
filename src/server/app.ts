import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { RequestError } from "../errors.ts";
import type { Evaluations } from "../grade/evaluations.ts";
import { createAnswerWriter } from "../wire/index.ts";
import { knownCallerOf } from "./access/caller.ts";
import { createGuard, type GuardOptions } from "./access/guard.ts";
import { createSessionIds, type SessionIds } from "./access/session-ids.ts";
import { hostGuard, strictTransport } from "./access/transport.ts";
import type { AskEngine } from "./ask-engine.ts";
import { describeFailure } from "./error-response.ts";
import { goneResponse, isGone } from "./gone.ts";
import { type IdempotencyRecords, recordsInMemory } from "./idempotency.ts";
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from "./limits.ts";
import type { ServerLog } from "./log.ts";
import type { McpEngine } from "./mcp.ts";
import { type Handlers, methodsOf, mountEndpoints, served } from "./mount.ts";
import { describeApi } from "./openapi.ts";
import { ask } from "./routes/ask.ts";
import { chatHandlers } from "./routes/chat.ts";
import { type ExperimentEngine, experimentHandlers } from "./routes/experiments.ts";
import { type ExploringEngine, evaluationHandlers, exploringHandlers } from "./routes/exploring.ts";
import { health, ready, showMetrics } from "./routes/health.ts";
import { type KeyEngine, keyHandlers } from "./routes/keys.ts";
import { type LibraryEngine, libraryHandlers } from "./routes/library.ts";
import { mcpHandlers } from "./routes/mcp.ts";
import { type MemoryEngine, memoryHandlers } from "./routes/memory.ts";
import { readPageFiles, sendPageFile } from "./routes/page.ts";
import { refresh } from "./routes/refresh.ts";
import { type ReportEngine, reportHandlers } from "./routes/reports.ts";
import { type RoomsEngine, roomHandlers } from "./routes/rooms.ts";
import { schema } from "./routes/schema.ts";
import type { Metrics } from "./telemetry/metrics.ts";

/** What documents, reports and keys need of an engine. */
export type ServiceEngine = LibraryEngine & ReportEngine & KeyEngine & ExperimentEngine & McpEngine & ExploringEngine;

export interface AppOptions extends GuardOptions {
  readonly engine: AskEngine;
  /** Sessions, feedback, review, figures and forgetting; absent: those routes do not exist. */
  readonly memory?: MemoryEngine | undefined;
  /** Who asks, domains, answers and documents for the page's rooms; absent: those routes do not exist. */
  readonly rooms?: RoomsEngine | undefined;
  /** Searches, checks, files, reports and keys; absent: those routes do not exist. */
  readonly service?: ServiceEngine | undefined;
  /** Golden runs; absent: those routes do not exist. */
  readonly evaluations?: Evaluations | undefined;
  readonly log: ServerLog;
  /** Folder of the built page, read once. */
  readonly webRoot: string;
  readonly limits?: Partial<ServerLimits>;
  /** Where the app will be served. On loopback only loopback `Host` headers are let in. @default "127.0.0.1" */
  readonly host?: string;
  /** Names under which it is reached there; others are refused. @default [] */
  readonly hosts?: readonly string[];
  /** Issues ids of sessions, and knows them again. @default those of this process alone */
  readonly sessions?: SessionIds;
  /** What `/metrics` shows; absent: that route does not exist. */
  readonly metrics?: Metrics | undefined;
  /** Keeps responses to named requests. @default in the memory of this process */
  readonly idempotency?: IdempotencyRecords;
  /** Is the server about to stop? Then it is not ready. */
  readonly isStopping?: () => boolean;
}

/** Whoever reads a log must not be able to read sessions or answers. */
const ID_IN_PATH = /^(\/v1\/(?:sessions|answers)\/)[^/]+/;

/** The whole HTTP surface; needs no port: `createApp(…).request("/healthz")`. */
export function createApp({
  engine,
  memory,
  rooms,
  service,
  evaluations,
  log,
  webRoot,
  limits: given,
  host = "127.0.0.1",
  hosts = [],
  sessions = createSessionIds(randomBytes(32).toString("hex")),
  metrics,
  idempotency = recordsInMemory(),
  isStopping = () => false,
  ...guarding
}: AppOptions): Hono {
  const guard = createGuard(guarding);
  const limits: ServerLimits = { ...DEFAULT_SERVER_LIMITS, ...given };
  const page = readPageFiles(webRoot);
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

  const write = createAnswerWriter();
  const handlers: Handlers = {
    ask: (context) => ask(context, { engine, log, limits, sessions, write }),
    refresh: (context) => refresh(context, engine),
    refreshCache: (context) => refresh(context, engine),
    schema,
    openapi: (context) => context.json(api),
    health: (context) => health(context, engine),
    ready: (context) => ready(context, engine, isStopping()),
    ...(metrics === undefined ? {} : { metrics: (context) => showMetrics(context, metrics) }),
    ...(memory === undefined ? {} : memoryHandlers(memory, sessions)),
    ...(rooms === undefined ? {} : { ...roomHandlers(rooms, limits), ...chatHandlers({ engine, log, limits, sessions, write }, rooms) }),
    ...(service === undefined
      ? {}
      : {
          ...libraryHandlers(service, limits),
          ...reportHandlers(service),
          ...keyHandlers(service),
          ...experimentHandlers(service),
          ...mcpHandlers({ engine: service, guard, log, sessions }),
          ...exploringHandlers(service),
        }),
    ...(service === undefined || evaluations === undefined ? {} : evaluationHandlers(service, evaluations)),
  };
  const endpoints = served(handlers);
  const api = describeApi(endpoints);
  mountEndpoints(app, handlers, { guard, engine, limits, idempotency });
  app.get("*", async (context, next) => {
    const file = page.get(context.req.path);
    if (file !== undefined) return sendPageFile(context, file);
    if (context.req.path === "/") throw pageNotBuilt();
    await next();
  });
  app.all("*", (context) => {
    const { method, path } = context.req;
    const allowed = methodsOf(path, endpoints) ?? (page.has(path) || path === "/" ? "GET, HEAD" : null);
    if (allowed === null) throw unknownRoute(method, path);
    context.header("Allow", allowed);
    throw methodNotAllowed(method, path, allowed);
  });
  return app;
}

/** The page loads nothing from elsewhere, runs no inline script, and can be framed by nobody. */
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

function pageNotBuilt(): RequestError {
  return new RequestError("page_not_built", "The page is not built: run `npm run build`, then start the server again.");
}

function unknownRoute(method: string, path: string): RequestError {
  return new RequestError("unknown_route", `${method} ${path} is unknown: GET /openapi.json describes every route.`);
}

function methodNotAllowed(method: string, path: string, allowed: string): RequestError {
  return new RequestError("method_not_allowed", `${method} is not allowed on ${path}: use ${allowed}.`, { allowed });
}
