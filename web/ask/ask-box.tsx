import { type KeyboardEvent, type RefObject, type SubmitEvent, useId } from "react";
import { formatRoute } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";

const EXAMPLES = 3;

/** The heading of an empty conversation: a general one until the domain has loaded. */
export function Welcome() {
  const { domain } = useAccount();
  return (
    <div className="welcome">
      <h1>{domain === null ? "Ask the documents." : `Ask about ${domain.title}.`}</h1>
      <p>
        Every sentence of an answer is checked against an exact quote that you can open. If the documents do not answer a question,
        Sourcebound says so.
      </p>
    </div>
  );
}

/** Shows the domain's description and example questions below the question box, so that late loading moves nothing above. */
export function WelcomeMore({ onAsk }: { readonly onAsk: (question: string) => void }) {
  const { domain, domains, roles, reload } = useAccount();
  return (
    <div className="welcome-more">
      <StateLine state={domains} what="the domains" onRetry={reload} />
      {domain === null ? null : domain.documents === 0 ? (
        <p className="message is-warning">
          There are no documents yet:{" "}
          {roles.includes("ingest") ? (
            <a href={formatRoute({ room: "library" })}>add some in the Library</a>
          ) : (
            "your administrator can add some in the Library or with the command ingest"
          )}
          .
        </p>
      ) : (
        <>
          {domain.examples.length === 0 ? null : (
            <ul className="examples" aria-label="Example questions">
              {domain.examples.slice(0, EXAMPLES).map((question) => (
                <li key={question}>
                  <button type="button" className="quiet-button" onClick={() => onAsk(question)}>
                    {question}
                  </button>
                </li>
              ))}
            </ul>
          )}
          <p className="muted">
            {domain.description === "" ? "" : `${domain.description} `}
            {formatCount(domain.documents, "document")} can be searched.
          </p>
        </>
      )}
    </div>
  );
}

/** Maximum length of a question, in characters: the server's default. */
const MAX_QUESTION_CHARACTERS = 500;

export interface AskBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly running: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
  readonly ref: RefObject<HTMLTextAreaElement | null>;
}

/** The question box. Enter sends; Shift+Enter inserts a line break. */
export function AskBox({ text, onText, running, onAsk, onStop, ref }: AskBoxProps) {
  const hintId = useId();
  const question = text.trim();
  const excess = question.length - MAX_QUESTION_CHARACTERS;
  // Questions that are too long are sent too: the server reports the limit and, in an emergency, shows hotlines first.
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
        <p id={hintId} className={excess > 0 ? "muted is-over" : "muted"}>
          {excess > 0 ? `${formatCount(excess, "character")} too many` : `${question.length} / ${MAX_QUESTION_CHARACTERS}`}
          <span className="visually-hidden"> characters. Enter sends, Shift+Enter starts a new line.</span>
        </p>
        {running ? (
          <button type="button" className="quiet-button is-danger" onClick={onStop}>
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
