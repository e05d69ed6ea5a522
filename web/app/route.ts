import { useMemo, useSyncExternalStore } from "react";
import type { WireCitation } from "../../src/client/index.ts";

/** The route of the page. It is stored in the URL after `#`. Browsers do not send this part, so it is in no server log. */
export type Route =
  | { readonly room: "ask" | "library" | "graph" | "monitor" }
  | { readonly room: "review" | "evaluate"; readonly id: string | null }
  /** An answer that somebody shared by its link, or the explanation of an answer. */
  | { readonly room: "answer" | "why"; readonly id: string }
  /** A document, shown in the side pane. */
  | ({ readonly room: "read" } & Place);

/** Domain and tenant whose documents are searched. */
export type Scope = Readonly<{ domain: string | null; tenant: string | null }>;

/** A place in a document. Version and quote show whether the document has changed. */
export interface Place extends Scope {
  readonly document: string;
  /** UTF-16 code units into the normalised text; `null`: the start of the document. */
  readonly start: number | null;
  readonly end: number | null;
  /** Version of the document that the offsets refer to. */
  readonly version: string | null;
  /** Text at the offsets. If the document has changed, this text is searched for. */
  readonly quote: string | null;
}

/** Maximum length of a quote in a link. It is enough to find the place again, and the URL stays short enough for all programs. */
export const LINKED_QUOTE_CHARACTERS = 300;

export function formatRoute(route: Route): string {
  if (route.room === "ask") return "#/";
  if (route.room !== "read") return `#/${route.room}${"id" in route && route.id !== null ? `/${encodeURIComponent(route.id)}` : ""}`;
  const { document, start, end, version, quote, domain, tenant } = route;
  const at = start === null || end === null ? null : `${start}-${end}`;
  const query = queryOf({ at, version, quote: quote?.slice(0, LINKED_QUOTE_CHARACTERS), domain, tenant });
  return `#/read/${encodeURIComponent(document)}${query === "" ? "" : `?${query}`}`;
}

/** Parses the part of a URL after `#`. If it is invalid, returns the route of the Ask view. */
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
  const get = (name: string) => parameters.get(name) || null;
  return { document, ...whole, version: get("version"), quote: get("quote"), domain: get("domain"), tenant: get("tenant") };
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

/** Returns the current route. Renders again when the URL changes. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function goTo(route: Route): void {
  window.location.hash = formatRoute(route);
}

/** Returns the route to a cited place. */
export function placeOf(cited: WireCitation, { domain, tenant }: Scope): Route {
  const { document_id: document, document_version: version, start, end, quote } = cited;
  return { room: "read", document, start, end, version, quote, domain, tenant };
}

/** Formats query parameters. Parameters that are `null` or `undefined` are left out. */
export function queryOf(parts: Readonly<Record<string, string | null | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (typeof value === "string") query.set(name, value);
  return query.toString();
}

export function documentPath(id: string): string {
  return `/v1/documents/${encodeURIComponent(id)}`;
}
