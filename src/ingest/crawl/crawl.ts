import { gunzipSync } from "node:zlib";
import { Parser } from "htmlparser2";
import robotsParser from "robots-parser";
import type { FetchedPage } from "../../models/web-page.ts";
import { messageOf, WebError } from "../../shared/errors.ts";
import { textOf } from "../encoding.ts";
import { walkXml } from "../formats/office/xml.ts";

/** Maximum links of one page. */
const MAX_LINKS = 5_000;

/** Returns the links of an HTML page that a crawler may follow, each once, and whether a `meta` element forbids storing the page. */
function readLinks(html: string, pageUrl: string) {
  const found = new Set<string>();
  let base = pageUrl;
  let [isNoIndex, isNoFollow] = [false, false];
  const parser = new Parser({
    onopentag(name, { href, rel = "", content = "", ...rest }) {
      if (name === "base" && href !== undefined && URL.canParse(href, pageUrl)) base = new URL(href, pageUrl).href;
      if (name === "meta" && /^(?:robots|sourcebound)$/i.test(rest.name ?? "")) {
        isNoIndex ||= /\b(?:noindex|none)\b/i.test(content);
        isNoFollow ||= /\b(?:nofollow|none)\b/i.test(content);
      }
      if (name !== "a" && name !== "area") return;
      if (href === undefined || found.size >= MAX_LINKS || /\bnofollow\b/i.test(rel) || !URL.canParse(href, base)) return;
      const url = new URL(href, base);
      url.hash = "";
      if (url.protocol === "http:" || url.protocol === "https:") found.add(url.href);
    },
  });
  parser.end(html);
  return { links: isNoFollow ? [] : [...found], isNoIndex };
}

/** Maximum entries of one sitemap (sitemaps.org, 0.9). */
const MAX_LISTED = 50_000;

/** Returns the pages and further sitemaps that a sitemap lists (sitemaps.org, 0.9); `null` if the XML is not a sitemap. */
function readSitemap(xml: string) {
  const listed: Record<string, string[]> = { url: [], sitemap: [] };
  const open: string[] = [];
  let [root, text, count] = ["", "", 0];
  walkXml(xml, {
    open(name) {
      root ||= name;
      open.push(name);
      text = "";
    },
    text(part) {
      if (open.at(-1) === "loc" && text.length < 4_000) text += part;
    },
    close() {
      const [of = "", name] = [open.at(-2), open.pop()];
      if (name === "loc" && ++count <= MAX_LISTED) listed[of]?.push(text.trim());
    },
  });
  const { url: pages = [], sitemap: sitemaps = [] } = listed;
  return root === "urlset" || root === "sitemapindex" ? { pages, sitemaps } : null;
}

/** Default maximum number of links to follow in a row from the first page. */
export const DEFAULT_CRAWL_DEPTH = 2;
/** Maximum pages of one crawl: enough for a handbook. Larger sites need an explicit limit. */
export const DEFAULT_CRAWL_PAGES = 500;
/** Timeout in milliseconds for fetching one page, which may be a large PDF. */
export const CRAWL_TIMEOUT_MS = 30_000;
/** Maximum delay between two requests to a host, in seconds, even if its robots.txt asks for a longer one. */
const MAX_DELAY_S = 10;
/** Maximum sitemaps of one crawl. A sitemap index may list further indexes without end. */
const MAX_SITEMAPS = 50;
/** Maximum unpacked bytes of a compressed sitemap (sitemaps.org, 0.9). */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
/** Name by which rules in robots.txt address this crawler (product token). */
const AGENT = "sourcebound";
/** Maximum bytes of robots.txt; crawlers must parse at least 500 KiB (RFC 9309, section 2.5). */
const MAX_ROBOTS_BYTES = 512 * 1024;
/** Maximum length of a line in robots.txt, in characters. Longer lines are ignored, because long rules match slowly. */
const MAX_RULE_LENGTH = 2_000;

/** Content types that are stored as documents, with the extension of the stored file. */
export const CRAWLED_TYPES: Readonly<Record<string, string>> = {
  "text/html": ".html",
  "application/xhtml+xml": ".html",
  "text/plain": ".txt",
  "text/markdown": ".md",
  "application/pdf": ".pdf",
};
/** Content types of possible sitemaps. */
export const SITEMAP_TYPES: readonly string[] = ["application/xml", "text/xml", "application/gzip", "application/x-gzip"];

/**
 * `depth`: maximum number of links to follow in a row from the first page; 0 fetches only that page. Links of pages
 * that a sitemap lists are not followed.
 */
type CrawlOptions = Readonly<{ depth: number; maxPages: number }>;

export interface CrawlParts {
  /**
   * Fetches an address on a listed host. The host must have a public address; bytes and time are limited.
   * @throws WebError `web_status` with `data.status`, and the errors for forbidden addresses
   */
  readonly fetch: (url: string, limit: { readonly maxBytes?: number; readonly robots?: boolean }) => Promise<FetchedPage>;
  /** Checks whether the crawl may send requests to this host. */
  readonly isListed: (url: URL) => boolean;
  /** Waits for `ms` milliseconds. Rejects when the crawl is cancelled. */
  readonly pause: (ms: number) => Promise<void>;
}

/** An event of a crawl. Each address occurs once. */
export type CrawlEvent =
  | { readonly type: "page"; readonly reply: FetchedPage; readonly queued: number }
  /** `isGone`: the page no longer exists, or asks not to be stored. Otherwise a later crawl may get it. */
  | { readonly type: "left-out"; readonly url: string; readonly reason: string; readonly isGone: boolean };

