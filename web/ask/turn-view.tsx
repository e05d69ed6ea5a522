import { type Ref, useCallback, useRef, useState } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { describeStage, formatCount } from "../format.ts";
import { Account } from "./account.tsx";
import { AnswerSummary } from "./answer-summary.tsx";
import { AnswerText } from "./answer-text.tsx";
import { ConflictList } from "./conflict-list.tsx";
import type { Turn } from "./conversation/state.ts";
import { Feedback, type Verdict } from "./feedback.tsx";
import { Incomplete } from "./incomplete.tsx";
import { Messages } from "./messages.tsx";
import { isOneLine, RefusalView } from "./refusal-view.tsx";
import { SeeAlso } from "./see-also.tsx";
import { SourceList } from "./source-list.tsx";
import { WebList } from "./web-list.tsx";

export interface TurnViewProps {
  readonly turn: Turn;
  /** Whether any question is running. */
  readonly busy: boolean;
  readonly onRetry: (question: string) => void;
  readonly onRate: (answer: WireAnswer, verdict: Verdict, reason?: string) => Promise<void>;
  readonly ref: Ref<HTMLElement> | null;
}

/** A question with its answer, its sources, or why there is none. */
export function TurnView({ turn, busy, onRetry, onRate, ref }: TurnViewProps) {
  const [open, setOpen] = useState<number | null>(null);
  const [pointed, setPointed] = useState<readonly number[] | null>(null);
  const cameFrom = useRef<HTMLElement | null>(null);
  const { id, question, status, sentences, citations } = turn;
  const answer = status.type === "answered" ? status.answer : null;
  const plain = answer?.refusal ? isOneLine(answer.refusal.reason) : false;
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

  return (
    <article className="turn" ref={ref} aria-labelledby={`question-${id}`} aria-busy={status.type === "running"}>
      <div className="urgent">
        <Messages warnings={turn.warnings.filter(isUrgent)} notices={[]} onAsk={onRetry} />
      </div>
      <h2 id={`question-${id}`} className="question">
        {question}
      </h2>
      <div className="turn-columns">
        <div className="turn-main">
          <div className="answer" aria-live="polite" aria-relevant="additions">
            <AnswerText
              sentences={sentences}
              citations={citations}
              claims={answer?.claims ?? []}
              active={active}
              open={open}
              onOpen={openSource}
              onPoint={setPointed}
              sourceId={(n) => sourceId(id, n)}
            />
          </div>
          {status.type === "running" ? <StageLine stage={status.stage} /> : null}
          {answer?.refusal ? <RefusalView refusal={answer.refusal} /> : null}
          {answer !== null && answer.refusal === null && sentences.length === 0 ? <p>{describeEmpty(answer)}</p> : null}
          {answer?.see_also ? <SeeAlso seeAlso={answer.see_also} /> : null}
          {answer === null || plain ? null : <AnswerSummary answer={answer} />}
          <Incomplete status={status} shown={sentences.length} busy={busy} onRetry={() => onRetry(question)} />
          {answer === null ? null : <ConflictList conflicts={answer.conflicts} />}
          {answer?.web === undefined ? null : <WebList web={answer.web} />}
          <Messages warnings={turn.warnings.filter((one) => !isUrgent(one))} notices={turn.notices.filter((one) => !isUnbuilt(one))} />
          {answer === null || plain ? null : <Feedback onRate={(verdict, reason) => onRate(answer, verdict, reason)} />}
          {answer === null || plain ? null : <Account answer={answer} stages={turn.stages} unbuilt={turn.notices.filter(isUnbuilt)} />}
        </div>
        {citations.length === 0 ? null : (
          <SourceList
            citations={citations}
            active={active}
            open={open}
            onOpen={setOpen}
            onPoint={setPointed}
            onBack={goBack}
            sourceId={(n) => sourceId(id, n)}
          />
        )}
      </div>
      <p className="visually-hidden" role="status">
        {announce(turn)}
      </p>
    </article>
  );
}

/** A hotline's text stands before everything else. */
/** What must be read before the answer. */
function isUrgent({ code }: { readonly code: string }): boolean {
  return code === "hotline" || code === "read_as";
}

/** What the profile names and this build lacks belongs to the account of how the answer was made. */
function isUnbuilt({ code }: { readonly code: string }): boolean {
  return code === "not_built";
}

function sourceId(turn: number, n: number): string {
  return `turn-${turn}-source-${n}`;
}

function StageLine({ stage }: { readonly stage: string | null }) {
  return (
    <p className="stage-line" data-testid="stage">
      <span className="stage-dot" aria-hidden="true" />
      {stage === null ? "Asking" : describeStage(stage)}…
    </p>
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
    case "failed":
      return `Failed: ${status.failure.message}`;
  }
}
