import type { Context } from "hono";
import ipaddr from "ipaddr.js";

/** Headers that only something between the requester and this server adds. */
const FORWARDING_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"] as const;
/** What one household or office is given of IPv6 addresses: counted as one. */
const IPV6_PREFIX_BITS = 64;

/** Address of the other end of the connection; of a request that came over none, as in tests, this machine's. */
export function peerOf(context: Context): string {
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
