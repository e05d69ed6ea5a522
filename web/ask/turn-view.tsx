import { lazy, memo, type Ref, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { linesOfWire, type WireAnswer, type WireDocument } from "../../src/client/index.ts";
import { documentPath, formatRoute, goTo, placeOf, queryOf, type Scope } from "../app/route.ts";
import { useFetched } from "../app/use-account.ts";
import { describeStage, formatCount, toHttpUrl } from "../format.ts";
import { Button } from "../kit/controls.tsx";
import { Linked } from "../kit/message.tsx";
import { AnswerActions } from "./answer-actions.tsx";
import { AnswerSummary, Incomplete, Messages } from "./answer-notes.tsx";
import { AnswerText } from "./answer-text.tsx";
import type { AskedHow, Turn } from "./conversation/state.ts";
import { isOneLine, isTechnical, SHOWN_ELSEWHERE } from "./plain-words.ts";
import { SourceList } from "./source-list.tsx";
import { type CitationStates, useCitationStates } from "./use-citation-states.ts";

const RefusalView = lazy(() => import("./refusal-view.tsx"));
const Conflicts = lazy(() => import("./conflicts.tsx"));

const MOST = 4;

type FollowUpsProps = Readonly<{ answer: WireAnswer; scope: Scope; busy: boolean; onAsk: (question: string) => void }>;

/**
 * Lists other headings of the first cited document. A click on a heading that is a question asks it. A click on any other
 * heading opens it in the document.
 */
function FollowUps({ answer, scope, busy, onAsk }: FollowUpsProps) {
  const cited = answer.citations[0];
  const [state] = useFetched<WireDocument>(`${documentPath(cited?.document_id ?? "")}?${queryOf({ ...scope })}`);
  if (state.type !== "ready" || cited === undefined) return null;
  const quoted = new Set(answer.citations.flatMap(({ heading_path: headings }) => headings.at(-1) ?? []));
  const { id, outline, version, title } = state.value;
  const headings = outline.filter(({ text }) => !quoted.has(text) && text !== title).slice(0, MOST);
  if (headings.length === 0) return null;
  return (
    <section className="follow-ups" aria-label={`Also in ${title}`}>
      <h3>Also in “{title}”</h3>
      <ul>
        {headings.map(({ text, start }) => (
          <li key={start}>
            {text.endsWith("?") ? (
              <Button disabled={busy} onClick={() => onAsk(text)}>
                {text}
              </Button>
            ) : (
              <a
                className="quiet-button"
                href={formatRoute({ room: "read", document: id, start, end: start + text.length, version, quote: text, ...scope })}
              >
                {text}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TurnViewProps {
  readonly turn: Turn;
  /** True while any question of the conversation is running. */
  readonly busy?: boolean;
  /** How often the user returned from another view since this answer. Documents may have changed in the meantime. */
  readonly returns?: number;
  /** True for the last turn. */
  readonly last?: boolean;
  readonly onAsk: (question: string, how: AskedHow) => void;
  /** Puts the question into the box for editing. */
  readonly onEdit: (question: string) => void;
  readonly ref?: Ref<HTMLElement> | null;
}

/** Shows a question with its answer and sources, or with its refusal. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, busy = false, returns = 0, last = false, onAsk, onEdit, ref = null } = props;
  const [open, setOpen] = useState<number | null>(null);
  const [pointed, setPointed] = useState<readonly number[] | null>(null);
  const cameFrom = useRef<HTMLElement | null>(null);
  const { id, question, asked, status, sentences, citations } = turn;
  const answer = status.type === "answered" ? status.answer : null;
  // The reply to a greeting or a crisis message has no summary, notices and actions.
  const seeAlso = answer?.see_also;
  const plain = answer?.refusal ? isOneLine(answer.refusal.reason) : false;
  const columns = useRef<HTMLDivElement>(null);
  const states = useCitationStates(answer, turn.isOld === true || returns > 0 ? returns : null, columns);
  const scope = { domain: answer?.domain ?? asked.domain ?? null, tenant: asked.tenant ?? null };
  const lines = useMemo(() => linesOfWire(sentences, citations), [sentences, citations]);
  const shared = {
    ...{ number: id, citations, states, open, onPoint: setPointed },
    active: pointed ?? (open === null ? [] : [open]),
    sourceId: (n: number) => `turn-${id}-source-${n}`,
  };

  const openSource = (n: number, from: HTMLElement) => {
    cameFrom.current = from;
    setOpen(n);
  };
  const goBack = useCallback(() => {
    setOpen(null);
    setPointed(null);
    cameFrom.current?.focus();
  }, []);

  return (
    <article
      className={`turn${id === 1 ? " is-first" : ""}${last ? " is-last" : ""}`}
      ref={ref}
      aria-labelledby={`question-${id}`}
      aria-busy={status.type === "running"}
    >
      <div className="urgent">
        <Messages warnings={turn.warnings.filter(isUrgent)} notices={[]} onAsk={(instead) => onAsk(instead, asked)} />
      </div>
      <h2 id={`question-${id}`} className="question">
        {question}
      </h2>
      <p className="row">
        {asked.selection === undefined ? null : <span className="tag">only the selected text was searched</span>}
        {answer?.filters === undefined ? null : <span className="tag">{`only ${answer.filters.searched_in}`}</span>}
        {asked.detail === "more" ? <span className="tag">more detail</span> : null}
        <Button className="link-button" onClick={() => onEdit(question)}>
          Edit question
        </Button>
        {/* Shown beside the question: below the sentences, each new sentence would move it. */}
        {status.type !== "running" ? null : (
          <span className="stage-line" data-testid="stage">
            <span className="stage-dot" aria-hidden="true" />
            {status.stage === null ? "Asking" : describeStage(status.stage)}…
          </span>
        )}
      </p>
      <div className="turn-columns" ref={columns}>
        <div className="turn-main">
          <div className="answer" aria-live="polite" aria-relevant="additions">
            <AnswerText
              {...shared}
              lines={lines}
              claims={answer?.claims ?? []}
              checks={answer?.checks ?? []}
              warnings={answer === null ? turn.warnings : []}
              spans={answer?.answer_spans ?? []}
              onOpen={openSource}
            />
          </div>
          {answer?.refusal ? (
            <Suspense>
              <RefusalView number={id} refusal={answer.refusal} scope={scope} />
            </Suspense>
          ) : null}
          {answer !== null && answer.refusal === null && sentences.length === 0 ? <p>{describeEmpty(answer)}</p> : null}
          {/* A document for further reading. The answer is not based on it. */}
          {seeAlso === undefined || seeAlso === null ? null : (
            <p>
              See also: <Linked text={seeAlso.title} href={toHttpUrl(seeAlso.url)} />
              {seeAlso.heading === null || seeAlso.heading === seeAlso.title ? null : ` – ${seeAlso.heading}`}
            </p>
          )}
          {answer === null || plain ? null : <AnswerSummary answer={answer} states={states} />}
          <Incomplete status={status} shown={sentences.length} busy={busy} onRetry={() => onAsk(question, asked)} />
          {answer === null || (answer.conflicts.length === 0 && answer.web === undefined) ? null : (
            <Suspense>
              <Conflicts number={id} answer={answer} />
            </Suspense>
          )}
          <Messages
            warnings={turn.warnings.filter((one) => one.sentence === undefined && !isUrgent(one) && !SHOWN_ELSEWHERE.has(one.code))}
            notices={plain ? [] : turn.notices.filter((one) => !isTechnical(one))}
          />
          {answer === null || plain ? null : (
            <AnswerActions
              {...{ answer, busy }}
              number={id}
              onMore={answer.refusal === null && asked.detail !== "more" ? () => onAsk(question, { ...asked, detail: "more" }) : null}
              onRetry={() => onAsk(question, asked)}
            />
          )}
        </div>
        {citations.length === 0 ? null : (
          <SourceList {...shared} onOpen={setOpen} onBack={goBack} onRead={(citation) => goTo(placeOf(citation, scope))} />
        )}
        {/* Shown only after the answer is complete, and below the sources, so that nothing above it moves. */}
        {last && answer !== null && firstStands(turn, states) ? (
          <FollowUps {...{ answer, scope, busy }} onAsk={(next) => onAsk(next, asked)} />
        ) : null}
      </div>
      <p className="visually-hidden" role="status">
        {announce(turn)}
      </p>
    </article>
  );
});

/**
 * Returns whether the first cited document still exists. For a turn of an earlier visit this is unknown, and `false`, until
 * the states of its quotes are loaded.
 */
function firstStands({ citations: [first], isOld }: Turn, states: CitationStates): boolean {
  if (first === undefined) return false;
  const state = states.get(first.n);
  return state === undefined ? isOld !== true : state.now?.document_id === first.document_id;
}

/** Returns whether a warning must be shown above the answer. */
function isUrgent({ code }: { readonly code: string }): boolean {
  return code === "hotline" || code === "read_as";
}

/** Returns a message for an answer without sentences that is not a refusal. */
function describeEmpty({ status, answer_plain }: WireAnswer): string {
  if (answer_plain !== "") return answer_plain;
  return status === "error" ? "The answer could not be completed. The warnings give the reason." : "The answer is empty.";
}

/** Returns the message that screen readers read at the end of a turn. */
function announce({ status, sentences, citations }: Turn): string {
  switch (status.type) {
    case "running":
      return "";
    case "answered":
      if (status.answer.refusal !== null) return "Not answered. The reason follows.";
      return `Answer complete: ${formatCount(sentences.length, "sentence")}, ${formatCount(citations.length, "source")}.`;
    case "stopped":
      return "Stopped. The answer is incomplete.";
    case "interrupted":
      return "Interrupted. The answer is incomplete.";
    case "failed":
      return `Failed: ${status.failure.message}`;
  }
}
