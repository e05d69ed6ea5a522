import { type ComponentType, lazy, useCallback, useEffect, useState } from "react";
import { AskRoom, type Handed, type PaneParts } from "../ask/ask-room.tsx";
import { Button, DialogButton } from "../kit/controls.tsx";
import { Opening } from "../kit/message.tsx";
import type { FirstLook } from "./first-look.ts";
import { formatRoute, goTo, parseRoute, type Route, useRoute } from "./route.ts";
import { AccountContext, useAccount, useNewAccount } from "./use-account.ts";

/** The views, each with the role that it requires. */
const ROOMS = [
  { name: "ask", title: "Ask", role: "ask" },
  { name: "library", title: "Library", role: "ingest" },
  { name: "review", title: "Review", role: "review" },
  { name: "graph", title: "Graph", role: "review" },
  { name: "monitor", title: "Monitor", role: "admin" },
  { name: "evaluate", title: "Evaluate", role: "admin" },
] as const;

function roomsFor(roles: readonly string[]) {
  return ROOMS.filter(({ role }) => roles.includes(role));
}

/**
 * Returns the route to show first. A user without the role `ask` gets the first permitted view instead of Ask. The other
 * views show a message if a role is missing.
 */
function entered(route: Route, roles: readonly string[]): Route {
  return route.room === "ask" && !roles.includes("ask") ? parseRoute(`#/${roomsFor(roles)[0]?.name}`) : route;
}

function roomOf({ room }: Route): (typeof ROOMS)[number]["name"] {
  return room === "answer" || room === "why" || room === "read" ? "ask" : room;
}

const Options = lazy(() => import("./options-dialog.tsx"));
const SharedAnswer = lazy(() => import("../ask/shared-answer.tsx"));
const WhyPane = lazy(() => import("../why/why-pane.tsx"));
const ReaderPane = lazy(() => import("../reader/reader-pane.tsx"));
/** The views except Ask, by their name in the route. */
const VIEWS = {
  library: lazy(() => import("../library/library-room.tsx")),
  review: lazy(() => import("../review/review-room.tsx")),
  graph: lazy(() => import("../graph/graph-room.tsx")),
  evaluate: lazy(() => import("../evaluate/evaluate-room.tsx")),
  monitor: lazy(() => import("../monitor/monitor-room.tsx")),
} satisfies Record<string, ComponentType<{ readonly id: string | null }>>;

/** The whole page. The Ask view stays mounted, but hidden, while another view is shown. */
export function App({ first }: { readonly first: FirstLook }) {
  const account = useNewAccount(first);
  const route = entered(useRoute(), account.roles);
  const room = roomOf(route);
  const inAsk = room === "ask" && route.room !== "answer";

  const pane =
    route.room === "read" || route.room === "why"
      ? (parts: PaneParts) => (
          <Opening key={formatRoute(route)}>
            {route.room === "read" ? <ReaderPane place={route} {...parts} /> : <WhyPane id={route.id} turns={parts.turns} />}
          </Opening>
        )
      : null;

  const [handed, setHanded] = useState<Handed | null>(null);
  const hand = useCallback((next: Handed) => {
    setHanded(next);
    goTo({ room: "ask" });
  }, []);

  useEffect(() => {
    document.title = room === "ask" ? "Sourcebound" : `${ROOMS.find(({ name }) => name === room)?.title} – Sourcebound`;
  }, [room]);

  return (
    <AccountContext value={account}>
      <div className="page">
        <Button className="skip-link" onClick={() => document.getElementById("question")?.focus()}>
          Skip to the question
        </Button>
        <Head route={route} />
        <div hidden={!inAsk} className="room-holder">
          <AskRoom key={account.owner} away={!inAsk} pane={pane} handed={handed} />
        </div>
        {inAsk ? null : (
          <Opening key={room}>
            <OtherRoom route={route} onHand={hand} />
          </Opening>
        )}
      </div>
    </AccountContext>
  );
}

function OtherRoom({ route, onHand }: { readonly route: Route; readonly onHand: (handed: Handed) => void }) {
  if (route.room === "answer") return <SharedAnswer id={route.id} onHand={onHand} />;
  if (route.room === "ask" || route.room === "why" || route.room === "read") return null;
  const View: ComponentType<{ readonly id: string | null }> = VIEWS[route.room];
  return <View id={"id" in route ? route.id : null} />;
}

function Head({ route }: { readonly route: Route }) {
  const { roles, signedIn, caller } = useAccount();
  const isLocked = caller.type === "failed" && !signedIn;
  const rooms = roomsFor(roles);
  const here = roomOf(route);
  return (
    <header className="page-header">
      <p className="wordmark">
        <span aria-hidden="true">[</span>
        Sourcebound
        <span aria-hidden="true">]</span>
      </p>
      {rooms.length === 0 || (rooms.length < 2 && !signedIn) ? null : (
        <nav className="row rooms" aria-label="Rooms">
          {rooms.map(({ name, title }) => (
            <a key={name} href={name === "ask" ? "#/" : `#/${name}`} aria-current={name === here ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <div className="head-end">
        <DialogButton label={isLocked ? "Sign in" : "Options"}>
          {(close) => (
            <Opening>
              <Options asks={here === "ask"} onDone={close} />
            </Opening>
          )}
        </DialogButton>
      </div>
    </header>
  );
}
