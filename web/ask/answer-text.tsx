import type { WireAnswer, WireCitation } from "../../src/client/index.ts";
import { cutText } from "../kit/cut-text.ts";
import { Recognised } from "../kit/message.tsx";
import { numbered } from "../kit/numbered.ts";
import { ScrollTable } from "../kit/table.tsx";
import { type AnswerBlock, type Line, type PlacedSentence, toBlocks } from "./answer-blocks.ts";
import type { CitationLinks } from "./citation-links.ts";
import type { ShownSentence } from "./conversation/state.ts";
import { checkInWords, claimInWords, lossInWords } from "./plain-words.ts";
import type { CitationState } from "./use-citation-states.ts";

export interface AnswerTextProps extends CitationLinks {
  readonly sentences: readonly ShownSentence[];
  readonly citations: readonly WireCitation[];
  readonly claims: WireAnswer["claims"];
  readonly checks: WireAnswer["checks"];
  /** Warnings of a running answer, which has no claims and checks yet; empty once it is complete. */
  readonly warnings: readonly WireAnswer["warnings"][number][];
  /** Spans of the sentences that answer the question. */
  readonly spans: NonNullable<WireAnswer["answer_spans"]>;
  /** Current states of the quotes by citation number. */
  readonly states: ReadonlyMap<number, CitationState>;
  /** 1-based number of the turn. */
  readonly number: number;
}

/** Renders the sentences with a check mark and their sources; lists and tables keep their form. */
export function AnswerText({ sentences, citations, claims, checks, warnings, spans, states, number, ...links }: AnswerTextProps) {
  const props = { citations, links, spans, doubts: (one: PlacedSentence) => doubtsAt(one, { claims, checks, warnings, states }) };
  return toBlocks(sentences, citations).map((block, i) => {
    // Blocks are only appended, so the first sentence and line of a block identify it.
    if (block.type === "table")
      return <TableBlock key={block.rows[0]?.sentence.index} label={`Table ${i + 1} of answer ${number}`} block={block} {...props} />;
    const Item = block.type === "list" ? "li" : "p";
    const lines = block.lines.map((line) => (
      <Item key={keyOf(line)} {...pointing(line.sentence, links)}>
        <Mark doubts={props.doubts(line.sentence)} />
        <SpannedText text={line.text} from={line.from} spans={spansOf(line.sentence, spans)} />
        {line.isLast ? <After sentence={line.sentence} {...props} /> : null}
      </Item>
    ));
    return block.type === "text" ? (
      lines
    ) : (
      <ul key={block.lines.slice(0, 1).map(keyOf).join()} className="answer-list">
        {lines}
      </ul>
    );
  });
}

function keyOf({ sentence, from }: Line): string {
  return `${sentence.index} ${from}`;
}

interface Shared {
  readonly citations: readonly WireCitation[];
  readonly links: CitationLinks;
  readonly spans: AnswerTextProps["spans"];
  readonly doubts: (sentence: PlacedSentence) => readonly string[];
}

function spansOf({ index }: PlacedSentence, spans: AnswerTextProps["spans"]) {
  return spans.filter((span) => span.sentence === index);
}

function TableBlock({ label, block, ...props }: Shared & { readonly label: string; readonly block: AnswerBlock & { type: "table" } }) {
  const { columns, caption, rows } = block;
  return (
    <figure>
      {caption === null ? null : <figcaption>{caption}</figcaption>}
      <ScrollTable
        label={label}
        columns={[...columns, "Source"]}
        rows={rows.map(({ cells, sentence }) => ({
          key: sentence.index,
          props: pointing(sentence, props.links),
          cells: [
            ...numbered(cells).map(({ place, item }) => <Cell key={place} text={item} sentence={sentence} spans={props.spans} />),
            <span key="source" className="table-source">
              <Mark doubts={props.doubts(sentence)} />
              <After sentence={sentence} {...props} short />
            </span>,
          ],
        }))}
      />
    </figure>
  );
}

/** Highlights a cell only if its text occurs once in the row; otherwise its offset in the row is ambiguous. */
function Cell({ text, sentence, spans }: Pick<Shared, "spans"> & { readonly text: string; readonly sentence: PlacedSentence }) {
  const at = sentence.text.indexOf(text);
  const isOnce = text !== "" && at >= 0 && sentence.text.indexOf(text, at + 1) < 0;
  return <SpannedText text={text} from={Math.max(0, at)} spans={isOnce ? spansOf(sentence, spans) : []} />;
}

