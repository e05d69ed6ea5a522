import type { WireAnswer } from "../../src/client/index.ts";
import type { ShownSentence } from "../conversation/state.ts";

export interface AnswerTextProps extends CitationLinks {
  readonly sentences: readonly ShownSentence[];
  readonly claims: WireAnswer["claims"];
}

interface CitationLinks {
  /** Citations to highlight. */
  readonly active: readonly number[];
  /** The citation whose passage is open. */
  readonly open: number | null;
  readonly onOpen: (n: number, from: HTMLElement) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  readonly sourceId: (n: number) => string;
}

/** The sentences, each with its citation buttons and, where it is not supported, what the checks say. */
export function AnswerText({ sentences, claims, ...links }: AnswerTextProps) {
  return sentences.map((sentence, index) => {
    const doubt = claims.find((claim) => claim.sentence === index && claim.status !== "supported");
    // biome-ignore lint/suspicious/noArrayIndexKey: sentences are appended and never move
    return <Sentence key={index} sentence={sentence} doubt={doubt} {...links} />;
  });
}

interface SentenceProps extends CitationLinks {
  readonly sentence: ShownSentence;
  readonly doubt: WireAnswer["claims"][number] | undefined;
}

function Sentence({ sentence: { text, citations }, doubt, active, open, onOpen, onPoint, sourceId }: SentenceProps) {
  const highlighted = citations.some((n) => active.includes(n));
  return (
    <p
      className={highlighted ? "sentence is-active" : "sentence"}
      onPointerEnter={() => onPoint(citations)}
      onPointerLeave={() => onPoint(null)}
    >
      {text}
      {citations.map((n) => (
        <button
          key={n}
          type="button"
          className="citation"
          aria-label={`Source ${n}: show the quote`}
          aria-expanded={open === n}
          aria-controls={sourceId(n)}
          onClick={(event) => onOpen(n, event.currentTarget)}
          onFocus={() => onPoint([n])}
          onBlur={() => onPoint(null)}
        >
          [{n}]
        </button>
      ))}
      {doubt === undefined ? null : (
        <span className={`claim-status is-${doubt.status}`} title={doubt.reason}>
          {doubt.status}
        </span>
      )}
    </p>
  );
}
