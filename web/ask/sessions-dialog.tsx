import { Dialog } from "@base-ui/react/dialog";
import { useCallback, useId, useState } from "react";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount } from "../format.ts";
import { AskedTwice } from "../kit/asked-twice.tsx";
import { type Archive, type ConversationEntry, findConversations } from "./conversation/archive.ts";

export interface SessionsProps {
  readonly archive: Archive;
  readonly owner: string;
  /** Changes whenever the list is to be read again. */
  readonly saved: number;
  readonly open: string;
  readonly onOpen: (id: string) => void;
  /** The open one was deleted. */
  readonly onGone: () => void;
}

const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** Earlier conversations of this browser, with a search over questions and answers; begins open. */
export default function SessionsDialog(props: SessionsProps) {
  const [shown, setShown] = useState(true);
  return (
    <Dialog.Root open={shown} onOpenChange={setShown}>
      <Dialog.Trigger className="quiet-button">History</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog sessions">
          <Dialog.Title className="dialog-title">Earlier conversations</Dialog.Title>
          <Dialog.Description>They are kept in this browser only, until you delete them.</Dialog.Description>
          <SessionList key={props.saved} {...props} onDone={() => setShown(false)} />
          <div className="dialog-row">
            <Dialog.Close className="quiet-button">Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function SessionList({ archive, owner, open, onOpen, onGone, onDone }: SessionsProps & { readonly onDone: () => void }) {
  const [typed, setTyped] = useState("");
  const id = useId();
  const [state, reload] = useLoaded(useCallback(() => archive.list(owner), [archive, owner]));
  if (state.type === "loading") return <p role="status">Reading…</p>;
  if (state.type === "failed") return <p className="message is-warning">This browser keeps no conversations: {state.message}</p>;
  if (state.value.length === 0) return <p>There are none yet. Each question that you ask is kept here.</p>;
  const found = findConversations(state.value, typed);

  async function remove(entry: ConversationEntry | null) {
    if (entry === null) await archive.deleteAll(owner);
    else await archive.delete(entry.id);
    if (entry === null || entry.id === open) onGone();
    reload();
  }

  return (
    <>
      <label htmlFor={id}>Search questions and answers</label>
      <input id={id} type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <p role="status" className="counter">
        {formatCount(found.length, "conversation")}
      </p>
      <ul className="session-list">
        {found.map((entry) => (
          <li key={entry.id}>
            <button
              type="button"
              className="session-open"
              aria-current={entry.id === open ? "true" : undefined}
              onClick={() => {
                onOpen(entry.id);
                onDone();
              }}
            >
              <span className="session-title">{entry.title}</span>
              <span className="session-facts">
                {DAY.format(entry.updatedAt)} · {formatCount(entry.turns, "question")}
              </span>
            </button>
            <AskedTwice label="Delete" name={`Delete “${entry.title}”`} confirm="Delete it for good" onConfirm={() => void remove(entry)} />
          </li>
        ))}
      </ul>
      <div className="dialog-row">
        <AskedTwice
          className="quiet-button is-danger"
          label="Delete all from this browser"
          confirm={`Delete ${formatCount(state.value.length, "conversation")} for good`}
          onConfirm={() => void remove(null)}
        />
      </div>
    </>
  );
}
