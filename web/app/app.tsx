import { type ComponentType, lazy, useCallback, useEffect, useId, useState } from "react";
import { AskRoom, type Handed, type PaneParts } from "../ask/ask-room.tsx";
import { SharedAnswer } from "../ask/shared-answer.tsx";
import { late, Opening } from "../kit/late.tsx";
import type { FirstLook } from "./first-look.ts";
import { formatRoute, goTo, type Route, useRoute } from "./route.ts";
import { type Account, rolesOf, useAccount } from "./use-account.ts";

interface Room {
  readonly name: "ask" | "library" | "review" | "graph" | "monitor" | "evaluate";
  readonly title: string;
  readonly route: Route;
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

function roomsFor(roles: readonly string[]): readonly Room[] {
  return ROOMS.filter(({ role }) => roles.includes(role));
}

/** Redirects a user without the role `ask` to the first permitted view; at other addresses the view itself reports a missing role. */
function entered(route: Route, roles: readonly string[]): Route {
  if (route.room !== "ask" || roles.includes("ask")) return route;
  return roomsFor(roles)[0]?.route ?? route;
}

function roomOf({ room }: Route): Room["name"] {
  return room === "answer" || room === "why" || room === "read" ? "ask" : room;
}

const SignIn = late(
  () => import("./sign-in-dialog.tsx"),
  "dialog",
  ({ account }) => (account.signedIn ? "Signed in" : "Sign in"),
);

const WhyPane = lazy(() => import("../why/why-pane.tsx"));
const ReaderPane = lazy(() => import("../reader/reader-pane.tsx"));
/** Views outside Ask, by the name in their route. */
const VIEWS = {
  library: lazy(() => import("../library/library-room.tsx")),
  review: lazy(() => import("../review/review-room.tsx")),
  graph: lazy(() => import("../graph/graph-room.tsx")),
  evaluate: lazy(() => import("../evaluate/evaluate-room.tsx")),
  monitor: lazy(() => import("../monitor/monitor-room.tsx")),
} satisfies Record<string, ComponentType<{ readonly id: string | null; readonly account: Account }>>;

/** The whole page. Ask stays mounted while another view is open. */
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
        <Opening key={room}>
          <OtherRoom route={route} account={account} onHand={hand} />
        </Opening>
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
  if (route.room === "answer") return <SharedAnswer id={route.id} account={account} onHand={onHand} />;
  if (route.room === "ask" || route.room === "why" || route.room === "read") return null;
  const View: ComponentType<{ readonly id: string | null; readonly account: Account }> = VIEWS[route.room];
  return <View id={"id" in route ? route.id : null} account={account} />;
}

function paneFor(route: Route, account: Account): ((parts: PaneParts) => React.ReactNode) | null {
  if (route.room !== "why" && route.room !== "read") return null;
  return (parts) => (
    <Opening key={formatRoute(route)}>
      {route.room === "why" ? (
        <WhyPane id={route.id} turns={parts.turns} account={account} />
      ) : (
        <ReaderPane place={route} account={account} {...parts} />
      )}
    </Opening>
  );
}

function Head({ account, route, roles }: { readonly account: Account; readonly route: Route; readonly roles: readonly string[] }) {
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
        <nav className="row rooms" aria-label="Rooms">
          {rooms.map(({ name, title, route: to }) => (
            <a key={name} href={formatRoute(to)} aria-current={name === here ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <Choices account={account} asks={here === "ask"} />
      <div className="row head-end">
        <label className="choice">
          <span className="visually-hidden">Colours</span>
          <select className="field" value={preferences.theme} onChange={(event) => prefer({ theme: themeOf(event.target.value) })}>
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

interface ChoicesProps {
  readonly account: Pick<Account, "domain" | "domains" | "preferences" | "prefer">;
  /** Whether the view asks questions; elsewhere the method has no effect. */
  readonly asks: boolean;
}

/** Selectors of domain, tenant and method; a selector with fewer than two options is hidden. */
function Choices({ account: { domain, domains, preferences, prefer }, asks }: ChoicesProps) {
  // The empty row reserves the space while the domains load.
  if (domains.type !== "ready" || domain === null) return <div className="row choices" />;
  const known = domains.value;
  const tenants = [{ name: "", title: "Everybody" }, ...domain.tenants];
  const profiles = known.profiles.map(({ name, title }) =>
    name === domain.profile ? { name: "", title: `Default (${name})` } : { name, title: `${name} – ${title}` },
  );
  return (
    <div className="row choices">
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
      <select id={id} className="field" value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </span>
  );
}
