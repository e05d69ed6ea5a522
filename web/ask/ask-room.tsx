import { lazy, type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { readOpen, writeOpen } from "../app/preferences.ts";
import { type Account, useAccount } from "../app/use-account.ts";
import { Button, DialogButton } from "../kit/controls.tsx";
import { Opening } from "../kit/message.tsx";
import { Near } from "../kit/near.tsx";
import { AskBox, describeHoldings, WelcomeMore } from "./ask-box.tsx";
import { openArchive } from "./conversation/archive.ts";
import type { AskedHow, Turn } from "./conversation/state.ts";
import { useConversation } from "./conversation/use-conversation.ts";
import { TurnView } from "./turn-view.tsx";

const SessionList = lazy(() => import("./sessions-dialog.tsx"));

/** Distance in pixels from the top of the window to the line that the user is assumed to be reading. */
const READING_PX = 140;

type Place = Readonly<{ element: Element; top: number }>;

/** Keeps the text that the user is reading at its height when a side pane opens or closes and changes the layout. */
function useKeptPlace(isBeside: boolean): void {
  const place = useRef<Place | null>(null);
  useEffect(() => {
    const note = () => {
      place.current = placeOf(document.activeElement) ?? placeAt(READING_PX);
    };
    // With `capture`, this listener runs before those that change the layout.
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

/** Returns the position of an element if it is in an answer and on screen, otherwise `null`. */
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

interface AskRoomProps {
  /** Renders the side pane; `null`: no pane is open. */
  readonly pane: ((parts: PaneParts) => ReactNode) | null;
  /** True while another view is shown. */
  readonly away: boolean;
  /** A question that another view passed on; `null`: none. */
  readonly handed: Handed | null;
}

/** A question that another view passes to the Ask view, to be asked with the settings `how`; `null`: to be edited in the box. */
export type Handed = Readonly<{ question: string; how: AskedHow | null }>;

export interface PaneParts {
  readonly turns: readonly Turn[];
  readonly ask: (question: string, how: AskedHow) => void;
  readonly running: boolean;
}

/** Number of latest turns that are rendered immediately. Earlier ones are rendered when they come near the screen. */
const EAGER_TURNS = 8;
/** Height in pixels of the placeholder for a turn that is not rendered yet. */
const TURN_PX = 640;

/** The Ask view: the conversation with the question box below it. */
export function AskRoom({ pane, away, handed }: AskRoomProps) {
  const account = useAccount();
  const { api, owner, domain } = account;
  const archive = useMemo(openArchive, []);
  const { id, conversation, running, saved, unkept, ask, stop, clear, open } = useConversation(api, archive, owner);
  const [text, setText] = useState("");
  const { turns } = conversation;
  const isEmpty = turns.length === 0;
  const lastId = turns.at(-1)?.id ?? 0;
  const box = useRef<HTMLTextAreaElement>(null);
  const isBeside = pane !== null;
  useKeptPlace(isBeside);
  const last = useBroughtIn(lastId, isBeside);
  const returned = useReturns(away, lastId);

  // Open the conversation again that was open before a reload. For this purpose the id of the open conversation is stored.
  useEffect(() => {
    const before = readOpen();
    if (before !== null) void open(before).catch(() => {});
    // On touch screens, focusing the box would open the keyboard, which covers the introduction.
    if (window.matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    if (!isEmpty) writeOpen(id);
  }, [id, isEmpty]);

  const andReturn = useCallback((act: () => void) => {
    act();
    box.current?.focus();
  }, []);
  const clearAll = useCallback(() => {
    writeOpen(null);
    andReturn(clear);
  }, [andReturn, clear]);
  const edit = useCallback((question: string) => andReturn(() => setText(question)), [andReturn]);
  const askAnew = (question: string) => ask(question, howOf(account));

  // Handle each question from another view exactly once.
  const taken = useRef(handed);
  useEffect(() => {
    if (handed === null || taken.current === handed) return;
    taken.current = handed;
    if (handed.how === null) edit(handed.question);
    else ask(handed.question, handed.how);
  }, [handed, ask, edit]);

  return (
    <main className={`room${isEmpty ? " is-empty" : ""}${isBeside ? " has-pane" : ""}`}>
      {isEmpty ? null : <h1 className="visually-hidden">Conversation</h1>}
      <section className="conversation" aria-label="Conversation">
        <div className="row room-bar">
          <DialogButton label="History" title="Earlier conversations">
            {(close) => (
              <>
                <p>They are stored only in this browser, until you delete them.</p>
                <Opening>
                  <SessionList
                    key={saved}
                    {...{ archive, owner }}
                    open={id}
                    onOpen={(other) => void open(other)}
                    onGone={clearAll}
                    onDone={close}
                  />
                </Opening>
                <div className="row">
                  <Button onClick={close}>Close</Button>
                </div>
              </>
            )}
          </DialogButton>
          {isEmpty ? null : <Button onClick={clearAll}>New conversation</Button>}
        </div>
        {unkept === null ? null : <p className="message is-warning">This browser does not store conversations: {unkept}</p>}
        {isEmpty ? (
          <div className="welcome">
            <h1>What would you like to know?</h1>
            <p>{domain === null ? "" : describeHoldings(domain)}</p>
          </div>
        ) : null}
        {turns.map((turn) => (
          <Near key={turn.id} height={TURN_PX} eager={turn.id > lastId - EAGER_TURNS} label={turn.question}>
            <TurnView
              turn={turn}
              busy={running}
              returns={turn.id <= returned.upTo ? returned.count : 0}
              last={turn.id === lastId}
              onAsk={ask}
              onEdit={edit}
              ref={turn.id === lastId ? last : null}
            />
          </Near>
        ))}
      </section>
      {pane?.({ turns, ask, running })}
      <section className="ask" aria-label="Ask">
        <AskBox {...{ text, running }} onText={setText} onAsk={askAnew} onStop={() => andReturn(stop)} ref={box} />
        {isEmpty ? <WelcomeMore onAsk={askAnew} /> : null}
      </section>
    </main>
  );
}

/**
 * Scrolls to a new turn. If a pane hides the conversation, this happens when the pane is closed.
 * @param lastId id of the last turn; 0: there is no turn
 */
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

/**
 * Counts how often the user returned from another view. The user may have changed documents there, so the turns up to the id
 * `upTo`, the last one at the latest return, must check their quotes again.
 */
function useReturns(away: boolean, lastId: number): { readonly count: number; readonly upTo: number } {
  const [returns, setReturns] = useState({ count: 0, upTo: 0 });
  const [before, setBefore] = useState(away);
  if (before !== away) {
    setBefore(away);
    if (!away) setReturns({ count: returns.count + 1, upTo: lastId });
  }
  return returns;
}

/** Returns the user's preferences as fields of a request. */
function howOf({ domain, tenant, preferences: { profile, write }, only }: Account): AskedHow {
  return {
    ...(domain === null || domain.default ? {} : { domain: domain.name }),
    ...(tenant === null ? {} : { tenant }),
    ...(profile === "" ? {} : { profile }),
    ...(write === "" ? {} : { write }),
    ...(only.length === 0 ? {} : { filters: { document: only.map(({ id }) => id) } }),
  };
}
