import type { Context, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { etag } from "hono/etag";
import { RequestError, withWarnings } from "../shared/errors.ts";
import { callerOf } from "./access/caller.ts";
import type { Endpoint, Services } from "./endpoint.ts";
import { createIdempotency, type IdempotencyRecords } from "./idempotency.ts";
import { JSON_LINES_TYPES, partOf, readBody, readQuery, withoutEscapes } from "./read-request.ts";

/** Optional parts of a server. */
export type AppParts = { readonly [Part in NonNullable<Endpoint["needs"]>]?: Services[Part] | undefined };

/** Returns the endpoints that these parts can serve, by name. */
export function served(endpoints: Readonly<Record<string, Endpoint>>, parts: AppParts): Readonly<Record<string, Endpoint>> {
  return Object.fromEntries(Object.entries(endpoints).filter(([, { needs }]) => needs === undefined || parts[needs] !== undefined));
}

/** Mounts every endpoint with its authorisation, limits and body parsing. */
export function mountEndpoints(
  app: Hono,
  endpoints: Readonly<Record<string, Endpoint>>,
  services: Services,
  records: IdempotencyRecords | undefined,
): void {
  const { guard, engine, limits } = services;
  const idempotent = records === undefined ? [] : [createIdempotency(records)];
  const withHotlines = async (error: unknown, { req }: Context) =>
    withWarnings(error, await engine.hotlines(withoutEscapes(await readBeginning(req.raw, limits.bodyBytes))));
  const enter = ({ opens, uncounted }: Endpoint): MiddlewareHandler => {
    const isQuestion = opens === "ask" && uncounted !== true;
    return async (context, next) => {
      try {
        await guard.identify(context);
        if (isQuestion) await guard.admitAsker(context);
      } catch (error) {
        throw isQuestion ? await withHotlines(error, context) : error;
      }
      if (!isQuestion && opens !== "anyone") guard.assertMay(context, opens);
      await next();
    };
  };
  const atMost = (maxSize: number): MiddlewareHandler => {
    const onError = async (context: Context): Promise<never> => {
      const message = `The request body exceeds ${maxSize} bytes. Shorten it.`;
      throw await withHotlines(new RequestError("body_too_large", message, { limit_bytes: maxSize }), context);
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
    if (one.idempotent === true) before.push(...idempotent);
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
        body === undefined || body === "files" || body.unread === true || body.lines === true
          ? undefined
          : await readBody(context, body, services.engine),
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

/** Returns the methods of a path for the `Allow` header; `null`: unknown path. */
export function methodsOf(path: string, endpoints: Readonly<Record<string, Endpoint>>): string | null {
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
    // Parameters are ignored: bodies are always UTF-8 (RFC 8259).
    if (allowed.includes(contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "")) return next();
    const found = contentType === undefined ? "has no content type" : `has the content type "${contentType}"`;
    throw new RequestError("unsupported_content_type", `The request ${found}. Send "content-type: ${allowed[0]}".`);
  };
}

/** Reads the start of a body, to find emergencies in bodies that are too large; "" if the body is already read. */
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
