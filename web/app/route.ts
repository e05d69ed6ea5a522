import { useMemo, useSyncExternalStore } from "react";
/** Where the page stands. It lies behind `#`, so that no server and no log learns what is read. */
export type Route =
  | { readonly room: "ask" }
  /** An answer that somebody shares. */
  | { readonly room: "answer"; readonly id: string }
  /** How an answer of this device was made, beside it. */
  | { readonly room: "why"; readonly id: string }
  /** A document beside the answer. */
  | ({ readonly room: "read" } & Place)
  | { readonly room: "library" }
  | { readonly room: "review"; readonly id: string | null }
  | { readonly room: "graph" }
  | { readonly room: "monitor" }
  | { readonly room: "evaluate"; readonly id: string | null };

/** A place in a document, with what tells whether it still stands there. */
export interface Place {
  readonly document: string;
  /** UTF-16 code units into the normalised text; `null`: the document from its beginning. */
  readonly start: number | null;
  readonly end: number | null;
  /** Version of the document at which the place was right. */
  readonly version: string | null;
  /** What stood there: found again where the document has changed. */
  readonly quote: string | null;
  readonly domain: string | null;
  readonly tenant: string | null;
}

/** Quotes in links are cut here: enough to be found again, and an address that programs take. */
export const LINKED_QUOTE_CHARACTERS = 300;

export function formatRoute(route: Route): string {
  switch (route.room) {
    case "ask":
      return "#/";
    case "answer":
      return `#/answer/${encodeURIComponent(route.id)}`;
    case "why":
      return `#/why/${encodeURIComponent(route.id)}`;
    case "review":
    case "evaluate":
      return route.id === null ? `#/${route.room}` : `#/${route.room}/${encodeURIComponent(route.id)}`;
    case "read":
      return `#/read/${encodeURIComponent(route.document)}${formatPlace(route)}`;
    default:
      return `#/${route.room}`;
  }
}

function formatPlace({ start, end, version, quote, domain, tenant }: Place): string {
  const parameters = new URLSearchParams();
  if (start !== null && end !== null) parameters.set("at", `${start}-${end}`);
  if (version !== null) parameters.set("version", version);
  if (quote !== null) parameters.set("quote", quote.slice(0, LINKED_QUOTE_CHARACTERS));
  if (domain !== null) parameters.set("domain", domain);
  if (tenant !== null) parameters.set("tenant", tenant);
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** What cannot be read leads to the first room. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [room = "", rest = ""] = path.split("/", 2);
  const id = decode(rest);
  switch (room) {
    case "answer":
    case "why":
      return id === "" ? { room: "ask" } : { room, id };
    case "review":
    case "evaluate":
      return { room, id: id === "" ? null : id };
    case "library":
    case "graph":
    case "monitor":
      return { room };
    case "read":
      return id === "" ? { room: "ask" } : { room, ...parsePlace(id, new URLSearchParams(query)) };
    default:
      return { room: "ask" };
  }
}

function parsePlace(document: string, parameters: URLSearchParams): Place {
  const at = /^(\d{1,12})-(\d{1,12})$/.exec(parameters.get("at") ?? "");
  const range = at === null ? null : { start: Number(at[1]), end: Number(at[2]) };
  const whole = range !== null && range.start < range.end ? range : { start: null, end: null };
  const [version, quote, domain, tenant] = ["version", "quote", "domain", "tenant"].map((name) => parameters.get(name) || null);
  return { document, ...whole, version: version ?? null, quote: quote ?? null, domain: domain ?? null, tenant: tenant ?? null };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}

/** Where the page stands; follows the address. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function goTo(route: Route): void {
  window.location.hash = formatRoute(route);
}
