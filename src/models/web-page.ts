import { lookup } from "node:dns/promises";
import { type IncomingMessage, request as sendRequest } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { connect as connectSecurely } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import ipaddr from "ipaddr.js";
import { VERSION } from "../package.ts";
import { messageOf, WebError } from "../shared/errors.ts";
import type { Block, Unit } from "../shared/types.ts";
import { startDeadline } from "./adapters/call.ts";

/** Resolves hosts and opens connections. Tests replace it. The checks of addresses are elsewhere, so they also apply in tests. */
export interface WebNetwork {
  resolve(host: string): Promise<readonly string[]>;
  /** Connects to exactly this address. With `secure`, the server's certificate must be for `host`. */
  connect(target: ConnectTarget): Duplex;
}

export interface ConnectTarget {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly secure: boolean;
}

/** The real network: system resolver, TCP, TLS with verified certificates. */
export const INTERNET: WebNetwork = {
  async resolve(host) {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => address);
  },
  connect: ({ address, port, host, secure }) =>
    secure
      ? connectSecurely({ host: address, port, servername: host, rejectUnauthorized: true, ALPNProtocols: ["http/1.1"] })
      : connect({ host: address, port }),
};

/** Public addresses that lead to services inside a cloud. Azure's wire server returns secrets of the machine that calls it. */
const INSIDE_CLOUDS: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** The block of all public IPv6 addresses (RFC 4291, section 2.4; IANA's registry of global unicast addresses). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns whether an address belongs to a public host. Returns `false` for loopback, private and link-local networks,
 * carrier-grade NAT, multicast, documentation and test addresses, IPv6 addresses that embed IPv4 (mapped, NAT64, 6to4,
 * Teredo), and addresses that cannot be parsed.
 * @param address as a resolver returns it: dotted IPv4, or IPv6 without brackets and zone
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

/**
 * Returns whether the host of a parsed URL is an IP address. The URL parser has already converted octal, hexadecimal and
 * short forms.
 */
export function isAddress(host: string): boolean {
  return host.startsWith("[") || ipaddr.isValid(host);
}

/** Maximum redirects per page. Most sites only redirect to add a slash, `www.` or `https`. */
export const MAX_REDIRECTS = 4;
/** Maximum bytes of a page, both compressed and decompressed. Pages of text are far smaller. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** Maximum milliseconds for a page, including redirects. */
export const PAGE_TIMEOUT_MS = 5000;
/** Maximum number of addresses of a host that are tried. */
const MAX_ADDRESSES = 3;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_URL_CHARACTERS = 2000;

export interface FetchOptions {
  /** Hosts from which pages may be fetched, including their subdomains. */
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
  /** @default MAX_PAGE_BYTES */
  readonly maxBytes?: number;
  /** @default PAGE_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** Accepted content types. @default HTML and plain text */
  readonly types?: readonly string[];
}

export interface FetchedPage {
  /** Final URL, after redirects. */
  readonly url: string;
  /** Content type, such as `text/html`. */
  readonly type: string;
  /** Character set that the server states; `null` if it states none. */
  readonly charset: string | null;
  readonly bytes: Uint8Array;
}

/** The text of a page with blocks and units, like that of an ingested document. */
export interface PageText {
  readonly title: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
}

/** Parses a page. @throws WebError `page_unreadable` or `web_timeout`; the signal's reason when cancelled */
export type ReadPage = (page: FetchedPage, signal: AbortSignal) => Promise<PageText>;

/**
 * Fetches a page of a listed host. Checks the URL, and each redirect, before it connects: http or https on the default
 * port, a listed host name, no IP address, no user name, and only public addresses. It connects to the address that it
 * checked, so a later change of DNS has no effect.
 * @throws WebError `web_refused`, `web_too_large`, `web_type`, `web_status`, `web_timeout`, `web_failed`; the signal's reason when
 * cancelled
 */
export async function fetchWebPage(url: string, network: WebNetwork, options: FetchOptions): Promise<FetchedPage> {
  const { types = ["text/html", "text/plain"], hosts, signal, timeoutMs = PAGE_TIMEOUT_MS, maxBytes = MAX_PAGE_BYTES } = options;
  const deadline = startDeadline(signal, timeoutMs);
  try {
    let at = checkUrl(url, hosts);
    for (let redirects = 0; ; redirects++) {
      const response = await connectAndAsk(at, network, { types, signal: deadline.signal });
      const { statusCode = 0, headers } = response;
      if (![301, 302, 303, 307, 308].includes(statusCode))
        return { url: at.href, ...(await readReply(response, types, { maxBytes, signal: deadline.signal })) };
      response.destroy();
      if (redirects >= MAX_REDIRECTS) throw new WebError("web_refused", `more than ${MAX_REDIRECTS} redirects`);
      at = nextUrl(at, headers.location, hosts);
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (deadline.expired()) throw new WebError("web_timeout", `the page was not complete within ${timeoutMs} ms`, {}, { cause });
    if (cause instanceof WebError) throw cause;
    throw new WebError("web_failed", messageOf(cause).slice(0, 200), {}, { cause });
  }
}

/**
 * Parses a URL and checks its scheme, port, credentials and host. Does not resolve the host.
 * @throws WebError `web_refused`
 */
export function checkUrl(url: string, hosts: readonly string[]): URL {
  const refused = (why: string) => new WebError("web_refused", why);
  if (url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) throw refused("invalid URL");
  const parsed = new URL(url);
  const { protocol, hostname, port, username, password } = parsed;
  if (protocol !== "http:" && protocol !== "https:") throw refused(`scheme ${protocol} is not allowed`);
  if (username !== "" || password !== "") throw refused("the URL contains a user name or password");
  if (port !== "") throw refused(`port ${port} is not allowed`);
  if (isAddress(hostname)) throw refused("the host is an IP address, not a name");
  if (!isListedHost(hostname, hosts)) throw refused(`host ${hostname} is not on the domain pack's list`);
  parsed.hash = "";
  return parsed;
}

/** Returns whether a host or one of its parent domains is listed. */
export function isListedHost(host: string, hosts: readonly string[]): boolean {
  return hosts.some((listed) => {
    const name = listed.toLowerCase();
    return name !== "" && (host === name || host.endsWith(`.${name}`));
  });
}

function nextUrl(from: URL, location: string | undefined, hosts: readonly string[]): URL {
  const isValid = location !== undefined && URL.canParse(location, from);
  if (!isValid) throw new WebError("web_refused", "the page redirects without a valid target");
  const to = checkUrl(new URL(location, from).href, hosts);
  if (from.protocol === "https:" && to.protocol === "http:") throw new WebError("web_refused", "the page redirects from https to http");
  return to;
}

type Asked = Required<Pick<FetchOptions, "types" | "signal">>;

/** Resolves a host once, checks all its addresses, and tries the first ones until one responds. */
async function connectAndAsk(url: URL, network: WebNetwork, asked: Asked): Promise<IncomingMessage> {
  const { signal } = asked;
  signal.throwIfAborted();
  const addresses = await unlessAborted(network.resolve(url.hostname), signal);
  if (addresses.length === 0) throw new WebError("web_failed", `host ${url.hostname} has no address`);
  if (!addresses.every(isPublicAddress))
    throw new WebError("web_refused", `host ${url.hostname} has a private, local or reserved address; only public ones are fetched`);
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await ask(url, address, network, asked);
    } catch (cause) {
      signal.throwIfAborted();
      failure = cause;
    }
  }
  throw failure;
}

