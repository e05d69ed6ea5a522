import { memo, type Ref, useCallback, useRef, useState } from "react";
import type { WireAnswer, WireCitation, WireDocument } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { formatRoute, goTo } from "../app/route.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { describeStage, formatCount } from "../format.ts";
import { AnswerActions, Feedback, type Verdict } from "./answer-actions.tsx";
import { AnswerSummary, ConflictList, Incomplete, Messages, SeeAlso, WebList } from "./answer-notes.tsx";
import { AnswerText } from "./answer-text.tsx";
import type { AskedHow, Turn } from "./conversation/state.ts";
import { isShownElsewhere, isTechnical } from "./plain-words.ts";
import { isOneLine, RefusalView } from "./refusal-view.tsx";
import { SourceList } from "./source-list.tsx";
import { type CitationState, useCitationStates } from "./use-citation-states.ts";

interface FollowUpsProps {
  readonly api: Pick<Api, "get">;
  readonly answer: WireAnswer;
  readonly asked: AskedHow;
  readonly busy: boolean;
  readonly onAsk: (question: string) => void;
}

const MOST = 4;

/** What the first cited document says beside the answer: headings that ask are asked, others are read. */
function FollowUps({ api, answer, asked, busy, onAsk }: FollowUpsProps) {
  const cited = answer.citations[0];
  const scope = new URLSearchParams({ domain: answer.domain, ...(asked.tenant === undefined ? {} : { tenant: asked.tenant }) });
  const path = `/v1/documents/${encodeURIComponent(cited?.document_id ?? "")}?${scope}`;
  const [state] = useLoaded(useCallback((signal) => api.get<WireDocument>(path, signal), [api, path]));
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
            {isQuestion(text) ? (
              <button type="button" disabled={busy} onClick={() => onAsk(text)}>
                {text}
              </button>
            ) : (
              <a
                href={formatRoute({
                  ...{ room: "read", document: id, start, end: start + text.length, version, quote: text },
                  ...{ domain: answer.domain, tenant: asked.tenant ?? null },
                })}
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

function isQuestion(heading: string): boolean {
  return heading.endsWith("?");
}

export interface TurnViewProps {
  readonly turn: Turn;
  /** Whether any question is running. */
  readonly busy: boolean;
  readonly api: Pick<Api, "get">;
  /** Whoever reads may approve, flag and correct answers. */
  readonly mayReview: boolean;
  /** How often one has been in another room since it was given: documents may have changed there. */
  readonly returns: number;
  /** Nothing was asked after it. */
  readonly last: boolean;
  readonly onAsk: (question: string, how: AskedHow) => void;
  /** Puts the question into the box, to be changed and asked again. */
  readonly onEdit: (question: string) => void;
  readonly onRate: (answer: WireAnswer, verdict: Verdict, reason?: string) => Promise<void>;
  readonly ref: Ref<HTMLElement> | null;
}

/** A question with its answer, its sources, or why there is none. */
export const TurnView = memo(function TurnView({ turn, busy, api, mayReview, returns, last, onAsk, onEdit, onRate, ref }: TurnViewProps) {
  const [open, setOpen] = useState<number | null>(null);
  const [pointed, setPointed] = useState<readonly number[] | null>(null);
  const cameFrom = useRef<HTMLElement | null>(null);
  const { id, question, asked, status, sentences, citations } = turn;
  const answer = status.type === "answered" ? status.answer : null;
  // A greeting, or somebody in distress: nothing stands beside the one line, not what was made of it either.
  const plain = answer?.refusal ? isOneLine(answer.refusal.reason) : false;
  const columns = useRef<HTMLDivElement>(null);
  const states = useCitationStates(api, answer, { round: turn.isOld === true || returns > 0 ? returns : null, place: columns });
  const active = pointed ?? (open === null ? [] : [open]);

  const openSource = useCallback((n: number, from: HTMLElement) => {
    cameFrom.current = from;
    setOpen(n);
  }, []);

  const goBack = useCallback(() => {
    setOpen(null);
    setPointed(null);
    cameFrom.current?.focus();
  }, []);

  const read = useCallback(
    ({ document_id: document, start, end, document_version: version, quote }: WireCitation) => {
      const place = { document, start, end, version, quote };
      goTo({ room: "read", ...place, domain: answer?.domain ?? asked.domain ?? null, tenant: asked.tenant ?? null });
    },
    [answer, asked],
  );

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
      <p className="question-row">
        {asked.selection === undefined ? null : <span className="tag">only the selected text was searched</span>}
        {asked.detail === "more" ? <span className="tag">more detail</span> : null}
        <button type="button" className="link-button" onClick={() => onEdit(question)}>
          Edit question
        </button>
        {status.type === "running" ? <StageLine stage={status.stage} /> : null}
      </p>
      <div className="turn-columns" ref={columns}>
        <div className="turn-main">
          <div className="answer" aria-live="polite" aria-relevant="additions">
            <AnswerText
              number={id}
              sentences={sentences}
              citations={citations}
              claims={answer?.claims ?? []}
              checks={answer?.checks ?? []}
              warnings={answer === null ? turn.warnings : []}
              spans={answer?.answer_spans ?? []}
              states={states}
              active={active}
              open={open}
              onOpen={openSource}
              onPoint={setPointed}
              sourceId={(n) => sourceId(id, n)}
            />
          </div>
          {answer?.refusal ? (
            <RefusalView number={id} refusal={answer.refusal} scope={{ domain: answer.domain, tenant: asked.tenant ?? null }} />
          ) : null}
          {answer !== null && answer.refusal === null && sentences.length === 0 ? <p>{describeEmpty(answer)}</p> : null}
          {answer?.see_also ? <SeeAlso seeAlso={answer.see_also} /> : null}
          {answer === null || plain ? null : <AnswerSummary answer={answer} states={states} />}
          <Incomplete status={status} shown={sentences.length} busy={busy} onRetry={() => onAsk(question, asked)} />
          {answer === null ? null : <ConflictList number={id} conflicts={answer.conflicts} />}
          {answer?.web === undefined ? null : <WebList web={answer.web} />}
          <Messages
            warnings={turn.warnings.filter((one) => one.sentence === undefined && !isUrgent(one) && !isShownElsewhere(one))}
            notices={plain ? [] : turn.notices.filter((one) => !isTechnical(one))}
          />
          {answer === null || plain ? null : <Feedback number={id} onRate={(verdict, reason) => onRate(answer, verdict, reason)} />}
          {answer === null || plain ? null : (
            <AnswerActions
              answer={answer}
              busy={busy}
              mayReview={mayReview}
              onMore={answer.refusal === null && asked.detail !== "more" ? () => onAsk(question, { ...asked, detail: "more" }) : null}
              onRetry={() => onAsk(question, asked)}
            />
          )}
        </div>
        {citations.length === 0 ? null : (
          <SourceList
            number={id}
            citations={citations}
            states={states}
            active={active}
            open={open}
            onOpen={setOpen}
            onPoint={setPointed}
            onBack={goBack}
            onRead={read}
            sourceId={(n) => sourceId(id, n)}
          />
        )}
        {/* They come when the answer stands: after the sources, so that these stay where they are. */}
        {last && answer !== null && firstStands(turn, states) ? (
          <FollowUps api={api} answer={answer} asked={asked} busy={busy} onAsk={(next) => onAsk(next, asked)} />
        ) : null}
      </div>
      <p className="visually-hidden" role="status">
        {announce(turn)}
      </p>
    </article>
  );
});

/** Whether the first quote's document is there still, to be read on: of an answer of an earlier visit that is asked first. */
function firstStands({ citations: [first], isOld }: Turn, states: ReadonlyMap<number, CitationState>): boolean {
  if (first === undefined) return false;
  const state = states.get(first.n);
  return state === undefined ? isOld !== true : state.now?.document_id === first.document_id;
}

/** What must be read before the answer. */
function isUrgent({ code }: { readonly code: string }): boolean {
  return code === "hotline" || code === "read_as";
}

function sourceId(turn: number, n: number): string {
  return `turn-${turn}-source-${n}`;
}

/** Stands beside the question: below the sentences it would move with each of them. */
function StageLine({ stage }: { readonly stage: string | null }) {
  return (
    <span className="stage-line" data-testid="stage">
      <span className="stage-dot" aria-hidden="true" />
      {stage === null ? "Asking" : describeStage(stage)}…
    </span>
  );
}

/** An answer without sentences that is no refusal. */
function describeEmpty({ status, answer_plain }: WireAnswer): string {
  if (answer_plain !== "") return answer_plain;
  return status === "error" ? "The answer could not be completed: the warnings say why." : "The answer is empty.";
}

/** One line for those who hear the page, when something has ended. */
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
