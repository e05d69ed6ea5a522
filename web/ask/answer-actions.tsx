import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { linesOfWire, lineText, type WireAnswer } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { formatDate } from "../format.ts";
import { Button, Popover } from "../kit/controls.tsx";
import { Alert } from "../kit/message.tsx";

type Verdict = "up" | "down";

/** The user's rating; `null`: none yet. */
type Rating = { readonly verdict: Verdict } & (
  | { readonly type: "sending" }
  | { readonly type: "kept"; readonly reason: boolean }
  | { readonly type: "failed"; readonly message: string }
);

const ReasonForm = lazy(() => import("./reason-form.tsx"));

interface AnswerActionsProps {
  /** Number of the turn, from 1. It makes labels unique among all answers on the page. */
  readonly number: number;
  readonly answer: WireAnswer;
  readonly busy: boolean;
  /** Asks for a longer answer; `null`: the button is hidden. */
  readonly onMore: (() => void) | null;
  readonly onRetry: () => void;
}

/** The actions of an answer in one row. “More” shows the remaining actions. After a click on “Wrong”, a field for the reason appears. */
export function AnswerActions({ number, answer, busy, onMore, onRetry }: AnswerActionsProps) {
  const { api, roles } = useAccount();
  const [rating, setRating] = useState<Rating | null>(null);
  const [telling, setTelling] = useState(false);
  const [copied, setCopied] = useState("");
  const down = useRef<HTMLButtonElement>(null);
  const link = () => `${window.location.origin}${window.location.pathname}${formatRoute({ room: "answer", id: answer.id })}`;
  const copy = (text: string, copied: string) =>
    navigator.clipboard === undefined
      ? setCopied("This browser allows copying only over HTTPS or on this machine.")
      : navigator.clipboard.writeText(text).then(
          () => setCopied(`${copied} copied.`),
          () => setCopied(`${copied} could not be copied. Allow this page to use the clipboard.`),
        );

  async function send(verdict: Verdict, reason?: string): Promise<boolean> {
    if (rating?.type === "sending") return false;
    const { id, session_id, domain } = answer;
    setCopied("");
    setRating({ type: "sending", verdict });
    try {
      await api.feedback({ id, verdict, domain, ...(session_id !== null && { session_id }), ...(reason !== undefined && { reason }) });
      setRating({ type: "kept", verdict, reason: reason !== undefined });
      return true;
    } catch (error) {
      setRating({ type: "failed", verdict, message: messageOf(error) });
      return false;
    }
  }

  const rate = async (verdict: Verdict) => setTelling((await send(verdict)) && verdict === "down");
  const close = () => {
    setTelling(false);
    down.current?.focus();
  };
  const rateButton = (verdict: Verdict, name: string) => (
    <button
      ref={verdict === "down" ? down : null}
      type="button"
      className="action"
      aria-pressed={rating?.verdict === verdict}
      aria-disabled={rating?.type === "sending"}
      onClick={() => rate(verdict)}
    >
      <Named icon={verdict}>{name}</Named>
    </button>
  );
  return (
    <section className="actions" aria-label={`Actions of answer ${number}`}>
      <div className="row">
        {rateButton("up", "Right")}
        {rateButton("down", "Wrong")}
        <a className="action" href={formatRoute({ room: "why", id: answer.id })}>
          <Named icon="why">{answer.refusal === null ? "Why this answer" : "Why no answer"}</Named>
        </a>
        <Button className="action" onClick={() => copy(copiedText(answer), "Answer with its sources")}>
          <Named icon="copy">Copy</Named>
        </Button>
        <Button className="action" onClick={() => copy(link(), "Link")}>
          <Named icon="share">Share</Named>
        </Button>
        {roles.includes("review") ? (
          <a className="action" href={formatRoute({ room: "review", id: answer.id })}>
            <Named icon="review">Correct it</Named>
          </a>
        ) : null}
        <Popover className="action" label={<Named icon="more">More</Named>}>
          {(closing) => (
            <div className="stack">
              {onMore === null ? null : (
                <Button {...closing} disabled={busy} onClick={onMore}>
                  More detail
                </Button>
              )}
              <Button {...closing} disabled={busy} onClick={onRetry}>
                Ask again
              </Button>
              <Button {...closing} onClick={() => window.print()}>
                Print
              </Button>
            </div>
          )}
        </Popover>
        <span role="status" className="muted">
          {copied === "" && rating?.type === "kept" ? describeKept(rating.verdict, rating.reason) : copied}
        </span>
      </div>
      <Alert text={rating?.type === "failed" ? `Not saved: ${rating.message}` : null} />
      <Suspense>
        {telling ? <ReasonForm onSend={async (reason) => (await send("down", reason)) && close()} onClose={close} /> : null}
      </Suspense>
    </section>
  );
}

function describeKept(verdict: Verdict, reason: boolean): string {
  if (verdict === "up") return "Thank you. The answer was rated as correct.";
  return reason ? "Thank you. Your reason was saved for review." : "Thank you. Your rating was saved for review.";
}

/** SVG paths of the icons: outlines on a grid of 16 × 16 units. */
const PATHS = {
  up: "M5 7.2 8 1.8c1 0 1.7.8 1.6 1.8L9.3 6h3.4c.9 0 1.5.8 1.3 1.7l-1 4.6c-.1.7-.7 1.2-1.4 1.2H5zM2 7.2h3v6.3H2z",
  down: "M5 8.8 8 14.2c1 0 1.7-.8 1.6-1.8L9.3 10h3.4c.9 0 1.5-.8 1.3-1.7l-1-4.6c-.1-.7-.7-1.2-1.4-1.2H5zM2 8.8h3V2.5H2z",
  why: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.5M8 4.8v.9",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  share: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  review: "M3 13l.6-2.7L11 3l2 2-7.3 7.4zM9.5 4.5l2 2",
} as const;

/** An icon with the name of its action. */
function Named({ icon, children }: { readonly icon: keyof typeof PATHS; readonly children: ReactNode }) {
  return (
    <>
      <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        <path d={PATHS[icon]} fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" strokeLinecap="round" />
      </svg>
      {children}
    </>
  );
}

/** Formats an answer as plain text for the clipboard: its lines with citation numbers, then the sources. */
export function copiedText(answer: WireAnswer): string {
  const { question, citations, refusal, warnings } = answer;
  if (refusal !== null) return `${question}\n\n${refusal.message}\n${refusal.note}`.trim();
  const noteOf = ({ message }: WireAnswer["warnings"][number]) => `Note: ${message}`;
  const text = linesOfWire(answer.sentences, citations)
    .flatMap((line, i) => [
      `${lineText(line)} ${line.citations.map((n) => `[${n}]`).join("")}`.trim(),
      ...warnings.filter(({ sentence }) => sentence === i).map(noteOf),
    ])
    .join("\n");
  const notes = warnings.filter(({ sentence }) => sentence === undefined).map(noteOf);
  const sources = citations.map(({ n, title, quote, url, as_of: date, page, original }) => {
    const place = [page === null || page === undefined ? "" : `page ${page}`, date === null ? "" : `as of ${formatDate(date)}`];
    const file = [original.path, original.part].filter((part) => part !== undefined).join(", ");
    return `[${n}] ${[title, ...place].filter((part) => part !== "").join(", ")}: “${quote}” ${url ?? file}`;
  });
  return [question, text, ...(notes.length === 0 ? [] : [notes.join("\n")]), `Sources\n${sources.join("\n")}`].join("\n\n");
}
