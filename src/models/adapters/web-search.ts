import { z } from "zod";
import { messageOf, WebError } from "../../shared/errors.ts";
import { parseJson } from "../read-json.ts";
import { shownText, startDeadline } from "./call.ts";

/** One result of a web search. Its text is untrusted and never used as evidence. */
export interface WebResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

export interface WebSearchOptions {
  readonly signal: AbortSignal;
  readonly limit: number;
  /** Hosts to search, including their subdomains. A service may return results of other hosts too. */
  readonly hosts: readonly string[];
}

export type WebSearch = ReturnType<typeof createWebSearch>;

/** Maximum characters of a query that every service accepts (Brave, Tavily: 400). */
export const MAX_QUERY_CHARACTERS = 400;
/** Maximum words of a query that every service accepts (Brave: 50). */
export const MAX_QUERY_WORDS = 50;
/** Maximum number of hosts in a query. */
const MAX_SITES = 8;

/**
 * Restricts a query to hosts: `words (site:a OR site:b)`. For services that have no parameter for hosts. If the result
 * would be too long, returns the query alone.
 */
export function withSites(query: string, hosts: readonly string[]): string {
  const sites = hosts.map((host) => `site:${host}`).join(" OR ");
  const whole = `${query} ${hosts.length > 1 ? `(${sites})` : sites}`.trim();
  const fits = hosts.length <= MAX_SITES && whole.length <= MAX_QUERY_CHARACTERS && whole.split(/\s+/).length <= MAX_QUERY_WORDS;
  return fits ? whole : query;
}

export interface SearchEndpoint {
  readonly type: "searxng" | "brave" | "tavily";
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

/** Addresses of the two hosted services. SearXNG has none, because everybody runs their own instance. */
export const SEARCH_URLS = { brave: "https://api.search.brave.com/res/v1/web/search", tavily: "https://api.tavily.com/search" } as const;

/** Maximum bytes of a reply: a hundred times the usual size of twenty results. */
const MAX_REPLY_BYTES = 2 * 1024 * 1024;
/** Maximum characters quoted from a service's message. */
const MESSAGE_CHARACTERS = 200;

const optionalText = z.string().nullish();
const text = optionalText.transform((value) => value ?? "");
const resultSchema = z.object({ url: text, title: text, content: text });
const listSchema = z.object({
  results: z.array(resultSchema.transform(({ content, ...result }): WebResult => ({ ...result, snippet: content }))),
});
/** Schema of Brave's reply. The field `web` is absent if there are no results. */
const braveReply = z.object({
  type: z.literal("search"),
  web: z.object({ results: z.array(z.object({ url: z.string(), title: text, description: text })) }).nullish(),
});

/**
 * Creates the client of the configured search service. The service may have a local address, unlike the pages that are
 * fetched (`fetchWebPage`).
 */
export function createWebSearch(endpoint: SearchEndpoint) {
  const id = `${endpoint.type} at ${new URL(endpoint.url).host}`;
  return {
    /** Identifies the service and its host, without the key. */
    id,
    /** @throws WebError `search_failed`; the signal's reason when cancelled */
    async search(query: string, { signal, limit, hosts }: WebSearchOptions): Promise<readonly WebResult[]> {
      const deadline = startDeadline(signal, endpoint.timeoutMs);
      try {
        const found = await SERVICES[endpoint.type](query, { limit, hosts, signal: deadline.signal }, endpoint);
        return found.filter(({ url }) => url !== "").slice(0, limit);
      } catch (cause) {
        signal.throwIfAborted();
        const reason = deadline.expired() ? `no response within ${endpoint.timeoutMs} ms` : explain(cause, endpoint.apiKey);
        throw new WebError("search_failed", `Web search (${id}) failed: ${reason}`);
      }
    },
  };
}

type Service = (query: string, wanted: WebSearchOptions, endpoint: SearchEndpoint) => Promise<WebResult[]>;

/**
 * Functions that send a query, by service. Written after the documentation of November 2026: docs.searxng.org/dev/search_api,
 * api-dashboard.search.brave.com, docs.tavily.com.
 */
const SERVICES: Readonly<Record<SearchEndpoint["type"], Service>> = {
  /** The SearXNG instance must allow the format `json`; otherwise it returns 403. */
  async searxng(query, { hosts, signal }, { url, apiKey }) {
    const place = new URL("search", url.endsWith("/") ? url : `${url}/`);
    place.search = new URLSearchParams({ q: withSites(query, hosts), format: "json", safesearch: "1" }).toString();
    const headers = apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` };
    return (await askJson(place, { headers, signal }, listSchema)).results;
  },
  async brave(query, { limit, hosts, signal }, { url, apiKey }) {
    const place = new URL(url);
    const count = String(Math.min(20, limit));
    for (const [name, value] of Object.entries({ q: withSites(query, hosts), count, result_filter: "web", text_decorations: "false" }))
      place.searchParams.set(name, value);
    const reply = await askJson(place, { headers: { "x-subscription-token": apiKey }, signal }, braveReply);
    return (reply.web?.results ?? []).map(({ description, ...result }) => ({ ...result, snippet: description }));
  },
  async tavily(query, { limit, hosts, signal }, { url, apiKey }) {
    const body = JSON.stringify({ query, max_results: Math.min(20, limit), search_depth: "basic", include_domains: hosts });
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    return (await askJson(new URL(url), { method: "POST", body, headers, signal }, listSchema)).results;
  },
};

/** Requests JSON. Fails on a redirect, because following it could send the API key to another host. */
async function askJson<T>(url: URL, { headers, ...request }: RequestInit, schema: z.ZodType<T>): Promise<T> {
  const response = await fetch(url, { ...request, redirect: "error", headers: { accept: "application/json", ...headers } });
  const body = await readText(response);
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${body.replaceAll(/\s+/g, " ").trim()}`);
  const value = parseJson(body);
  if (value === undefined) throw new Error("the reply is not JSON: check `web_search.url`");
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`the reply does not have the expected format: ${z.prettifyError(parsed.error).split("\n")[0]}`);
  return parsed.data;
}

async function readText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_REPLY_BYTES) throw new Error(`the reply exceeds ${MAX_REPLY_BYTES} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** Returns a message that is safe to show, without the API key. It includes the `cause`, because `fetch failed` alone says little. */
function explain(cause: unknown, apiKey: string): string {
  const inner = cause instanceof Error && cause.cause !== undefined ? `${cause.message}: ${messageOf(cause.cause)}` : messageOf(cause);
  return shownText(inner, apiKey, MESSAGE_CHARACTERS);
}
