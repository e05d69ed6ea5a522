import { useMemo, useSyncExternalStore } from "react";
import { formatRoute, parseRoute, type Route } from "./route.ts";

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
