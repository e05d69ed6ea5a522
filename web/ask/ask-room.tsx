import { lazy, type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { readOpen, writeOpen } from "../app/preferences.ts";
import type { Account } from "../app/use-account.ts";
import { Late } from "../kit/late.tsx";
import { Near, NearParts } from "../kit/near.tsx";
import { AskBox, Welcome, WelcomeMore } from "./ask-box.tsx";
import { openArchive } from "./conversation/archive.ts";
import type { AskedHow } from "./conversation/state.ts";
import { useConversation } from "./conversation/use-conversation.ts";
import type { SessionsProps } from "./sessions-dialog.tsx";
import { TurnView, type TurnViewProps } from "./turn-view.tsx";

/** Pixels below the top of the window at which one is taken to be reading. */
const READING_PX = 140;

interface Place {
  readonly element: Element;
  readonly top: number;
}

/** What one reads stays where it is when something opens or closes beside it and everything is laid out anew. */
function useKeptPlace(isBeside: boolean): void {
  const place = useRef<Place | null>(null);
  useEffect(() => {
    const note = () => {
      place.current = placeOf(document.activeElement) ?? placeAt(READING_PX);
    };
    // Before anything else hears of it, while the old layout still stands.
    window.addEventListener("hashchange", note, { capture: true });
    return () => window.removeEventListener("hashchange", note, { capture: true });
  }, []);
  const before = useRef(isBeside);
  useLayoutEffect(() => {
    if (before.current === isBeside) return;
    before.current = isBeside;
    const { element, top } = place.current ?? {};
    if (element === undefined || top === undefined || !element.checkVisibility()) return;
    window.scrollBy({ top: element.getBoundingClientRect().top - top, behavior: "instant" });
  }, [isBeside]);
}

/** Where the pressed button or link of an answer stands, if one can see it. */
function placeOf(element: Element | null): Place | null {
  if (element === null || element.closest(".turn") === null) return null;
  const { top } = element.getBoundingClientRect();
  return top < 0 || top > window.innerHeight ? null : { element, top };
}

function placeAt(y: number): Place | null {
  const conversation = document.querySelector(".conversation")?.getBoundingClientRect();
  if (conversation === undefined) return null;
  const found = document.elementFromPoint(conversation.left + conversation.width / 3, y);
  const element = found?.closest(".turn :not(.turn-columns, .turn-main, .answer)") ?? found?.closest(".turn") ?? null;
  return element === null ? null : { element, top: element.getBoundingClientRect().top };
}

const load = () => import("./sessions-dialog.tsx");
const SessionsDialog = lazy(load);

/** Earlier conversations of this browser. */
function Sessions(props: SessionsProps) {
  return (
    <Late className="quiet-button" label="History" opens="dialog" load={() => void load()}>
      <SessionsDialog {...props} />
    </Late>
  );
}

export interface AskRoomProps {
  readonly account: Account;
  /** What stands beside the conversation. */
  readonly pane: ((parts: PaneParts) => ReactNode) | null;
  /** Another room is open. */
  readonly away: boolean;
  /** A question from elsewhere on the page. */
  readonly handed: Handed | null;
}

/** A question that another room hands over: to be asked at once, or put into the box to be changed. */
export interface Handed {
  readonly question: string;
  /** `null`: into the box. */
  readonly how: AskedHow | null;
}

export interface PaneParts {
  readonly turns: ReturnType<typeof useConversation>["conversation"]["turns"];
  /** Asks of a part of a document. */
  readonly ask: (question: string, how: AskedHow) => void;
  readonly running: boolean;
}

/** Turns at the end of a conversation that are made at once; earlier ones when they come near the screen. */
const EAGER_TURNS = 8;
/** Pixels that a turn takes, until it is known. */
const TURN_PX = 640;

/** Earlier questions above, the question box below. */
export function AskRoom({ account, pane, away, handed }: AskRoomProps) {
  const { api, owner } = account;
  const archive = useMemo(openArchive, []);
  const { id, conversation, running, saved, unkept, ask, stop, clear, open } = useConversation({ client: api, archive, owner });
  const [text, setText] = useState("");
  const { turns } = conversation;
  const isEmpty = turns.length === 0;
  const lastId = turns.at(-1)?.id ?? 0;
  const box = useRef<HTMLTextAreaElement>(null);
  const how = useHow(account);
  const isBeside = pane !== null;
  useKeptPlace(isBeside);
  const last = useBroughtIn(lastId, isBeside);
  const returned = useReturns(away, lastId);
  useReopened({ id, isEmpty, open, box });

  const andReturn = useCallback((act: () => void) => {
    act();
    box.current?.focus();
  }, []);
  const clearAll = useCallback(() => {
    writeOpen(null);
    andReturn(clear);
  }, [andReturn, clear]);
  const edit = useCallback((question: string) => andReturn(() => setText(question)), [andReturn]);
  const askAgain = useCallback((question: string, asked: AskedHow) => ask(question, asked), [ask]);
  const askAnew = useCallback((question: string) => ask(question, how), [ask, how]);
  useHanded(handed, { edit, ask });

  return (
    <main className={`room ask-room${isEmpty ? " is-empty" : ""}${isBeside ? " has-pane" : ""}`}>
      {isEmpty ? null : <h1 className="visually-hidden">Conversation</h1>}
      <section className="conversation" aria-label="Conversation">
        <div className="room-bar">
          <Sessions {...{ archive, owner, saved }} open={id} onOpen={(other) => void open(other)} onGone={clearAll} />
          {isEmpty ? null : (
            <button type="button" className="quiet-button" onClick={clearAll}>
              New conversation
            </button>
          )}
        </div>
        {unkept === null ? null : <p className="message is-warning">This browser does not keep conversations: {unkept}</p>}
        {isEmpty ? <Welcome account={account} /> : null}
        <Turns {...{ account, turns, returned, last }} busy={running} onAsk={askAgain} onEdit={edit} />
      </section>
      {pane === null ? null : pane({ turns, ask: askAgain, running })}
      <section className="ask" aria-label="Ask">
        <AskBox {...{ text, running }} onText={setText} onAsk={askAnew} onStop={() => andReturn(stop)} ref={box} />
        {isEmpty ? <WelcomeMore account={account} onAsk={askAnew} /> : null}
      </section>
    </main>
  );
}

interface TurnsProps extends Pick<TurnViewProps, "busy" | "onAsk" | "onEdit"> {
  readonly account: Account;
  readonly turns: PaneParts["turns"];
  readonly returned: Returns;
  /** Where the last turn is put. */
  readonly last: RefObject<HTMLElement | null>;
}

/** All turns of a conversation; earlier ones are made when they come near the screen. */
function Turns({ account, turns, returned, last, ...given }: TurnsProps) {
  const rate = useRate(account);
  const mayReview = account.caller.type === "ready" && account.caller.value.roles.includes("review");
  const lastId = turns.at(-1)?.id ?? 0;
  return (
    <NearParts>
      {turns.map((turn) => (
        <Near key={turn.id} height={TURN_PX} eager={turn.id > lastId - EAGER_TURNS} label={turn.question}>
          <TurnView
            {...{ turn, mayReview, ...given }}
            api={account.api}
            returns={turn.id <= returned.upTo ? returned.count : 0}
            last={turn.id === lastId}
            onRate={rate}
            ref={turn.id === lastId ? last : null}
          />
        </Near>
      ))}
    </NearParts>
  );
}

/** The last turn comes into view when it is asked; asked from a document that hides the conversation, when the document goes. @param lastId 0: none */
function useBroughtIn(lastId: number, isBeside: boolean): RefObject<HTMLElement | null> {
  const last = useRef<HTMLElement>(null);
  const broughtIn = useRef(0);
  useEffect(() => {
    if (lastId === 0 || lastId === broughtIn.current || (isBeside && last.current?.checkVisibility() === false)) return;
    broughtIn.current = lastId;
    last.current?.scrollIntoView({ block: "start" });
  }, [lastId, isBeside]);
  return last;
}

interface Reopened extends Pick<ReturnType<typeof useConversation>, "id" | "open"> {
  readonly isEmpty: boolean;
  readonly box: RefObject<HTMLTextAreaElement | null>;
}

/** The conversation that was open goes on after a reload. */
function useReopened({ id, isEmpty, open, box }: Reopened): void {
  useEffect(() => {
    const before = readOpen();
    if (before !== null) void open(before).catch(() => {});
    // On a touch screen the keyboard would cover what the page says about itself.
    if (window.matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, [open, box]);
  useEffect(() => {
    if (!isEmpty) writeOpen(id);
  }, [id, isEmpty]);
}

interface Takers {
  readonly edit: (question: string) => void;
  readonly ask: (question: string, how: AskedHow) => void;
}

/** What another room hands over is taken once. */
function useHanded(handed: Handed | null, { edit, ask }: Takers): void {
  const taken = useRef(handed);
  useEffect(() => {
    if (handed === null || taken.current === handed) return;
    taken.current = handed;
    if (handed.how === null) edit(handed.question);
    else ask(handed.question, handed.how);
  }, [handed, ask, edit]);
}

interface Returns {
  readonly count: number;
  /** The last turn that one came back to. */
  readonly upTo: number;
}

/** How often one came back from another room, and which question was the last one then. */
function useReturns(away: boolean, lastId: number): Returns {
  const [returns, setReturns] = useState({ count: 0, upTo: 0 });
  const [before, setBefore] = useState(away);
  if (before !== away) {
    setBefore(away);
    if (!away) setReturns({ count: returns.count + 1, upTo: lastId });
  }
  return returns;
}

/** What the page's choices mean for a question. */
function useHow({ domain, preferences: { tenant, profile } }: Account): AskedHow {
  return useMemo(
    () => ({
      ...(domain === null || domain.default ? {} : { domain: domain.name }),
      ...(domain?.tenants.some(({ name }) => name === tenant) ? { tenant } : {}),
      ...(profile === "" ? {} : { profile }),
    }),
    [domain, tenant, profile],
  );
}

function useRate({ api }: Account): TurnViewProps["onRate"] {
  return useCallback(
    ({ id, session_id, domain }, verdict, reason) =>
      api.feedback({
        ...{ id, verdict, domain },
        ...(session_id === null ? {} : { session_id }),
        ...(reason === undefined ? {} : { reason }),
      }),
    [api],
  );
}
