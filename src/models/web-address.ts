import ipaddr from "ipaddr.js";

/** Addresses that are routed like public ones but lead to the inside of a cloud: Azure's wire server answers with a machine's secrets. */
const INSIDE_CLOUDS: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** The one block from which public IPv6 addresses are given out (RFC 4291, section 2.4; IANA's registry of global unicast addresses). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Is this the address of a public host? Everything else is not asked for pages: loopback, private and link-local networks, carrier-grade NAT, multicast,
 * addresses for documents and tests, and IPv6 addresses that carry an IPv4 one inside (mapped, NAT64, 6to4, Teredo). What cannot be read is not public.
 * @param address as a resolver gives it: dotted IPv4, or IPv6 without brackets and zone
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const parsed = ipaddr.IPv4.parse(address);
    return parsed.range() === "unicast" && !INSIDE_CLOUDS.has(parsed.toString());
  }
  if (!ipaddr.IPv6.isValid(address) || address.includes("%")) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(GLOBAL_IPV6) && parsed.range() === "unicast";
}

/** Is a URL's host an address and no name? The URL parser has already read octal, hexadecimal and shortened forms as dotted IPv4. */
export function isAddress(host: string): boolean {
  return host.startsWith("[") || ipaddr.isValid(host);
}
