import { type ComponentType, lazy, useCallback, useEffect, useState } from "react";
import { AskRoom, type Handed, type PaneParts } from "../ask/ask-room.tsx";
import { SharedAnswer } from "../ask/shared-answer.tsx";
import { SelectField } from "../kit/controls.tsx";
import { Opening } from "../kit/late.tsx";
import type { FirstLook } from "./first-look.ts";
import { formatRoute, goTo, type Route, useRoute } from "./route.ts";
import { SignIn } from "./sign-in-dialog.tsx";
import { AccountContext, useAccount, useNewAccount } from "./use-account.ts";

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

const WhyPane = lazy(() => import("../why/why-pane.tsx"));
const ReaderPane = lazy(() => import("../reader/reader-pane.tsx"));
/** Views outside Ask, by the name in their route. */
const VIEWS = {
  library: lazy(() => import("../library/library-room.tsx")),
  review: lazy(() => import("../review/review-room.tsx")),
  graph: lazy(() => import("../graph/graph-room.tsx")),
  evaluate: lazy(() => import("../evaluate/evaluate-room.tsx")),
  monitor: lazy(() => import("../monitor/monitor-room.tsx")),
} satisfies Record<string, ComponentType<{ readonly id: string | null }>>;

/** The whole page. Ask stays mounted while another view is open. */
export function App({ first }: { readonly first: FirstLook }) {
  const account = useNewAccount(first);
  const route = entered(useRoute(), account.roles);
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
    <AccountContext value={account}>
      <div className="page">
        <button type="button" className="skip-link" onClick={() => document.getElementById("question")?.focus()}>
          Skip to the question
        </button>
        <Head route={route} />
        <div hidden={!inAsk} className="room-holder">
          <AskRoom key={account.owner} away={!inAsk} pane={paneFor(route)} handed={handed} />
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

function paneFor(route: Route): ((parts: PaneParts) => React.ReactNode) | null {
  if (route.room !== "why" && route.room !== "read") return null;
  return (parts) => (
    <Opening key={formatRoute(route)}>
      {route.room === "why" ? <WhyPane id={route.id} turns={parts.turns} /> : <ReaderPane place={route} {...parts} />}
    </Opening>
  );
}

function Head({ route }: { readonly route: Route }) {
  const { preferences, prefer, roles, signedIn } = useAccount();
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
          {rooms.map(({ name, title, route: to }) => (
            <a key={name} href={formatRoute(to)} aria-current={name === here ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <Choices asks={here === "ask"} />
      <div className="row head-end">
        <SelectField
          label={<span className="visually-hidden">Colours</span>}
          value={preferences.theme}
          options={THEMES}
          onChange={(theme) => prefer({ theme })}
        />
        <SignIn />
      </div>
    </header>
  );
}

const THEMES = [
  ["system", "Auto"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

/** Selectors of domain, tenant and method; a selector with one option is hidden. @param asks whether the view asks questions */
function Choices({ asks }: { readonly asks: boolean }) {
  const { domain, domains, tenant, preferences, prefer } = useAccount();
  // The empty row reserves the space while the domains load.
  if (domains.type !== "ready" || domain === null) return <div className="row choices" />;
  const titled = (all: readonly { readonly name: string; readonly title: string }[]) =>
    all.map(({ name, title }) => [name, title] as const);
  const profiles = domains.value.profiles.map(({ name, title }) =>
    name === domain.profile ? (["", `Default (${name})`] as const) : ([name, `${name} – ${title}`] as const),
  );
  const choices = [
    ["Documents", domain.name, titled(domains.value.domains), (name: string) => prefer({ domain: name, tenant: "" })],
    ["For", tenant ?? "", [["", "Everybody"] as const, ...titled(domain.tenants)], (name: string) => prefer({ tenant: name })],
    ...(asks ? [["Method", preferences.profile, profiles, (profile: string) => prefer({ profile })] as const] : []),
  ] as const;
  return (
    <div className="row choices">
      {choices.map(([label, value, options, onChange]) =>
        options.length < 2 ? null : (
          <span key={label} className="choice">
            <SelectField {...{ label, value, options, onChange }} />
          </span>
        ),
      )}
    </div>
  );
}
