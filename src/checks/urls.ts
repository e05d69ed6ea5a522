import type { TextRange } from "../shared/types.ts";
import { plainView } from "../text/normalise.ts";

/** Pattern of a character inside a URL. `trimEnd` removes punctuation after the URL, because it belongs to the sentence. */
const REST = String.raw`[^\s<>"'\x60\]}]`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})`;
/** Top-level domains that mark a bare word as a host. Leaves out some that are also English words, such as "it" and "in". */
const ENDINGS =
  "com|org|net|gov|mil|edu|int|info|biz|pro|io|co|ai|app|dev|xyz|top|site|online|shop|club|link|click|win|vip|tech|website|page|us|uk|eu|de|fr|nl|ch|es|pl|cz|se|fi|dk|pt|gr|hu|ro|ru|su|ua|cn|jp|kr|tr|ir|br|mx|ar|cl|ca|au|nz|za|tk|ml|cf|gq|cc|ws|tv|gg|ly";
/**
 * Matches what looks like a URL: with a scheme or `www.`; with a scheme that executes or displays its content; an IP
 * address with a path; a host with a path; a host with a known top-level domain.
 */
const URL_PATTERN = new RegExp(
  [
    String.raw`\b(?:[a-z][a-z0-9+.-]{1,15}:[\\/]{2,}|https?:|www\.)${REST}+`,
    String.raw`\b(?:javascript|vbscript)\s{0,3}:${REST}*|\bdata:[\w.+-]+\/[\w.+-]+[;,]${REST}*`,
    String.raw`(?<![\w.@-])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\/${REST}*`,
    String.raw`(?<![\p{L}\p{N}@.-])(?:${LABEL}\.){1,5}\p{L}{2,24}(?::\d{1,5})?\/${REST}+`,
    String.raw`(?<![\p{L}\p{N}@.-])(?:${LABEL}\.){1,5}(?:${ENDINGS})(?::\d{1,5})?(?![\p{L}\p{N}@-])\/?`,
  ].join("|"),
  "giu",
);
const CLOSING = /[.,;:!?*_~…»”’'"\\]+$/;

/** Returns the URLs in a text as displayed, with or without a scheme. Leaves out trailing punctuation and surrounding brackets. */
export function urlsIn(text: string): (TextRange & { readonly url: string })[] {
  const { plain, at } = plainView(text);
  return [...plain.matchAll(URL_PATTERN)].flatMap((match) => {
    const url = trimEnd(match[0]);
    return url === "" ? [] : [{ url, start: at(match.index), end: at(match.index + url.length) }];
  });
}

/** Removes trailing punctuation and unmatched closing brackets. */
function trimEnd(found: string): string {
  let url = found;
  for (;;) {
    const bare = url.replace(CLOSING, "");
    const open = bare.split("(").length;
    const shorter = bare.endsWith(")") && bare.split(")").length > open ? bare.slice(0, -1) : bare;
    if (shorter === url) return url;
    url = shorter;
  }
}

/**
 * Normalises a URL: host in lower case or punycode without `www.`, no scheme, no fragment, no trailing slash. Returns
 * `null` for anything but a web address, and for a URL with a user name, which could be mistaken for the host.
 */
export function normalizeUrl(url: string): string | null {
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : `https://${url}`);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "") return null;
  return `${parsed.host.replace(/^www\./, "")}${parsed.pathname.replace(/\/+$/, "")}${parsed.search}`;
}

export interface UrlRules {
  /** URLs of the documents that the sentence cites. */
  readonly cited: readonly string[];
  /** Texts of the quotes that the sentence cites. */
  readonly quotes: readonly string[];
  readonly mode: "remove" | "home-page" | "off";
  readonly hosts: readonly string[];
  readonly homePage: string | null;
}

/**
 * Removes every URL that is neither the URL of a cited document nor in a cited quote. The text of a markdown link is
 * kept. In `home-page` mode, which the published `seven-layer` design (docs/profiles.md) has, URLs of listed hosts are
 * kept, and all others are replaced by the home page.
 */
export function repairUrls(text: string, { cited, quotes, mode, hosts, homePage }: UrlRules): { text: string; removed: string[] } {
  if (mode === "off") return { text, removed: [] };
  const allowed = new Set([...cited, ...quotes.flatMap((quote) => urlsIn(quote).map(({ url }) => url))].map(normalizeUrl));
  const isListed = (host: string) => hosts.some((known) => host === known || host.endsWith(`.${known}`));
  const isAllowed = (normal: string) => (mode === "home-page" ? isListed(normal.split(/[/:?]/)[0] ?? "") : allowed.has(normal));
  const instead = mode === "home-page" ? (homePage ?? "") : "";
  const removed: string[] = [];
  let repaired = text;
  for (const { url, start, end } of urlsIn(text).reverse()) {
    const normal = normalizeUrl(url);
    if (normal !== null && isAllowed(normal)) continue;
    removed.unshift(url);
    repaired = repaired.slice(0, start) + instead + repaired.slice(end);
  }
  return { text: removed.length === 0 ? text : tidy(repaired), removed };
}

/**
 * Cleans up after a removed URL: links without a target, empty brackets, doubled spaces. Does not remove a word such as
 * "at" before it.
 */
function tidy(text: string): string {
  return text
    .replaceAll(/!?\[([^[\]]*)\]\(\s*(?:["'][^"']*["']\s*)?\)/g, "$1")
    .replaceAll(/\(\s*\)|\[\s*\]|<\s*>/g, "")
    .replaceAll(/[ \t]{2,}/g, " ")
    .replaceAll(/\s+([.,;:!?])/g, "$1")
    .trim();
}
