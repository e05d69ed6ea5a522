import { type Context, Hono, type Next } from "hono";
import { bodyLimit } from "hono/body-limit";
import { secureHeaders } from "hono/secure-headers";
import { RequestError, withWarnings } from "../errors.ts";
import { knownCallerOf } from "./access/caller.ts";
import { createGuard, type GuardOptions } from "./access/guard.ts";
import type { AskEngine } from "./ask-engine.ts";
import { describeFailure } from "./error-response.ts";
import { goneResponse, isGone } from "./gone.ts";
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from "./limits.ts";
import type { ServerLog } from "./log.ts";
import { isLoopback, isLoopbackHostHeader } from "./loopback.ts";
import { isJsonContentType } from "./read-ask-request.ts";
import { ask, withoutEscapes } from "./routes/ask.ts";
import { health, ready } from "./routes/health.ts";
import { addMemoryRoutes, MEMORY_METHODS, type MemoryEngine } from "./routes/memory.ts";
import { readPageFiles, sendPageFile } from "./routes/page.ts";
import { refresh } from "./routes/refresh.ts";
import { addRoomRoutes, ROOM_METHODS, type RoomsEngine } from "./routes/rooms.ts";
import { schema } from "./routes/schema.ts";

export interface AppOptions extends GuardOptions {
  readonly engine: AskEngine;
  /** Sessions, feedback, review, figures and forgetting; absent: those routes do not exist. */
  readonly memory?: MemoryEngine | undefined;
  /** Who asks, domains, answers and documents for the page's rooms; absent: those routes do not exist. */
  readonly rooms?: RoomsEngine | undefined;
  readonly log: ServerLog;
  /** Folder of the built page, read once. */
  readonly webRoot: string;
  readonly limits?: Partial<ServerLimits>;
  /** Where the app will be served. On loopback only loopback `Host` headers are let in. @default "127.0.0.1" */
  readonly host?: string;
}

/** The second is the name that the `book` source gives it. */
const REFRESH_PATHS = ["/v1/admin/refresh", "/refresh-cache"] as const;
/** What asks, and is counted. */
const ASKING_PATHS = ["/v1/ask", "/v1/feedback", "/v1/sessions/*"] as const;
/** Whoever reads a log must not be able to read sessions. */
const SESSION_ID = /^(\/v1\/sessions\/)[^/]+/;
const METHODS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(REFRESH_PATHS.map((path) => [path, "POST"])),
  "/v1/ask": "POST",
  "/v1/schema": "GET, HEAD",
  "/healthz": "GET, HEAD",
  "/readyz": "GET, HEAD",
};

