import { type SyntheticEvent, useId, useMemo, useState } from "react";
import { linesOfWire, lineText, type WireAnswer, type WireReview } from "../../src/client/index.ts";
import { formatRoute, placeOf } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatDate } from "../format.ts";
import { ResultLine, useActionResult } from "../kit/actions.tsx";
import { changesOf, TextDiff } from "../kit/changes.tsx";
import { Button, TextField } from "../kit/controls.tsx";
import { StateLine } from "../kit/message.tsx";
import { numbered } from "../kit/table.tsx";

export const STATUSES: Readonly<Record<WireReview["review_status"], string>> = {
  unreviewed: "not reviewed",
  approved: "approved",
  flagged: "flagged as wrong",
};

const NAME = "sourcebound.reviewer";
const FLAGGED = "Flagged. The answer will not be served again.";

/** Shows one answer with its sources, and the actions that a reviewer may take. */
export function ReviewCase({ id, onChanged }: { readonly id: string; readonly onChanged: () => void }) {
  const { api } = useAccount();
  const path = `/v1/review/${encodeURIComponent(id)}`;
  const [state, reload] = useFetched<WireReview>(path);
  const [by, setBy] = useState(() => window.sessionStorage.getItem(NAME) ?? "");
  const [correcting, setCorrecting] = useState(false);
  const { result, tell } = useActionResult();

  async function act(what: "approve" | "flag" | "correct", body: Record<string, string>, done: string) {
    if ((await tell(api.send("POST", `${path}/${what}`, { by, ...body }), done)) === null) return;
    setCorrecting(false);
    reload();
    onChanged();
  }

  if (state.type !== "ready") return <StateLine state={state} what="the answer" onRetry={reload} />;
  const review = state.value;
  const named = by.trim() !== "";
  return (
    <>
      <Shown review={review} />
      <div className="filters">
        <TextField
          label="Your name, for the audit log"
          value={by}
          maxLength={80}
          onChange={(name) => {
            setBy(name);
            window.sessionStorage.setItem(NAME, name);
          }}
        />
      </div>
      <div className="row actions">
        <Button className="ask-button" disabled={!named} onClick={() => act("approve", {}, "Approved.")}>
          Approve
        </Button>
        <Button className="quiet-button is-danger" disabled={!named} onClick={() => act("flag", {}, FLAGGED)}>
          Flag as wrong
        </Button>
        <Button disabled={!named || review.answer === null} aria-expanded={correcting} onClick={() => setCorrecting(!correcting)}>
          Write a correction
        </Button>
      </div>
      <ResultLine result={result} otherwise={named ? "" : "Enter your name before you decide."} />
      {correcting && review.answer !== null ? (
        <CorrectionForm answer={review.answer} onSend={(answer) => act("correct", { answer }, describeCorrected(review))} />
      ) : null}
    </>
  );
}

/** Says for which questions the correction is served. */
function describeCorrected({ within }: WireReview): string {
  return within === null
    ? "Corrected. From now on, whoever asks this question without filters gets the correction."
    : `Corrected. From now on, whoever asks this question only within ${within} gets the correction; without this limit, it is answered as before.`;
}

function Shown({ review }: { readonly review: WireReview }) {
  const { question, within, answer, feedback, curated, review_status: status, reviewed_by: by, demoted_at: demoted } = review;
  const shown = curated?.answer ?? answer;
  return (
    <>
      <h2 className="case-question">{question === "" ? "The question's text was not stored" : question}</h2>
      {within === null ? null : <p className="muted">Limited to {within}.</p>}
      <p className="muted">
        {STATUSES[status]}
        {by === null ? "" : ` by ${by}`}
        {demoted === null ? "" : `; a source has changed since (${formatDate(demoted.slice(0, 10))})`}
        {curated === null ? "" : `; corrected by ${curated.by}`}
      </p>
      {feedback === null ? null : (
        <p className="message">
          A user rated it {feedback.verdict === "up" ? "right" : "wrong"}
          {feedback.reason === null ? "." : `: “${feedback.reason}”`}
        </p>
      )}
      {review.withheld ? (
        <p>
          The answer is withheld because it depends on a document that was deleted or is not accessible to you. Flag it, or ask an
          administrator to review it.
        </p>
      ) : null}
      {shown === null && !review.withheld ? <p>The text of this answer was not stored, so there is nothing to review.</p> : null}
      {shown?.refusal ? <p>{shown.refusal.message}</p> : null}
      {shown === null ? null : (
        <ol className="stack">
          {numbered(linesOfWire(shown.sentences, shown.citations)).map(({ place, item: line }) => (
            <li key={place} className="card">
              <p>{lineText(line)}</p>
              {shown.citations
                .filter(({ n }) => line.citations.includes(n))
                .map((citation) => (
                  <blockquote key={citation.n} className="read">
                    [{citation.n}] “{citation.quote}” <a href={formatRoute(placeOf(citation, review))}>{citation.title}</a>
                  </blockquote>
                ))}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** Form for a corrected answer. It shows the differences from the original answer. */
function CorrectionForm({ answer, onSend }: { readonly answer: WireAnswer; readonly onSend: (text: string) => Promise<void> }) {
  const before = useMemo(
    () => answer.sentences.map(({ text, citations }) => `${text}${citations.map((n) => ` [${n}]`).join("")}`).join("\n"),
    [answer],
  );
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const changes = useMemo(() => changesOf(before, text, "words"), [before, text]);

  async function send(event: SyntheticEvent) {
    event.preventDefault();
    setBusy(true);
    await onSend(text);
    setBusy(false);
  }

  return (
    <form className="stack" onSubmit={send}>
      <label htmlFor={id}>Corrected answer</label>
      <textarea
        id={id}
        className="field"
        rows={8}
        value={text}
        aria-describedby={`${id}-how`}
        onChange={(event) => setText(event.target.value)}
      />
      <p id={`${id}-how`} className="muted">
        Each sentence must cite a source of this answer as [n]. To cite another document, add a last line such as{" "}
        <code>[5]: path/to/document.md</code>. The correction is checked against the documents before it is saved.
      </p>
      <h3>Changes</h3>
      <TextDiff changes={changes} />
      <div className="row">
        <Button type="submit" className="ask-button" disabled={busy || text.trim() === "" || text === before}>
          Save the correction
        </Button>
      </div>
    </form>
  );
}
