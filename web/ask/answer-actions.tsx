import { lazy, useState } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import { Late } from "../kit/late.tsx";
import { copiedText } from "./copied-text.ts";

const loadMenu = () => import("./action-menu.tsx");
const ActionMenu = lazy(loadMenu);

export interface AnswerActionsProps {
  readonly answer: WireAnswer;
  readonly busy: boolean;
  /** Asks again, for a longer answer. */
  readonly onMore: (() => void) | null;
  readonly onRetry: () => void;
  /** Whoever reads may approve, flag and correct answers. */
  readonly mayReview: boolean;
}

/** What can be done with an answer. */
export function AnswerActions({ answer, busy, onMore, onRetry, mayReview }: AnswerActionsProps) {
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
      {mayReview ? (
        <a className="quiet-button" href={formatRoute({ room: "review", id: answer.id })}>
          Review or correct
        </a>
      ) : null}
      {onMore === null ? null : (
        <button type="button" className="quiet-button" disabled={busy} onClick={onMore}>
          More detail
        </button>
      )}
      <button type="button" className="quiet-button" onClick={() => copy(copiedText(answer), "Answer with its sources")}>
        Copy with sources
      </button>
      <Late className="quiet-button" label="More" opens="menu" load={() => void loadMenu()}>
        <ActionMenu
          busy={busy}
          onRetry={onRetry}
          onLink={() => copy(`${base()}${formatRoute({ room: "answer", id: answer.id })}`, "Link")}
        />
      </Late>
      <span role="status" className="feedback-status">
        {said}
      </span>
    </div>
  );
}
