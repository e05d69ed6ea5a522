/** One result of a web search. All of it was written by strangers: nothing here is trusted, and a result's text is never evidence. */
export interface WebResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

export interface WebSearchOptions {
  readonly signal: AbortSignal;
  /** Results wanted at most. */
  readonly limit: number;
  /** Hosts to search in, with their subdomains; a service may give others all the same. */
  readonly hosts: readonly string[];
}

/** A web search service. Every implementation runs the same tests. */
export interface WebSearch {
  /** Names the service and its host, without the key. */
  readonly id: string;
  /** @throws WebError `search_failed`; the signal's reason when cancelled */
  search(query: string, options: WebSearchOptions): Promise<readonly WebResult[]>;
}

/** Characters of a query that every service takes (Brave, Tavily: 400). */
export const MAX_QUERY_CHARACTERS = 400;
/** Words of a query that every service takes (Brave: 50). */
export const MAX_QUERY_WORDS = 50;
/** Hosts that still fit into a query. */
const MAX_SITES = 8;

/** `words (site:a OR site:b)`, for services that have no parameter for hosts; too many hosts, or too long a query, go without. */
export function withSites(query: string, hosts: readonly string[]): string {
  const sites = hosts.map((host) => `site:${host}`).join(" OR ");
  const whole = `${query} ${hosts.length > 1 ? `(${sites})` : sites}`.trim();
  const fits = hosts.length <= MAX_SITES && whole.length <= MAX_QUERY_CHARACTERS && whole.split(/\s+/).length <= MAX_QUERY_WORDS;
  return fits ? whole : query;
}
