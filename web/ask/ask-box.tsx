import { lazy, type RefObject, Suspense, type SyntheticEvent, useId } from "react";
import type { WireDomain, WireSuggestions } from "../../src/client/index.ts";
import { queryOf } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatCount, formatDate } from "../format.ts";
import { Button } from "../kit/controls.tsx";
import { StateLine } from "../kit/message.tsx";

/** Describes what is searched and its dates: "28 documents, January 15, 2024 to March 1, 2026. Rules of the library." */
export function describeHoldings({ title, documents, as_of: { from, to }, description }: WireDomain): string {
  const range = from === null || to === null ? "" : from === to ? `, of ${formatDate(from)}` : `, ${formatDate(from)} to ${formatDate(to)}`;
  return `${formatCount(documents, "document")}${range}. ${description === "" ? title : description}`;
}

const UploadField = lazy(() => import("../library/upload-field.tsx"));

/** Example questions and the upload field. They are below the question box, so that the box does not move when they appear. */
export function WelcomeMore({ onAsk }: { readonly onAsk: (question: string) => void }) {
  const { domain, domains, roles, reload } = useAccount();
  const documents = domain?.documents ?? 0;
  const mayUpload = roles.includes("ingest");
  return (
    <div className="welcome-more">
      <StateLine state={domains} what="the documents" onRetry={reload} />
      {domain === null ? null : documents > 0 ? (
        <Suggestions domain={domain} onAsk={onAsk} />
      ) : (
        <p className="message">
          There are no documents yet.
          {mayUpload ? "" : " Your administrator can add some in the Library or with the command ingest."}
        </p>
      )}
      {mayUpload ? (
        <Suspense fallback={<p className="muted">Loading…</p>}>
          <UploadField onSent={reload} reports />
        </Suspense>
      ) : null}
    </div>
  );
}

function Suggestions({ domain, onAsk }: { readonly domain: WireDomain; readonly onAsk: (question: string) => void }) {
  const { tenant } = useAccount();
  const [state] = useFetched<WireSuggestions>(`/v1/suggestions?${queryOf({ domain: domain.name, tenant })}`);
  if (state.type !== "ready" || state.value.items.length === 0) return null;
  return (
    <ul className="examples" aria-label="Example questions">
      {state.value.items.map((question) => (
        <li key={question}>
          <Button onClick={() => onAsk(question)}>{question}</Button>
        </li>
      ))}
    </ul>
  );
}

/** Maximum number of characters of a question: the default limit of the server. */
const MAX_QUESTION_CHARACTERS = 500;

interface AskBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly running: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
  readonly ref: RefObject<HTMLTextAreaElement | null>;
}

/** The question box. Enter sends; Shift+Enter inserts a line break. */
export function AskBox({ text, onText, running, onAsk, onStop, ref }: AskBoxProps) {
  const { only, choose } = useAccount();
  const hintId = useId();
  const question = text.trim();
  const excess = question.length - MAX_QUESTION_CHARACTERS;
  // A question that is too long is sent too. If the question tells of a crisis, the server first sends hotlines. It then reports the limit.
  const canAsk = !running && question.length > 0;

  function send(event: SyntheticEvent) {
    event.preventDefault();
    if (!canAsk) return;
    onAsk(question);
    if (excess <= 0) onText("");
  }

  return (
    <form className="ask-box" onSubmit={send}>
      {only.length === 0 ? null : (
        <p className="row">
          <span className="muted">{`Only ${only.length > 3 ? formatCount(only.length, "document") : only.map(({ title }) => `“${title}”`).join(", ")}`}</span>
          <Button className="link-button" onClick={() => choose([])}>
            Ask all documents
          </Button>
        </p>
      )}
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
        onKeyDown={(event) => event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing && send(event)}
      />
      <div className="ask-row">
        <p id={hintId} className={excess > 0 ? "muted is-over" : "muted"}>
          {excess > 0
            ? `${formatCount(excess, "character")} too many. Shorten the question.`
            : "Enter sends, Shift+Enter starts a new line."}
        </p>
        {running ? (
          <Button className="quiet-button is-danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" className="ask-button" disabled={!canAsk}>
            Ask
          </Button>
        )}
      </div>
    </form>
  );
}
