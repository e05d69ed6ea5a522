import type { Context, MiddlewareHandler } from "hono";
import { RequestError } from "../../errors.ts";
import { isLoopback, isLoopbackHostHeader } from "../loopback.ts";
import { peerOf } from "./address.ts";

/** For how long a browser asks only over TLS: a year, as RFC 6797 has it in its examples. */
const HSTS = "max-age=31536000; includeSubDomains";

/**
 * Lets in requests to the names under which the server is meant to be reached. A page of another site can make a browser send requests here under
 * its own name (DNS rebinding): on this machine's own address only names that cannot be made to point elsewhere, elsewhere those that are listed.
 * @param listed names beside those of loopback; empty: on other addresses, any
 * @throws RequestError `host_not_allowed`
 */
export function hostGuard(host: string, listed: readonly string[]): MiddlewareHandler {
  const names = new Set(listed.map((name) => name.toLowerCase()));
  const isOwn = isLoopback(host);
  return async (context, next) => {
    const header = context.req.header("host") ?? new URL(context.req.url).host;
    const name = header.toLowerCase().replace(/:\d{1,5}$/, "");
    const isOpen = !isOwn && names.size === 0;
    if (!isOpen && !names.has(name) && !isLoopbackHostHeader(header)) throw hostNotAllowed(header, isOwn);
    await next();
  };
}

/** Tells browsers to stay with TLS where the request came over it: to this server, or to a trusted proxy that says so. */
export function strictTransport(isTrusted: (address: string) => boolean): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (isSecure(context, isTrusted)) context.res.headers.set("Strict-Transport-Security", HSTS);
  };
}

function isSecure(context: Context, isTrusted: (address: string) => boolean): boolean {
  const env = context.env as { incoming?: { socket?: { encrypted?: boolean } } } | undefined;
  if (env?.incoming?.socket?.encrypted === true) return true;
  // Of several proxies, the last one speaks of its own connection; only the first one's says how the reader came.
  const [first = ""] = (context.req.header("x-forwarded-proto") ?? "").split(",");
  return isTrusted(peerOf(context)) && first.trim().toLowerCase() === "https";
}

function hostNotAllowed(header: string, isOwn: boolean): RequestError {
  const shown = header.length > 100 ? `${header.slice(0, 100)}…` : header;
  const message = isOwn
    ? `The host name "${shown}" is not served on this machine's own address: use localhost or 127.0.0.1, or list the name in \`server.hosts\`.`
    : `The host name "${shown}" is not served here: use the name that whoever runs the server gave you.`;
  return new RequestError("host_not_allowed", message, { host: shown });
}