function ask(url: URL, address: string, network: WebNetwork, { types, signal }: Asked): Promise<IncomingMessage> {
  const secure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      method: "GET",
      host: address,
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: {
        host: url.host,
        // Prefer HTML among the accepted types.
        accept: types.map((type) => (type === "text/html" ? type : `${type};q=0.5`)).join(", "),
        "accept-encoding": "gzip, identity;q=0.5",
        "user-agent": `sourcebound/${VERSION}`,
        connection: "close",
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      createConnection: (): Duplex => network.connect({ address, port: secure ? 443 : 80, host: url.hostname, secure }),
    });
    request.on("response", resolve);
    request.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new WebError("web_failed", "the server switched to another protocol than HTTP"));
    });
    request.on("error", reject);
    request.end();
  });
}

async function readReply(
  response: IncomingMessage,
  types: Asked["types"],
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Omit<FetchedPage, "url">> {
  try {
    const { statusCode, headers } = response;
    if (statusCode !== 200) throw new WebError("web_status", `HTTP ${statusCode}`, { status: statusCode });
    const { type, charset } = readType(headers["content-type"], types);
    const tooLarge = () => new WebError("web_too_large", `more than ${maxBytes} bytes`);
    if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
    const unpack = unpacker(headers["content-encoding"]);
    const capped = async function* (source: AsyncIterable<Buffer>) {
      let bytes = 0;
      for await (const part of source) {
        bytes += part.length;
        if (bytes > maxBytes) throw tooLarge();
        yield part;
      }
    };
    const join = async (source: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(capped(source)));
    const options = { signal };
    const bytes = unpack === null ? await pipeline(response, join, options) : await pipeline(response, capped, unpack, join, options);
    return { type, charset, bytes };
  } finally {
    response.destroy();
  }
}

function readType(header: string | undefined, types: Asked["types"]): Pick<FetchedPage, "type" | "charset"> {
  const [written = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const type = written.trim();
  if (!types.includes(type)) throw new WebError("web_type", `type ${JSON.stringify(type.slice(0, 60))} is not supported`);
  const charset = parameters.flatMap((parameter) => /^\s*charset\s*=\s*"?([\w.:-]{1,40})"?\s*$/.exec(parameter)?.[1] ?? []);
  return { type, charset: charset[0] ?? null };
}

/** Returns a decompressor; `null` if the body is not compressed. Rejects a list of several encodings. */
function unpacker(header: string | undefined) {
  const name = (header ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return null;
  if (name === "gzip" || name === "x-gzip") return createGunzip();
  if (name === "deflate") return createInflate();
  if (name === "br") return createBrotliDecompress();
  throw new WebError("web_type", `compression ${JSON.stringify(header?.slice(0, 60))} is not supported; only gzip, deflate and br are`);
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop));
}