/**
 * Crawls from a page or sitemap, breadth first. Sends one request at a time, only to listed hosts, and only as
 * robots.txt permits.
 * @throws WebError if the first address cannot be fetched
 */
export async function* crawl(start: string, { depth, maxPages }: CrawlOptions, parts: CrawlParts): AsyncGenerator<CrawlEvent, void> {
  const robots = createRobotsReader(parts);
  const seen = new Set<string>([start]);
  const queue: { url: string; depth: number }[] = [{ url: start, depth: 0 }];
  let [pages, sitemaps] = [0, 0];
  const enter = (url: string, at: number) => {
    if (seen.has(url) || !URL.canParse(url) || !parts.isListed(new URL(url))) return;
    seen.add(url);
    queue.push({ url, depth: at });
  };
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { url } = next;
    if (pages >= maxPages) {
      yield { type: "left-out", url, reason: `the limit of ${maxPages} pages was reached; raise it with --max-pages`, isGone: false };
      continue;
    }
    try {
      await robots.admit(new URL(url));
      const reply = await parts.fetch(url, {});
      if (reply.url !== url && seen.has(reply.url)) continue;
      seen.add(reply.url);
      if (SITEMAP_TYPES.includes(reply.type)) {
        if (++sitemaps > MAX_SITEMAPS) throw new WebError("web_type", `the limit of ${MAX_SITEMAPS} sitemaps per crawl was reached`);
        const listed = readSitemap(unpacked(reply.bytes));
        if (listed === null) throw new WebError("web_type", "the address returns XML that is not a sitemap");
        for (const one of listed.sitemaps) enter(one, 0);
        for (const one of listed.pages) enter(one, Math.max(depth, next.depth));
        continue;
      }
      const isPage = reply.type === "text/html" || reply.type === "application/xhtml+xml";
      const found = isPage ? readLinks(textOf(reply.bytes, reply.charset), reply.url) : { links: [], isNoIndex: false };
      if (next.depth < depth) for (const link of found.links) enter(link, next.depth + 1);
      if (found.isNoIndex) yield { type: "left-out", url, reason: "the page is marked as not to be stored (noindex)", isGone: true };
      else {
        pages++;
        yield { type: "page", reply, queued: queue.length };
      }
    } catch (error) {
      if (!(error instanceof WebError) || url === start) throw error;
      yield { type: "left-out", url, reason: messageOf(error), isGone: error.data.status === 404 || error.data.status === 410 };
    }
  }
}

/** @throws WebError `web_too_large` if a compressed sitemap unpacks to more than the limit or is not valid gzip */
function unpacked(bytes: Uint8Array): string {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return textOf(bytes, null);
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_SITEMAP_BYTES }).toString("utf8");
  } catch (cause) {
    throw new WebError("web_too_large", `the compressed sitemap cannot be unpacked: ${messageOf(cause)}`, {}, { cause });
  }
}

interface HostRules {
  isAllowed(url: string): boolean;
  /** Requested delay between two requests, in seconds. */
  readonly delayS: number;
  /** Reason why robots.txt could not be fetched; `null` if it was fetched or does not exist. */
  readonly unread: string | null;
}

/** Parses the rules of a host's robots.txt for this crawler (RFC 9309). */
export function readRobots(origin: string, text: string): Omit<HostRules, "unread"> {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.length <= MAX_RULE_LENGTH);
  // The package is CommonJS, although its type declarations describe an ES module.
  const parse = robotsParser as unknown as typeof robotsParser.default;
  const robots = parse(`${origin}/robots.txt`, lines.join("\n"));
  return { isAllowed: (url) => robots.isAllowed(url, AGENT) !== false, delayS: Math.max(0, robots.getCrawlDelay(AGENT) ?? 0) };
}

function createRobotsReader({ fetch, pause }: CrawlParts) {
  const known = new Map<string, HostRules>();
  const asked = new Map<string, number>();
  const read = async (origin: string): Promise<HostRules> => {
    try {
      const { bytes } = await fetch(`${origin}/robots.txt`, { maxBytes: MAX_ROBOTS_BYTES, robots: true });
      return { ...readRobots(origin, new TextDecoder().decode(bytes)), unread: null };
    } catch (error) {
      if (!(error instanceof WebError)) throw error;
      const status = Number(error.data.status ?? 0);
      // Many sites answer every address with a web page. Such a response is not a robots.txt.
      const isMissing = (status >= 400 && status < 500) || error.code === "web_type";
      return { isAllowed: () => true, delayS: 0, unread: isMissing ? null : error.message };
    }
  };
  return {
    /**
     * Waits until the host's robots.txt allows the next request.
     * @throws WebError `web_refused` if robots.txt forbids the address or cannot be read
     */
    async admit(url: URL): Promise<void> {
      const { origin } = url;
      const rules = known.get(origin) ?? (await read(origin));
      known.set(origin, rules);
      if (rules.unread !== null) throw new WebError("web_refused", `robots.txt of ${url.host} cannot be read: ${rules.unread}`);
      if (!rules.isAllowed(url.href)) throw new WebError("web_refused", `robots.txt of ${url.host} does not allow ${url.pathname}`);
      const times = asked.get(origin) ?? 0;
      asked.set(origin, times + 1);
      if (times > 0 && rules.delayS > 0) await pause(Math.min(MAX_DELAY_S, rules.delayS) * 1_000);
    },
  };
}
