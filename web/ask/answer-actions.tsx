import { Menu } from "@base-ui/react/menu";
import { useState } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import { copiedText } from "./copied-text.ts";

export interface AnswerActionsProps {
  readonly answer: WireAnswer;
  readonly busy: boolean;
  /** Asks again, for a longer answer. */
  readonly onMore: (() => void) | null;
  readonly onRetry: () => void;
}

/** What can be done with an answer. */
export function AnswerActions({ answer, busy, onMore, onRetry }: AnswerActionsProps) {
  const [said, setSaid] = useState("");
  const base = () => `${window.location.origin}${window.location.pathname}`;
  const copy = (text: string, what: string) =>
    navigator.clipboard === undefined
      ? setSaid("This browser lets pages copy only over TLS or from this machine.")
      : navigator.clipboard.writeText(text).then(
          () => setSaid(`${what} copied.`),
          () => setSaid(`${what} could not be copied: allow this page to use the clipboard.`),
        );
  return (
    <div className="actions">
      <a className="quiet-button" href={formatRoute({ room: "why", id: answer.id })}>
        Why this answer
      </a>
      {onMore === null ? null : (
        <button type="button" className="quiet-button" disabled={busy} onClick={onMore}>
          More detail
        </button>
      )}
      <button type="button" className="quiet-button" onClick={() => copy(copiedText(answer), "Answer with its sources")}>
        Copy with sources
      </button>
      <Menu.Root>
        <Menu.Trigger className="quiet-button">More</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} collisionPadding={12}>
            <Menu.Popup className="menu">
              <Menu.Item className="menu-item" onClick={() => copy(`${base()}${formatRoute({ room: "answer", id: answer.id })}`, "Link")}>
                Copy a link to this answer
              </Menu.Item>
              <Menu.Item className="menu-item" disabled={busy} onClick={onRetry}>
                Ask again
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => window.print()}>
                Print
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <span role="status" className="feedback-status">
        {said}
      </span>
    </div>
  );
}
