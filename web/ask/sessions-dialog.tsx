import { useCallback, useState } from "react";
import { useLoaded } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { AskedTwice, Button, TextField } from "../kit/controls.tsx";
import { formatTime } from "../kit/figures.ts";
import { type Archive, type ConversationEntry, findConversations } from "./conversation/archive.ts";

interface SessionListProps {
  readonly archive: Archive;
  readonly owner: string;
  readonly open: string;
  readonly onOpen: (id: string) => void;
  /** Called when the open conversation was deleted. */
  readonly onGone: () => void;
  readonly onDone: () => void;
}

/** Lists the conversations stored in this browser. They can be searched by words of their questions and answers. */
export default function SessionList({ archive, owner, open, onOpen, onGone, onDone }: SessionListProps) {
  const [typed, setTyped] = useState("");
  const [state, reload] = useLoaded(useCallback(() => archive.list(owner), [archive, owner]));
  if (state.type === "loading") return <p role="status">Loading…</p>;
  if (state.type === "failed") return <p className="message is-warning">This browser does not store conversations: {state.message}</p>;
  if (state.value.length === 0) return <p>There are no conversations yet. Each question that you ask is stored here.</p>;
  const all = state.value;
  const found = findConversations(all, typed);

  async function remove(entries: readonly ConversationEntry[]) {
    await archive.delete(entries.map(({ id }) => id));
    if (entries.some(({ id }) => id === open)) onGone();
    reload();
  }

  async function removeAll() {
    // Another tab may have stored conversations meanwhile.
    await remove(await archive.list(owner));
    onGone();
  }

  return (
    <>
      <TextField type="search" label="Search questions and answers" value={typed} onChange={setTyped} />
      <p role="status" className="muted">
        {formatCount(found.length, "conversation")}
      </p>
      <ul className="stack">
        {found.map((entry) => (
          <li key={entry.id} className="row">
            <Button
              className="queue-item"
              aria-current={entry.id === open ? "true" : undefined}
              onClick={() => {
                onOpen(entry.id);
                onDone();
              }}
            >
              <span>{entry.title}</span>
              <span className="muted">
                {formatTime(entry.updatedAt)} · {formatCount(entry.turns, "question")}
              </span>
            </Button>
            <AskedTwice
              label="Delete"
              name={`Delete “${entry.title}”`}
              confirm="Delete permanently"
              onConfirm={() => void remove([entry])}
            />
          </li>
        ))}
      </ul>
      <div className="row">
        <AskedTwice
          className="quiet-button is-danger"
          label="Delete all from this browser"
          confirm={`Permanently delete ${formatCount(all.length, "conversation")}`}
          onConfirm={() => void removeAll()}
        />
      </div>
    </>
  );
}
