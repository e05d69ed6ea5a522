/** One result of a web search. It is untrusted, and its text is never evidence. */
export interface WebResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

export interface WebSearchOptions {
  readonly signal: AbortSignal;
  readonly limit: number;
  /** Hosts to search, with their subdomains; a service may return others. */
  readonly hosts: readonly string[];
}

/** A web search service. Every implementation runs the same tests. */
export interface WebSearch {
  /** Identifies the service and its host, without the key. */
  readonly id: string;
  /** @throws WebError `search_failed`; the signal's reason when cancelled */
  search(query: string, options: WebSearchOptions): Promise<readonly WebResult[]>;
}

/** Maximum characters of a query that every service accepts (Brave, Tavily: 400). */
export const MAX_QUERY_CHARACTERS = 400;
/** Maximum words of a query that every service accepts (Brave: 50). */
export const MAX_QUERY_WORDS = 50;
/** Maximum hosts in a query. */
const MAX_SITES = 8;

/** Returns `words (site:a OR site:b)` for services without a parameter for hosts; the plain query if that is too long. */
export function withSites(query: string, hosts: readonly string[]): string {
  const sites = hosts.map((host) => `site:${host}`).join(" OR ");
  const whole = `${query} ${hosts.length > 1 ? `(${sites})` : sites}`.trim();
  const fits = hosts.length <= MAX_SITES && whole.length <= MAX_QUERY_CHARACTERS && whole.split(/\s+/).length <= MAX_QUERY_WORDS;
  return fits ? whole : query;
}
