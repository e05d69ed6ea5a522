import type { WireAnswer } from "../../src/client/index.ts";
import { formatCount, formatDate } from "../format.ts";
import { Explained } from "../kit/explained.tsx";
import { confidenceInWords, lossInWords } from "./plain-words.ts";
import type { CitationState } from "./use-citation-states.ts";

export interface AnswerSummaryProps {
  readonly answer: WireAnswer;
  /** What became of its quotes since, by number. */
  readonly states: ReadonlyMap<number, CitationState>;
}

/** One line: how sure it is, what the answer rests on, and whether it was made for this question. */
export function AnswerSummary({ answer, states }: AnswerSummaryProps) {
  const { label, meaning } = confidenceInWords(answer);
  const lost = answer.citations.filter(({ n }) => lossInWords(states.get(n)?.state) !== null).length;
  // A person has judged what a reviewer wrote.
  const isJudged = answer.refusal === null && answer.cache_mode !== "curated";
  return (
    <div className="summary">
      {isJudged ? (
        <span>
          <Explained label={label} title="How sure is this?">
            <p>{meaning}</p>
          </Explained>
        </span>
      ) : null}
      {answer.refusal === null ? <span>{describeSources(answer)}</span> : null}
      {answer.refusal === null ? <span>{describeClaims(answer.claims)}</span> : null}
      {lost === 0 ? null : <span className="doubt">{`${formatCount(lost, "quote")} changed or gone since`}</span>}
      {answer.cache_mode === "miss" ? null : (
        <span>
          <Explained label={answer.cache_mode === "curated" ? "Written by a reviewer" : "Answered before"} title="Where this comes from">
            <p>{describeMemory(answer)}</p>
          </Explained>
        </span>
      )}
    </div>
  );
}

function describeMemory({ cache_mode: mode, cached }: WireAnswer): string {
  const since = cached === undefined ? "" : ` on ${formatDate(cached.stored_at.slice(0, 10))}`;
  if (mode === "curated") return `A reviewer wrote this answer${since}. It is bound to the documents like every other.`;
  const asked = cached?.question ? ` The question was: “${cached.question}”.` : "";
  return `The same was asked before${since}.${asked} The answer was checked again on today's documents.`;
}

function describeSources({ citations }: WireAnswer): string {
  const documents = new Set(citations.map(({ document_id }) => document_id)).size;
  return `${formatCount(citations.length, "quote")} from ${formatCount(documents, "document")}`;
}

function describeClaims(claims: WireAnswer["claims"]): string {
  if (claims.length === 0) return "nothing was checked";
  const supported = claims.filter(({ status }) => status === "supported").length;
  if (supported === claims.length) return "every sentence checked";
  return `${supported} of ${claims.length} sentences carried by their source`;
}
