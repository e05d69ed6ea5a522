import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { AskRoom, type Handed, type PaneParts } from "../ask/ask-room.tsx";
import { SharedAnswer } from "../ask/shared-answer.tsx";
import { Choices } from "./choices.tsx";
import { Failed } from "./failed.tsx";
import type { FirstLook } from "./first-look.ts";
import { entered, ROOMS, roomOf, roomsFor } from "./rooms.ts";
import { formatRoute, type Route } from "./route.ts";
import { SignIn } from "./sign-in.tsx";
import { type Account, useAccount } from "./use-account.ts";
import { goTo, useRoute } from "./use-route.ts";

const WhyPane = lazy(() => import("../why/why-pane.tsx"));
const ReaderPane = lazy(() => import("../reader/reader-pane.tsx"));
const LibraryRoom = lazy(() => import("../library/library-room.tsx"));
const ReviewRoom = lazy(() => import("../review/review-room.tsx"));
const GraphRoom = lazy(() => import("../graph/graph-room.tsx"));
const EvaluateRoom = lazy(() => import("../evaluate/evaluate-room.tsx"));
const MonitorRoom = lazy(() => import("../monitor/monitor-room.tsx"));

/** The whole page: its head, and the room in which one is. Ask stays as it is while another room is open. */
export function App({ first }: { readonly first: FirstLook }) {
  const account = useAccount(first);
  const roles = rolesOf(account);
  const route = entered(useRoute(), roles);
  const room = roomOf(route);
  const inAsk = room === "ask" && route.room !== "answer";

  const [handed, setHanded] = useState<Handed | null>(null);
  const hand = useCallback((next: Handed) => {
    setHanded(next);
    goTo({ room: "ask" });
  }, []);

  useEffect(() => {
    document.title = room === "ask" ? "Sourcebound" : `${ROOMS.find(({ name }) => name === room)?.title} – Sourcebound`;
  }, [room]);

  return (
    <div className="page">
      <button type="button" className="skip-link" onClick={() => document.getElementById("question")?.focus()}>
        Skip to the question
      </button>
      <Head {...{ account, route, roles }} />
      <div hidden={!inAsk} className="room-holder">
        <AskRoom key={account.owner} account={account} away={!inAsk} pane={paneFor(route, account)} handed={handed} />
      </div>
      {inAsk ? null : (
        <Failed key={room}>
          <Suspense fallback={<p className="room-wait">Opening…</p>}>
            <OtherRoom route={route} account={account} onHand={hand} />
          </Suspense>
        </Failed>
      )}
    </div>
  );
}

interface OtherRoomProps {
  readonly route: Route;
  readonly account: Account;
  readonly onHand: (handed: Handed) => void;
}

function OtherRoom({ route, account, onHand }: OtherRoomProps) {
  switch (route.room) {
    case "answer":
      return <SharedAnswer id={route.id} account={account} onHand={onHand} />;
    case "library":
      return <LibraryRoom account={account} />;
    case "review":
      return <ReviewRoom id={route.id} account={account} />;
    case "graph":
      return <GraphRoom account={account} />;
    case "monitor":
      return <MonitorRoom account={account} />;
    case "evaluate":
      return <EvaluateRoom id={route.id} account={account} />;
    default:
      return null;
  }
}

function paneFor(route: Route, account: Account): ((parts: PaneParts) => React.ReactNode) | null {
  if (route.room !== "why" && route.room !== "read") return null;
  return (parts) => (
    <Failed key={formatRoute(route)}>
      <Suspense fallback={<p className="room-wait">Opening…</p>}>
        {route.room === "why" ? (
          <WhyPane id={route.id} turns={parts.turns} account={account} />
        ) : (
          <ReaderPane place={route} account={account} {...parts} />
        )}
      </Suspense>
    </Failed>
  );
}

/** Until it is known who this is, whoever asks. */
function rolesOf({ caller }: Account): readonly string[] {
  return caller.type === "ready" ? caller.value.roles : ["ask"];
}

interface HeadProps {
  readonly account: Account;
  readonly route: Route;
  readonly roles: readonly string[];
}

function Head({ account, route, roles }: HeadProps) {
  const { preferences, prefer } = account;
  const rooms = roomsFor(roles);
  const here = roomOf(route);
  return (
    <header className="page-header">
      <p className="wordmark">
        <span aria-hidden="true">[</span>
        Sourcebound
        <span aria-hidden="true">]</span>
      </p>
      {rooms.length === 0 || (rooms.length < 2 && !account.signedIn) ? null : (
        <nav className="rooms" aria-label="Rooms">
          {rooms.map(({ name, title, route: to }) => (
            <a key={name} href={formatRoute(to)} aria-current={name === here ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <Choices account={account} asks={here === "ask"} />
      <div className="head-end">
        <label className="choice">
          <span className="visually-hidden">Colours</span>
          <select value={preferences.theme} onChange={(event) => prefer({ theme: themeOf(event.target.value) })}>
            <option value="system">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <SignIn account={account} />
      </div>
    </header>
  );
}

function themeOf(value: string): Account["preferences"]["theme"] {
  return value === "light" || value === "dark" ? value : "system";
}
