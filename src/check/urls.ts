import type { TextRange } from "../types.ts";

/** With a scheme; with `www.`; a host with a path; a host with an ending that is no word. */
const URL_PATTERN = new RegExp(
  [
    String.raw`\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.)[^\s<>"'\x60)\]}]+`,
    String.raw`\b(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,24}(?::\d{1,5})?\/[^\s<>"'\x60)\]}]+`,
    String.raw`\b(?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|gov|mil|edu|io|info|us|co|uk|eu|de|app|dev|ai|biz|xyz|top|site|online)\b\/?`,
  ].join("|"),
  "giu",
);

export interface FoundUrl extends TextRange {
  readonly url: string;
}

/** Addresses in a text, with or without scheme; a stop at the end belongs to the sentence. */
export function urlsIn(text: string): FoundUrl[] {
  return [...text.matchAll(URL_PATTERN)].map((match) => {
    const url = match[0].replace(/[.,;:!?]+$/, "");
    return { url, start: match.index, end: match.index + url.length };
  });
}

/** One spelling: host in lower case without `www.`, no scheme, no fragment, no slash at the end. `null` when it is no address. */
export function normalizeUrl(url: string): string | null {
  try {
    const parsed = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`);
    if (!/^https?:$/.test(parsed.protocol)) return null;
    return `${parsed.hostname.replace(/^www\./, "")}${parsed.pathname.replace(/\/+$/, "")}${parsed.search}`;
  } catch {
    return null;
  }
}

export interface UrlRules {
  /** Addresses of the documents that the sentence cites. */
  readonly cited: readonly string[];
  /** Texts of the quotes that the sentence cites. */
  readonly quotes: readonly string[];
  readonly mode: "remove" | "home-page" | "off";
  readonly hosts: readonly string[];
  readonly homePage: string | null;
}

/**
 * Takes out every address that is neither the address of a cited document nor stands in a cited quote.
 * In `home-page` mode the host decides: on the whitelist it stays, else the home page takes its place (`seven-layer` source, equation 3).
 */
export function repairUrls(text: string, rules: UrlRules): { text: string; removed: string[] } {
  if (rules.mode === "off") return { text, removed: [] };
  const allowed = new Set([...rules.cited, ...rules.quotes.flatMap((quote) => urlsIn(quote).map(({ url }) => url))].map(normalizeUrl));
  const removed: string[] = [];
  let repaired = text;
  for (const { url, start, end } of urlsIn(text).reverse()) {
    const normal = normalizeUrl(url);
    const stays = rules.mode === "home-page" ? normal !== null && onWhitelist(normal, rules.hosts) : normal !== null && allowed.has(normal);
    if (stays) continue;
    removed.unshift(url);
    const instead = rules.mode === "home-page" ? (rules.homePage ?? "") : "";
    repaired = repaired.slice(0, start) + instead + repaired.slice(end);
  }
  return { text: removed.length === 0 ? text : tidy(repaired), removed };
}

function onWhitelist(normal: string, hosts: readonly string[]): boolean {
  const host = normal.split("/")[0] ?? "";
  return hosts.some((known) => host === known || host.endsWith(`.${known}`));
}

/** What is left around a removed address: empty brackets, doubled spaces, a lonely "at" is left to the reader. */
function tidy(text: string): string {
  return text
    .replaceAll(/\(\s*\)|\[\s*\]|<\s*>/g, "")
    .replaceAll(/[ \t]{2,}/g, " ")
    .replaceAll(/\s+([.,;:!?])/g, "$1")
    .trim();
}