function After({
  sentence,
  citations,
  links,
  doubts,
  short = false,
}: Shared & { readonly sentence: PlacedSentence; readonly short?: boolean }) {
  const cited = sentence.citations.flatMap((n) => citations.filter((citation) => citation.n === n));
  const found = doubts(sentence);
  return (
    <>
      <CitationChips citations={cited} short={short} {...links} />
      {cited.some(({ original }) => original.recognised === true) ? <Recognised /> : null}
      {found.map((text) => (
        <span key={text} className="doubt">
          {text}
        </span>
      ))}
    </>
  );
}

function pointing({ citations }: PlacedSentence, { active, onPoint }: CitationLinks) {
  return {
    className: citations.some((n) => active.includes(n)) ? "sentence is-active" : "sentence",
    onPointerEnter: () => onPoint(citations),
    onPointerLeave: () => onPoint(null),
  };
}

/** Shows a tick, or a doubt mark: every sentence was checked before it was shown. */
function Mark({ doubts }: { readonly doubts: readonly string[] }) {
  const label = doubts.length === 0 ? claimInWords("supported") : "Checked, with a warning";
  return (
    <svg
      className={doubts.length === 0 ? "mark" : "mark is-doubt"}
      viewBox="0 0 12 12"
      width="12"
      height="12"
      role="img"
      aria-label={label}
    >
      <path
        d={doubts.length === 0 ? "M2 6.5 5 9.5 10.5 2.5" : "M6 1.5v5.5M6 9.4v1.1"}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
      />
    </svg>
  );
}

type DoubtSources = Pick<AnswerTextProps, "claims" | "checks" | "warnings" | "states">;

function doubtsAt({ index, citations }: PlacedSentence, { claims, checks, warnings, states }: DoubtSources): readonly string[] {
  const told = warnings.filter(({ sentence }) => sentence === index).map(({ message }) => message);
  const claim = claims.find(({ sentence, status }) => sentence === index && status !== "supported");
  const found = checks.filter(({ sentence, verdict }) => sentence === index && (verdict === "warn" || verdict === "fail"));
  const lost = citations.flatMap((n) => lossInWords(states.get(n)?.state) ?? []);
  return [...new Set([...lost, ...told, ...(claim === undefined ? [] : [claimInWords(claim.status)]), ...found.map(checkInWords)])];
}

interface CitationChipsProps extends CitationLinks {
  readonly citations: readonly WireCitation[];
  /** Shows numbers without titles, where the title is elsewhere. */
  readonly short: boolean;
}

/** Groups the sources of a sentence into one chip per document with a button per quote. */
function CitationChips({ citations, short, open, onOpen, onPoint, sourceId }: CitationChipsProps) {
  const byDocument = Map.groupBy(citations, ({ document_id: id }) => id);
  return [...byDocument].map(([id, quotes]) => (
    <span key={id} className="chip">
      {short ? null : <span className="chip-title">{quotes[0]?.title}</span>}
      {quotes.map(({ n, title, page }) => (
        <button
          key={n}
          type="button"
          className="citation"
          aria-label={`Source ${n}: show the quote in ${title}${page === null || page === undefined ? "" : `, page ${page}`}`}
          aria-expanded={open === n}
          aria-controls={sourceId(n)}
          onClick={(event) => onOpen(n, event.currentTarget)}
          onFocus={() => onPoint([n])}
          onBlur={() => onPoint(null)}
        >
          {n}
        </button>
      ))}
    </span>
  ));
}

interface SpannedTextProps {
  readonly text: string;
  /** Offset of the text in the sentence that the spans refer to. */
  readonly from: number;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** Renders a text with its answer spans in bold. */
function SpannedText({ text, from, spans }: SpannedTextProps) {
  const inside = spans.filter(({ start, end }) => start >= from && end <= from + text.length);
  return cutText(text, from, inside).map(({ start, text: piece, over }) =>
    over.length === 0 ? (
      piece
    ) : (
      <strong key={start} className="answer-span">
        {piece}
      </strong>
    ),
  );
}
