import type { Context, MiddlewareHandler } from "hono";
import ipaddr from "ipaddr.js";
import { RequestError } from "../../shared/errors.ts";

/** Headers that only something between the requester and this server adds. */
const FORWARDING_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;
/** What one household or office is given of IPv6 addresses: counted as one. */
const IPV6_PREFIX_BITS = 64;

/** Address of the other end of the connection; of a request that came over none, as in tests, this machine's. */
function peerOf(context: Context): string {
  const env = context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? "127.0.0.1";
}

/** Did the request come from this machine, and not on behalf of another one? */
export function isFromThisMachine(context: Context): boolean {
  return rangeOf(peerOf(context)) === "loopback" && FORWARDING_HEADERS.every((name) => context.req.header(name) === undefined);
}

/**
 * Address of whoever asks: the last one in `X-Forwarded-For` that is not a trusted proxy's, where the connection comes from a trusted one;
 * else the connection's. Anybody can write the header, so that of a stranger counts for nothing.
 */
export function addressOf(context: Context, isTrusted: (address: string) => boolean): string {
  const forwarded = (context.req.header("x-forwarded-for") ?? "").split(",").map((address) => address.trim());
  let address = peerOf(context);
  while (isTrusted(address)) {
    const before = forwarded.pop();
    if (before === undefined || !ipaddr.isValid(before)) break;
    address = before;
  }
  return address;
}

/** @param proxies addresses, or ranges such as `10.0.0.0/8` */
export function createTrust(proxies: readonly string[]): (address: string) => boolean {
  const ranges = proxies.map((proxy) => (proxy.includes("/") ? ipaddr.parseCIDR(proxy) : wholeOf(ipaddr.process(proxy))));
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
  };
}

/** What requests from an address are counted under. */
export function countedAs(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`).toString();
}

function wholeOf(address: ipaddr.IPv4 | ipaddr.IPv6): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function rangeOf(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).range() : "unknown";
}

/** Whether a host to bind to is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether a `Host` header may reach a server bound to loopback. A page of another site can make a browser send requests here under its
 * own name (DNS rebinding); only these names cannot be made to point elsewhere.
 */
function isLoopbackHostHeader(header: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(header);
}

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
