import { type KeyboardEvent, type RefObject, type SubmitEvent, useId } from "react";
import { formatCount } from "../format.ts";

/** Characters that a question may have; the server's default. */
const MAX_QUESTION_CHARACTERS = 500;

export interface AskBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly running: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
  readonly ref: RefObject<HTMLTextAreaElement | null>;
}

/** The question box. Enter sends, Shift+Enter breaks the line. */
export function AskBox({ text, onText, running, onAsk, onStop, ref }: AskBoxProps) {
  const hintId = useId();
  const question = text.trim();
  const excess = question.length - MAX_QUESTION_CHARACTERS;
  // One that is too long is sent too: the server says so, and first what whoever wrote it in an emergency must read.
  const canAsk = !running && question.length > 0;

  function send() {
    if (!canAsk) return;
    onAsk(question);
    if (excess <= 0) onText("");
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    send();
  }

  function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <form className="ask-box" onSubmit={submit}>
      <label htmlFor="question">Your question</label>
      <textarea
        id="question"
        ref={ref}
        rows={1}
        value={text}
        placeholder="Ask in your own words"
        aria-describedby={hintId}
        aria-invalid={excess > 0}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={sendOnEnter}
      />
      <div className="ask-row">
        <p id={hintId} className={excess > 0 ? "counter is-over" : "counter"}>
          {excess > 0 ? `${formatCount(excess, "character")} too many` : `${question.length} / ${MAX_QUESTION_CHARACTERS}`}
          <span className="visually-hidden"> characters. Enter sends, Shift+Enter starts a new line.</span>
        </p>
        {running ? (
          <button type="button" className="stop-button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" className="ask-button" disabled={!canAsk}>
            Ask
          </button>
        )}
      </div>
    </form>
  );
}