/** The whole HTTP surface; needs no port: `createApp(…).request("/healthz")`. */
export function createApp({ engine, memory, rooms, log, webRoot, limits: given, host = "127.0.0.1", ...guarding }: AppOptions): Hono {
  const guard = createGuard(guarding);
  const limits: ServerLimits = { ...DEFAULT_SERVER_LIMITS, ...given };
  const page = readPageFiles(webRoot);
  const app = new Hono();

  app.onError((error, context) => {
    if (isGone(error, context.req.raw.signal)) return goneResponse();
    const { status, body } = describeFailure(error, log);
    const wait = body.error.data?.retry_after_s;
    if (typeof wait === "number") context.header("Retry-After", String(wait));
    return context.json(body, status);
  });
  app.use(async (context, next) => {
    const startedAt = performance.now();
    await next();
    const ms = Math.round(performance.now() - startedAt);
    const path = context.req.path.replace(SESSION_ID, "$1:id");
    const who = { address: guard.addressOf(context), key: knownCallerOf(context)?.keyId ?? null };
    log.info("request", { method: context.req.method, path, status: context.res.status, ms, ...who });
  });
  app.use(securityHeaders());
  if (isLoopback(host)) {
    app.use(async (context, next) => {
      const header = context.req.header("host") ?? new URL(context.req.url).host;
      if (!isLoopbackHostHeader(header)) throw hostNotAllowed(header);
      await next();
    });
  }

  const withHotlines = async (error: unknown, request: Request) =>
    withWarnings(error, engine.hotlines(withoutEscapes(await readBeginning(request, limits.bodyBytes))));
  for (const path of ["/v1/*", ...REFRESH_PATHS]) app.use(path, guard.identify);
  for (const path of ASKING_PATHS)
    app.use(path, async (context, next) => {
      await guard.admitAsker(context).catch(async (error: unknown) => {
        throw await withHotlines(error, context.req.raw);
      });
      await next();
    });
  app.use("/v1/admin/*", async (context, next) => {
    context.header("Cache-Control", "no-store");
    await next();
  });
  const json = [
    async (context: Context, next: Next) => {
      const contentType = context.req.header("content-type");
      if (!isJsonContentType(contentType)) throw unsupportedContentType(contentType);
      await next();
    },
    bodyLimit({
      maxSize: limits.bodyBytes,
      onError: async (context) => {
        throw await withHotlines(bodyTooLarge(limits.bodyBytes), context.req.raw);
      },
    }),
  ] as const;
  app.post("/v1/ask", ...json, (context) => ask(context, { engine, log, limits }));
  if (memory !== undefined) addMemoryRoutes(app, memory, { json, role: guard.role });
  if (rooms !== undefined) addRoomRoutes(app, rooms, guard);
  for (const path of REFRESH_PATHS)
    app.post(path, guard.role("ingest"), limitBody(limits.bodyBytes), (context) => refresh(context, engine));
  app.get("/v1/schema", schema);
  app.get("/healthz", (context) => health(context, engine));
  app.get("/readyz", (context) => ready(context, engine));
  app.get("*", async (context, next) => {
    const file = page.get(context.req.path);
    if (file !== undefined) return sendPageFile(context, file);
    if (context.req.path === "/") throw pageNotBuilt();
    await next();
  });
  app.all("*", (context) => {
    const allowed =
      METHODS[context.req.path] ??
      (page.has(context.req.path) ? "GET, HEAD" : undefined) ??
      [...(memory === undefined ? [] : MEMORY_METHODS), ...(rooms === undefined ? [] : ROOM_METHODS)].find(([path]) =>
        path.test(context.req.path),
      )?.[1];
    if (allowed === undefined) throw unknownRoute(context.req.method, context.req.path);
    context.header("Allow", allowed);
    throw methodNotAllowed(context.req.method, context.req.path, allowed);
  });
  return app;
}

function limitBody(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw bodyTooLarge(maxSize);
    },
  });
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

function hostNotAllowed(header: string): RequestError {
  const message = `The host name "${header}" is not served on this machine's own address: use localhost or 127.0.0.1, or serve with --host.`;
  return new RequestError("host_not_allowed", message, { host: header });
}

function unsupportedContentType(contentType: string | undefined): RequestError {
  const found = contentType === undefined ? "has no content type" : `has the content type "${contentType}"`;
  return new RequestError("unsupported_content_type", `The request ${found}: send "content-type: application/json".`);
}

/** The first bytes of a body as text, so that an emergency is seen in what is too large to be read; empty when it has been read already. */
async function readBeginning({ body, bodyUsed }: Request, bytes: number): Promise<string> {
  if (body === null || bodyUsed || body.locked) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (let left = bytes; left > 0; ) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.length;
  }
  await reader.cancel().catch(() => {});
  return text;
}

function bodyTooLarge(limitBytes: number): RequestError {
  const message = `The request body is larger than ${limitBytes} bytes: shorten it.`;
  return new RequestError("body_too_large", message, { limit_bytes: limitBytes });
}

function pageNotBuilt(): RequestError {
  return new RequestError("page_not_built", "The page is not built: run `npm run build`, then start the server again.");
}

function unknownRoute(method: string, path: string): RequestError {
  const routes = [
    "POST /v1/ask",
    "POST /v1/feedback",
    "GET /v1/sessions/ID",
    "POST /v1/admin/refresh",
    "GET /v1/schema",
    "GET /healthz",
    "GET /readyz",
    "GET /",
  ];
  return new RequestError("unknown_route", `${method} ${path} is unknown: known are ${routes.join(", ")}.`, { routes });
}

function methodNotAllowed(method: string, path: string, allowed: string): RequestError {
  return new RequestError("method_not_allowed", `${method} is not allowed on ${path}: use ${allowed}.`, { allowed });
}
