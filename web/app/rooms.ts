import type { Route } from "./route.ts";

export interface Room {
  readonly name: "ask" | "library" | "review" | "graph" | "monitor" | "evaluate";
  readonly title: string;
  readonly route: Route;
  /** Who may enter. */
  readonly role: "ask" | "ingest" | "review" | "admin";
}

export const ROOMS: readonly Room[] = [
  { name: "ask", title: "Ask", route: { room: "ask" }, role: "ask" },
  { name: "library", title: "Library", route: { room: "library" }, role: "ingest" },
  { name: "review", title: "Review", route: { room: "review", id: null }, role: "review" },
  { name: "graph", title: "Graph", route: { room: "graph" }, role: "review" },
  { name: "monitor", title: "Monitor", route: { room: "monitor" }, role: "admin" },
  { name: "evaluate", title: "Evaluate", route: { room: "evaluate", id: null }, role: "admin" },
];

/** Rooms that whoever has these roles may enter. */
export function roomsFor(roles: readonly string[]): readonly Room[] {
  return ROOMS.filter(({ role }) => roles.includes(role));
}

/** Where one stands: who may not ask begins in the first room that is open. An address that names another room leads there, and it says what it lacks. */
export function entered(route: Route, roles: readonly string[]): Route {
  if (route.room !== "ask" || roles.includes("ask")) return route;
  return roomsFor(roles)[0]?.route ?? route;
}

/** The room in which a route lies. */
export function roomOf({ room }: Route): Room["name"] {
  return room === "answer" || room === "why" || room === "read" ? "ask" : room;
}
