import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { getMimeType, mimes } from "hono/utils/mime";
import { RequestError, warningsOf, withWarnings } from "../shared/errors.ts";
import { createAnswerWriter } from "../wire/index.ts";
import { hostGuard, strictTransport } from "./access/address.ts";
import { callerOf, createSessionIds, knownCallerOf, type SessionIds } from "./access/caller.ts";
import { createGuard, type GuardOptions } from "./access/guard.ts";
import { DEFAULT_SERVER_LIMITS, type Endpoint, type ServerLimits, type Services } from "./endpoint.ts";
import { describeFailure, goneResponse, isGone } from "./error-response.ts";
import { createIdempotency, type IdempotencyRecords } from "./idempotency.ts";
import { mcpEndpoint } from "./mcp.ts";
import { describeApi } from "./openapi.ts";
import { JSON_LINES_TYPES, partOf, readBody, readQuery, withoutEscapes } from "./read-request.ts";
import { adminEndpoints } from "./routes/admin.ts";
import { answerEndpoints } from "./routes/answers.ts";
import { askEndpoints, batchEndpoints } from "./routes/ask.ts";
import { chatEndpoints } from "./routes/chat.ts";
import { libraryEndpoints } from "./routes/library.ts";
import { responseEndpoints } from "./routes/responses.ts";
import { reviewEndpoints } from "./routes/review.ts";
import { serviceEndpoints } from "./routes/service.ts";

export type { Endpoint } from "./endpoint.ts";

/** All routes, in the order of the documentation. */
export const ENDPOINTS = {
  ...askEndpoints,
  ...batchEndpoints,
  ...answerEndpoints,
  ...libraryEndpoints,
  ...reviewEndpoints,
  ...adminEndpoints,
  ...chatEndpoints,
  ...responseEndpoints,
  mcp: mcpEndpoint,
  ...serviceEndpoints,
} satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

export interface AppOptions extends GuardOptions, AppParts, Pick<Services, "engine" | "log"> {
  readonly sessions?: SessionIds;
  readonly isStopping?: () => boolean;
  /** Folder of the built page, read at start. */
  readonly webRoot: string;
  readonly limits?: Partial<ServerLimits>;
  /** Address that the server binds. It determines the allowed `Host` headers (`hostGuard`). @default "127.0.0.1" */
  readonly host?: string;
  /** Allowed `Host` names besides loopback names. If empty: no others if `host` is loopback, otherwise any name. @default [] */
  readonly hosts?: readonly string[];
  /** Origins allowed by CORS. @default [] */
  readonly cors?: readonly string[];
  /** Stores responses to requests with an idempotency key; absent: the key is ignored. */
  readonly idempotency?: IdempotencyRecords | undefined;
}

/** Matches the id of a session or an answer in a path. Whoever knows such an id may read the content, so logs must not contain it. */
const ID_IN_PATH = /^(\/v1\/(?:sessions|answers)\/)[^/]+/;

/** Creates the whole HTTP app; tests need no port: `createApp(…).request("/healthz")`. */
export function createApp(options: AppOptions): Hono {
  const { engine, evaluations, metrics, log, webRoot, host = "127.0.0.1", hosts = [], idempotency } = options;
  const guard = createGuard(options);
  const page = readPageFiles(webRoot);
  const endpoints = served(ENDPOINTS, options);
  const app = new Hono();

  app.onError(async (thrown, context) => {
    if (isGone(thrown, context.req.raw.signal)) return goneResponse();
    const isQuestion = context.get(IS_QUESTION as never) === true && warningsOf(thrown).length === 0;
    context.set(IS_QUESTION as never, false as never);
    // Even a request that failed may report an emergency, so add the hotlines that fit its text.
    const error = isQuestion ? withWarnings(thrown, await engine.hotlines(await beginningOf(context))) : thrown;
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
  // The cast is safe: `served` removed the endpoints whose optional services are missing.
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
 * Reads the built page into memory by request path (`/`, `/assets/…`). All files then come from one build, and no other
 * file can be requested. The map is empty if the folder does not exist. Links are not followed.
 */
function readPageFiles(webRoot: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  const entries = existsSync(webRoot) ? readdirSync(webRoot, { withFileTypes: true, recursive: true }) : [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
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

/** Services that a server may lack, such as `metrics`. */
type AppParts = { readonly [Part in NonNullable<Endpoint["needs"]>]?: Services[Part] | undefined };

/** Returns the endpoints whose required services exist, by name. */
export function served(endpoints: Readonly<Record<string, Endpoint>>, parts: AppParts): Readonly<Record<string, Endpoint>> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, { needs }]) => needs === undefined || parts[needs] !== undefined));
}

