import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { getMimeType, mimes } from "hono/utils/mime";
import { RequestError, systemCodeOf } from "../shared/errors.ts";
import { createAnswerWriter } from "../wire/index.ts";
import { hostGuard, strictTransport } from "./access/address.ts";
import { createSessionIds, knownCallerOf, type SessionIds } from "./access/caller.ts";
import { createGuard, type GuardOptions } from "./access/guard.ts";
import { DEFAULT_SERVER_LIMITS, type ServerLimits, type Services } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { describeFailure, goneResponse, isGone } from "./error-response.ts";
import type { IdempotencyRecords } from "./idempotency.ts";
import { type AppParts, methodsOf, mountEndpoints, served } from "./mount.ts";
import { describeApi } from "./openapi.ts";

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
  /** Stores responses to requests with an idempotency key; absent: the key is ignored. */
  readonly idempotency?: IdempotencyRecords | undefined;
}

/** Log readers must not get ids that open sessions or answers. */
const ID_IN_PATH = /^(\/v1\/(?:sessions|answers)\/)[^/]+/;

/** Creates the whole HTTP app; tests need no port: `createApp(…).request("/healthz")`. */
export function createApp(options: AppOptions): Hono {
  const { engine, evaluations, metrics, log, webRoot, host = "127.0.0.1", hosts = [], idempotency } = options;
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
    api: describeApi(endpoints),
    startedAt: new Date(),
    isStopping: options.isStopping ?? (() => false),
  };
  // Endpoints whose parts are missing are not mounted.
  mountEndpoints(app, endpoints, services as Services, idempotency);
  app.get("*", compress({ encoding: "gzip" }), etag(), async (context, next) => {
    const file = page.get(context.req.path);
    if (file !== undefined) return context.body(file.body, 200, file.headers);
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

/** A file of the built page, ready to send. */
interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

const MIME_TYPES = { ...mimes, svg: "image/svg+xml" };

/** Cache header of `assets/`, whose names contain a content hash. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * Reads the built page into memory, by request path (`/`, `/assets/…`): one consistent build, only listed files. Empty if the folder does not
 * exist; links are not followed.
 */
function readPageFiles(webRoot: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const path of listFiles(webRoot)) {
    const body = new Uint8Array(readFileSync(path));
    const name = `/${relative(webRoot, path).split(sep).join("/")}`;
    const headers = {
      "Content-Type": getMimeType(path, MIME_TYPES) ?? "application/octet-stream",
      "Content-Length": String(body.length),
      ETag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
      "Cache-Control": name.startsWith("/assets/") ? IMMUTABLE : "no-cache",
    };
    files.set(name, { body, headers });
    if (name === "/index.html") files.set("/", { body, headers });
  }
  return files;
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}
