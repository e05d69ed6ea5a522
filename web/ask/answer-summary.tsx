import type { WireAnswer } from "../../src/client/index.ts";
import { formatConfidence, formatCount } from "../format.ts";

export interface AnswerSummaryProps {
  readonly answer: WireAnswer;
}

/** One line: what the answer rests on, what was checked, and how far its confidence can be trusted. */
export function AnswerSummary({ answer }: AnswerSummaryProps) {
  return (
    <p className="summary">
      {answer.refusal === null ? <span>{describeSources(answer)}</span> : null}
      {answer.refusal === null ? <span>{describeClaims(answer.claims)}</span> : null}
      {answer.cache_mode === "miss" ? null : (
        <span>{answer.cache_mode === "curated" ? "written by a reviewer" : `from the ${answer.cache_mode} cache`}</span>
      )}
      <span>{formatConfidence(answer)}</span>
    </p>
  );
}

function describeSources({ citations }: WireAnswer): string {
  const documents = new Set(citations.map(({ document_id }) => document_id)).size;
  return `${formatCount(citations.length, "quote")} from ${formatCount(documents, "document")}`;
}

function describeClaims(claims: WireAnswer["claims"]): string {
  if (claims.length === 0) return "no claim was checked";
  const supported = claims.filter(({ status }) => status === "supported").length;
  if (supported === claims.length) return claims.length === 1 ? "the sentence is supported" : `all ${claims.length} sentences supported`;
  return `${supported} of ${claims.length} sentences supported`;
}