/** Mounts every endpoint with its authorisation, limits and body parsing. */
function mountEndpoints(
  app: Hono,
  endpoints: Readonly<Record<string, Endpoint>>,
  services: Services,
  records: IdempotencyRecords | undefined,
): void {
  const { guard, limits } = services;
  const idempotent = records === undefined ? [] : [createIdempotency(records)];
  const enter = ({ opens, uncounted }: Endpoint): MiddlewareHandler => {
    const isQuestion = opens === "ask" && uncounted !== true;
    return async (context, next) => {
      context.set(IS_QUESTION as never, isQuestion as never);
      await guard.identify(context);
      if (isQuestion) await guard.admitAsker(context);
      else if (opens !== "anyone") guard.assertMay(context, opens);
      await next();
    };
  };
  const atMost = (maxSize: number): MiddlewareHandler => {
    const onError = (): never => {
      throw new RequestError("body_too_large", `The request body exceeds ${maxSize} bytes. Shorten it.`, { limit_bytes: maxSize });
    };
    return bodyLimit({ maxSize, onError });
  };
  for (const one of Object.values(endpoints)) {
    const { method, opens, body } = one;
    const before: MiddlewareHandler[] = [];
    if (opens !== "anyone") before.push(enter(one));
    if (one.unstored === true || (opens !== "ask" && opens !== "anyone")) before.push(cached("no-store"));
    if (body === "files") before.push(atMost(limits.uploadBytes));
    else if (body !== undefined) {
      if (body.optional !== true) before.push(assertContentType(body.lines === true ? JSON_LINES_TYPES : ["application/json"]));
      before.push(atMost(body.long === true ? limits.checkBytes : limits.bodyBytes));
    }
    // With ephemeral privacy, responses to questions are not stored, not even encrypted. Idempotency keys of questions
    // are therefore ignored. The keys of all other requests still work.
    const isStored = one.ephemeral !== true || records?.isEphemeral !== true;
    if (one.idempotent === true && isStored) before.push(...idempotent);
    if (one.etag === true) before.push(cached("private, no-cache"), etag());
    app.on([method], [one.path.replaceAll(/\{(\w+)\}/g, ":$1")], ...before, (context) => respond(context, one, services));
  }
}

async function respond(context: Context, { query, body, gives, handle }: Endpoint, services: Services): Promise<Response> {
  const given = await handle(
    {
      context,
      query: query === undefined ? undefined : readQuery(context, query),
      body:
        body === undefined || body === "files" || body.unread === true || body.lines === true ? undefined : await readBody(context, body),
      get caller() {
        return callerOf(context);
      },
      get id() {
        return partOf(context);
      },
      signal: context.req.raw.signal,
    },
    services,
  );
  if (given instanceof Response) return given;
  return gives.status === 204 ? context.body(null, 204) : context.json(given as object, gives.status);
}

/** Returns the methods of a path for the `Allow` header, or `null` for an unknown path. */
function methodsOf(path: string, endpoints: Readonly<Record<string, Endpoint>>): string | null {
  const pattern = (one: string) => new RegExp(`^${one.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
  const methods = Object.values(endpoints)
    .filter((endpoint) => pattern(endpoint.path).test(path))
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return methods.length === 0 ? null : [...new Set(methods)].join(", ");
}

function cached(control: string): MiddlewareHandler {
  return async (context, next) => {
    context.header("Cache-Control", control);
    await next();
  };
}

function assertContentType(allowed: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const contentType = context.req.header("content-type");
    // Ignore parameters such as `charset`, because JSON is always UTF-8 (RFC 8259).
    if (allowed.includes(contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "")) return next();
    const problem = contentType === undefined ? "has no content type" : `has the content type "${contentType}"`;
    throw new RequestError("unsupported_content_type", `The request ${problem}. Send "content-type: ${allowed[0]}".`);
  };
}

/** Context key of a flag: the request contains a question, so its error response includes the hotlines that fit the question. */
const IS_QUESTION = "is question";

/** Returns the start of a request body as text. The body may be too large or not JSON. */
async function beginningOf({ req }: Context): Promise<string> {
  const { body, bodyUsed } = req.raw;
  if (body === null || (body.locked && !bodyUsed)) return "";
  const limit = DEFAULT_SERVER_LIMITS.bodyBytes;
  // A handler has already read the body. `req` has a copy, unless reading failed.
  if (bodyUsed) return withoutEscapes((await req.text().catch(() => "")).slice(0, limit));
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of body) {
    text += decoder.decode(part, { stream: true });
    if (text.length >= limit) break;
  }
  return withoutEscapes(text.slice(0, limit));
}
