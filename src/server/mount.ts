import type { Context, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { etag } from "hono/etag";
import { RequestError, withWarnings } from "../errors.ts";
import type { Guard } from "./access/guard.ts";
import type { AskEngine } from "./ask-engine.ts";
import { ENDPOINTS, type Endpoint, type EndpointName } from "./endpoints.ts";
import { createIdempotency, type IdempotencyRecords } from "./idempotency.ts";
import type { ServerLimits } from "./limits.ts";
import { isJsonContentType } from "./read-ask-request.ts";
import { withoutEscapes } from "./routes/ask.ts";

export type Handler = (context: Context) => Response | Promise<Response>;
/** What a server serves: an endpoint without a handler does not exist. */
export type Handlers = Partial<Readonly<Record<EndpointName, Handler>>>;

/** Bodies that bring texts along. */
const LONG_BODIES: ReadonlySet<string> = new Set(["check", "mcp", "chat", "startEvaluation"] satisfies EndpointName[]);

export interface MountOptions {
  readonly guard: Guard;
  readonly engine: Pick<AskEngine, "hotlines">;
  readonly limits: ServerLimits;
  readonly idempotency: IdempotencyRecords;
}

/** Puts every endpoint that has a handler behind what its description says: who may, how much, what body. */
export function mountEndpoints(app: Hono, handlers: Handlers, { guard, engine, limits, idempotency }: MountOptions): void {
  const idempotent = createIdempotency(idempotency);
  const withHotlines = async (error: unknown, { req }: Context) =>
    withWarnings(error, await engine.hotlines(withoutEscapes(await readBeginning(req.raw, limits.bodyBytes))));
  const admit: MiddlewareHandler = async (context, next) => {
    await guard.admitAsker(context).catch(async (error: unknown) => {
      throw await withHotlines(error, context);
    });
    await next();
  };
  const identify =
    (isQuestion: boolean): MiddlewareHandler =>
    async (context, next) => {
      await guard.identify(context).catch(async (error: unknown) => {
        throw isQuestion ? await withHotlines(error, context) : error;
      });
      await next();
    };
  const isJson: MiddlewareHandler = async (context, next) => {
    const contentType = context.req.header("content-type");
    if (!isJsonContentType(contentType)) throw unsupportedContentType(contentType);
    await next();
  };
  const atMost = (maxSize: number): MiddlewareHandler => {
    const tooLarge = async (context: Context): Promise<never> => {
      throw await withHotlines(bodyTooLarge(maxSize), context);
    };
    const counted = bodyLimit({ maxSize, onError: tooLarge });
    return async (context, next) => {
      const bytes = statedLength(context);
      if (bytes === null) return counted(context, next);
      if (bytes > maxSize) return tooLarge(context);
      return next();
    };
  };
  for (const [name, endpoint] of Object.entries(served(handlers))) {
    const { method, opens, uncounted, body, etag: tagged } = endpoint;
    const before: MiddlewareHandler[] = [];
    const isQuestion = opens === "ask" && uncounted !== true;
    if (opens !== "anyone") before.push(identify(isQuestion), isQuestion ? admit : guard.opens(opens));
    if (opens !== "ask" && opens !== "anyone") before.push(notStored);
    if (body === "files") before.push(atMost(limits.uploadBytes));
    else if (body !== undefined && body.optional === true) before.push(atMost(limits.bodyBytes));
    else if (body !== undefined) before.push(isJson, atMost(LONG_BODIES.has(name) ? limits.checkBytes : limits.bodyBytes));
    if (endpoint.idempotent === true) before.push(idempotent);
    if (tagged === true) before.push(revalidated, etag());
    app.on([method], [honoPath(endpoint.path)], ...before, handlers[name as EndpointName] as Handler);
  }
}

/** The endpoints that have a handler, by name. */
export function served(handlers: Handlers): Readonly<Record<string, Endpoint>> {
  return Object.fromEntries(Object.entries(ENDPOINTS).filter(([name]) => handlers[name as EndpointName] !== undefined));
}

/** Methods that a path takes, as the header `Allow` names them; `null`: there is no such path. */
export function methodsOf(path: string, endpoints: Readonly<Record<string, Endpoint>>): string | null {
  const methods = Object.values(endpoints)
    .filter((endpoint) => pattern(endpoint.path).test(path))
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return methods.length === 0 ? null : [...new Set(methods)].join(", ");
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

/**
 * Bytes of a body whose head says how many they are: the parser of HTTP lets no other number through. `null`: it does not say, and the body must be counted as
 * it comes, for which a stream is made of it.
 */
function statedLength({ req }: Context): number | null {
  const stated = req.header("content-length");
  if (stated === undefined || !/^\d+$/.test(stated) || req.header("transfer-encoding") !== undefined) return null;
  return Number(stated);
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

const notStored: MiddlewareHandler = async (context, next) => {
  context.header("Cache-Control", "no-store");
  await next();
};

const revalidated: MiddlewareHandler = async (context, next) => {
  context.header("Cache-Control", "private, no-cache");
  await next();
};

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
