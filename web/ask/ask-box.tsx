import { type KeyboardEvent, type RefObject, type SubmitEvent, useId } from "react";
import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";

interface WelcomeProps {
  readonly account: Account;
  readonly onAsk: (question: string) => void;
}

/** Examples that are shown. */
const EXAMPLES = 3;

/** What is asked here; stands still while the rest is looked up. */
export function Welcome({ account: { domain } }: Pick<WelcomeProps, "account">) {
  return (
    <div className="welcome">
      <h1>{domain === null ? "Ask the documents." : `Ask about ${domain.title}.`}</h1>
      <p>Every sentence of an answer is checked against an exact quote that you can open. When the documents are not enough, it says so.</p>
    </div>
  );
}

/** What this is about, and three questions that its own documents answer; below the box, so that nothing moves when it comes. */
export function WelcomeMore({ account, onAsk }: WelcomeProps) {
  const { domain, domains, reload } = account;
  return (
    <div className="welcome-more">
      <StateLine state={domains} what="what there is to ask" onRetry={reload} />
      {domain?.documents === 0 ? (
        <p className="message is-warning">
          There are no documents yet:{" "}
          {mayIngest(account) ? (
            <a href={formatRoute({ room: "library" })}>add some in the Library</a>
          ) : (
            "whoever runs the server adds some in the Library, or with the command ingest"
          )}
          .
        </p>
      ) : null}
      {domain === null || domain.documents === 0 || domain.examples.length === 0 ? null : (
        <ul className="examples" aria-label="Example questions">
          {domain.examples.slice(0, EXAMPLES).map((question) => (
            <li key={question}>
              <button type="button" onClick={() => onAsk(question)}>
                {question}
              </button>
            </li>
          ))}
        </ul>
      )}
      {domain === null || domain.documents === 0 ? null : (
        <p className="welcome-about">
          {domain.description === "" ? "" : `${domain.description} `}
          {formatCount(domain.documents, "document")} can be searched.
        </p>
      )}
    </div>
  );
}

function mayIngest({ caller }: Account): boolean {
  return caller.type === "ready" && caller.value.roles.includes("ingest");
}

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
