import { lazy, Suspense, useCallback, useEffect, useId, useState } from "react";
import { AskRoom, type Handed, type PaneParts } from "../ask/ask-room.tsx";
import { SharedAnswer } from "../ask/shared-answer.tsx";
import { Failed, Late } from "../kit/late.tsx";
import type { FirstLook } from "./first-look.ts";
import { formatRoute, goTo, type Route, useRoute } from "./route.ts";
import type { SignInProps } from "./sign-in-dialog.tsx";
import { type Account, useAccount } from "./use-account.ts";

interface Room {
  readonly name: "ask" | "library" | "review" | "graph" | "monitor" | "evaluate";
  readonly title: string;
  readonly route: Route;
  /** Who may enter. */
  readonly role: "ask" | "ingest" | "review" | "admin";
}

const ROOMS: readonly Room[] = [
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
function roomOf({ room }: Route): Room["name"] {
  return room === "answer" || room === "why" || room === "read" ? "ask" : room;
}

const load = () => import("./sign-in-dialog.tsx");
const SignInDialog = lazy(load);

/** The way in by a key, and out again. */
function SignIn(props: SignInProps) {
  return (
    <Late className="quiet-button" label={props.account.signedIn ? "Signed in" : "Sign in"} opens="dialog" load={() => void load()}>
      <SignInDialog {...props} />
    </Late>
  );
}

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

export interface ChoicesProps {
  readonly account: Pick<Account, "domain" | "domains" | "preferences" | "prefer">;
  /** Is something asked here? Elsewhere the method decides nothing. */
  readonly asks: boolean;
}

/** What is asked, for whom and how; only what there is a choice of. */
export function Choices({ account: { domain, domains, preferences, prefer }, asks }: ChoicesProps) {
  // Its place is kept while it is looked up.
  if (domains.type !== "ready" || domain === null) return <div className="choices" />;
  const known = domains.value;
  const tenants = [{ name: "", title: "Everybody" }, ...domain.tenants];
  const profiles = known.profiles.map(({ name, title }) =>
    name === domain.profile ? { name: "", title: `Usual (${name})` } : { name, title: `${name} – ${title}` },
  );
  return (
    <div className="choices">
      <Choice
        label="Documents"
        value={domain.name}
        options={known.domains.map(({ name, title }) => ({ name, title }))}
        onChoose={(name) => prefer({ domain: name, tenant: "" })}
      />
      <Choice
        label="For"
        value={tenants.some(({ name }) => name === preferences.tenant) ? preferences.tenant : ""}
        options={tenants}
        onChoose={(tenant) => prefer({ tenant })}
      />
      {asks ? <Choice label="Method" value={preferences.profile} options={profiles} onChoose={(profile) => prefer({ profile })} /> : null}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly name: string; readonly title: string }[];
  readonly onChoose: (name: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const id = useId();
  if (options.length < 2) return null;
  return (
    <span className="choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </span>
  );
}
