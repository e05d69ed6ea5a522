import { Parser } from "htmlparser2";

/** Where a page leads, and whether it wants to be read. */
export interface PageLinks {
  /** Absolute, http or https, without fragments, each once. */
  readonly links: readonly string[];
  /** By its `robots` meta element it is not to be kept. */
  readonly isNoIndex: boolean;
}

/** Links of one page that are followed. */
const MAX_LINKS = 5_000;

/** The links of an HTML page that its author lets be followed. */
export function readLinks(html: string, pageUrl: string): PageLinks {
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

/** What a sitemap lists: pages, or further sitemaps (sitemaps.org, 0.9). */
export interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

/** Addresses that one sitemap may list (sitemaps.org, 0.9). */
const MAX_LISTED = 50_000;

/** `null`: the XML is no sitemap. */
export function readSitemap(xml: string): Sitemap | null {
  const pages: string[] = [];
  const sitemaps: string[] = [];
  const open: string[] = [];
  let isSitemap = false;
  let text = "";
  const parser = new Parser(
    {
      onopentagname(name) {
        if (open.length < 10) open.push(name.replace(/^.*:/, ""));
        isSitemap ||= open.length === 1 && (open[0] === "urlset" || open[0] === "sitemapindex");
        text = "";
      },
      ontext(part) {
        if (open.at(-1) === "loc" && text.length < 4_000) text += part;
      },
      onclosetag() {
        const [of, name] = [open.at(-2), open.pop()];
        if (name !== "loc" || pages.length + sitemaps.length >= MAX_LISTED) return;
        if (of === "url") pages.push(text.trim());
        else if (of === "sitemap") sitemaps.push(text.trim());
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return isSitemap ? { pages, sitemaps } : null;
}
