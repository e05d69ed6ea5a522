import type { WireAnswer, WireCitation } from "../../src/client/index.ts";
import type { ShownSentence } from "./conversation/state.ts";

export interface AnswerTextProps extends CitationLinks {
  readonly sentences: readonly ShownSentence[];
  readonly citations: readonly WireCitation[];
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
export function AnswerText({ sentences, citations, claims, ...links }: AnswerTextProps) {
  return sentences.map((sentence, index) => {
    const doubt = claims.find((claim) => claim.sentence === index && claim.status !== "supported");
    // biome-ignore lint/suspicious/noArrayIndexKey: sentences are appended and never move
    return <Sentence key={index} sentence={sentence} row={rowOf(sentence, citations)} doubt={doubt} {...links} />;
  });
}

/** The row of a table that a sentence quotes, to be shown by its header. */
function rowOf({ text, citations: [n, ...others] }: ShownSentence, citations: readonly WireCitation[]): WireCitation["row"] {
  const cited = others.length > 0 ? undefined : citations.find((citation) => citation.n === n);
  return cited?.quote === text ? cited.row : undefined;
}

function Cells({ cells, caption }: NonNullable<WireCitation["row"]>) {
  return (
    <span className="row-cells">
      {caption === undefined ? null : <span className="row-caption">{caption} </span>}
      {cells.map(({ name, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row never changes, and two columns may have the same name
        <span key={index} className="row-cell">
          {name === "" ? null : <b>{name}: </b>}
          {text}
        </span>
      ))}
    </span>
  );
}

interface SentenceProps extends CitationLinks {
  readonly sentence: ShownSentence;
  readonly row: WireCitation["row"];
  readonly doubt: WireAnswer["claims"][number] | undefined;
}

function Sentence({ sentence: { text, citations }, row, doubt, active, open, onOpen, onPoint, sourceId }: SentenceProps) {
  const highlighted = citations.some((n) => active.includes(n));
  return (
    <p
      className={highlighted ? "sentence is-active" : "sentence"}
      onPointerEnter={() => onPoint(citations)}
      onPointerLeave={() => onPoint(null)}
    >
      {row === undefined ? text : <Cells {...row} />}
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
