import type { Context, MiddlewareHandler } from "hono";
import ipaddr from "ipaddr.js";
import { RequestError } from "../../shared/errors.ts";

/** Request headers that a proxy adds. A request with one of them did not come directly from its sender. */
const FORWARDING_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;
/** Bits of the IPv6 prefix that one household or office has. Addresses with the same prefix share one rate limit. */
const IPV6_PREFIX_BITS = 64;

/** Returns the address that opened the connection. A request without a connection, as in tests, counts as loopback. */
function peerOf(context: Context): string {
  const env = context.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? "127.0.0.1";
}

/** Returns whether the request comes directly from this machine, without a proxy. */
export function isFromThisMachine(context: Context): boolean {
  const address = peerOf(context);
  if (!ipaddr.isValid(address) || ipaddr.process(address).range() !== "loopback") return false;
  return FORWARDING_HEADERS.every((name) => context.req.header(name) === undefined);
}

/**
 * Returns the client's address. This is the address of the connection, unless that address is a trusted proxy. Behind a
 * trusted proxy, it is the last address in `X-Forwarded-For` that is not a trusted proxy. From any other sender the
 * header is ignored, because anyone can send it.
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

/** Returns a function that tells whether an address is a trusted proxy. @param proxies addresses, or ranges such as `10.0.0.0/8` */
export function createTrust(proxies: readonly string[]): (address: string) => boolean {
  const ranges = proxies.map((proxy) => (proxy.includes("/") ? ipaddr.parseCIDR(proxy) : wholeOf(ipaddr.process(proxy))));
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
  };
}

/** Returns the key of an address in the rate limiter: the IPv4 address itself, or the prefix of the IPv6 address. */
export function countedAs(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_PREFIX_BITS}`).toString();
}

function wholeOf(address: ipaddr.IPv4 | ipaddr.IPv6): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Returns whether a host to bind to is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Returns whether a `Host` header names loopback. In a DNS rebinding attack the page of another site sends the request,
 * and the header contains the name of that site.
 */
function isLoopbackHostHeader(header: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(header);
}

/**
 * Returns whether this server's own page sent the request, under a loopback name. Browsers set `Origin`,
 * `Sec-Fetch-Site` and `Host`, and no page can change them. A page of another site has another origin. A page that
 * reaches this server by DNS rebinding has another host.
 */
export function isFromOwnPage(context: Context): boolean {
  const host = hostOf(context);
  const origin = context.req.header("origin");
  const isSame =
    origin === undefined ? context.req.header("sec-fetch-site") === "same-origin" : [`http://${host}`, `https://${host}`].includes(origin);
  return isSame && isLoopbackHostHeader(host);
}

function hostOf(context: Context): string {
  return context.req.header("host") ?? new URL(context.req.url).host;
}

/** HSTS header: one year, as in the examples of RFC 6797. */
const HSTS = "max-age=31536000; includeSubDomains";

/**
 * Rejects requests with an unexpected `Host` header, against DNS rebinding. Loopback names and the names in `listed` are
 * allowed. If `host` is not loopback and `listed` is empty, every name is allowed.
 * @param host address that the server binds
 * @param listed allowed names besides loopback names
 * @throws RequestError `host_not_allowed`
 */
export function hostGuard(host: string, listed: readonly string[]): MiddlewareHandler {
  const names = new Set(listed.map((name) => name.toLowerCase()));
  const isOwn = isLoopback(host);
  return async (context, next) => {
    const header = hostOf(context);
    const name = header.toLowerCase().replace(/:\d{1,5}$/, "");
    const isOpen = !isOwn && names.size === 0;
    if (!isOpen && !names.has(name) && !isLoopbackHostHeader(header)) throw hostNotAllowed(header, isOwn);
    await next();
  };
}

/** Adds the HSTS header to the response if the client used TLS, to this server or to a trusted proxy (`X-Forwarded-Proto`). */
export function strictTransport(isTrusted: (address: string) => boolean): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (isSecure(context, isTrusted)) context.res.headers.set("Strict-Transport-Security", HSTS);
  };
}

function isSecure(context: Context, isTrusted: (address: string) => boolean): boolean {
  const env = context.env as { incoming?: { socket?: { encrypted?: boolean } } } | undefined;
  if (env?.incoming?.socket?.encrypted === true) return true;
  // Each proxy appends a value. Only the first value is about the client's connection.
  const [first = ""] = (context.req.header("x-forwarded-proto") ?? "").split(",");
  return isTrusted(peerOf(context)) && first.trim().toLowerCase() === "https";
}

function hostNotAllowed(header: string, isOwn: boolean): RequestError {
  const shown = header.length > 100 ? `${header.slice(0, 100)}…` : header;
  const message = isOwn
    ? `This server does not accept the host name "${shown}". Use localhost or 127.0.0.1, or add the name to \`server.hosts\`.`
    : `The host name "${shown}" is not served here. Use the name that your administrator gave you.`;
  return new RequestError("host_not_allowed", message, { host: shown });
}
