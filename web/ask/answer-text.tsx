import type { WireAnswer, WireCitation } from "../../src/client/index.ts";
import { cutText } from "../kit/cut-text.ts";
import { Recognised } from "../kit/message.tsx";
import { numbered } from "../kit/numbered.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { linesOf, type PlacedSentence, type TextPart, toBlocks } from "./answer-blocks.ts";
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
  return toBlocks(sentences, citations).map((block) => {
    switch (block.type) {
      case "text":
        return <Paragraph key={firstOf(block)} sentence={block.sentences[0]} {...props} />;
      case "list":
        return (
          <ul key={firstOf(block)} className="answer-list">
            {block.sentences.map((sentence) => (
              <ListItems key={sentence.index} sentence={sentence} {...props} />
            ))}
          </ul>
        );
      case "parts":
        return <Parts key={firstOf(block)} block={block} {...props} />;
      default:
        return <TableBlock key={firstOf(block)} number={number} block={block} {...props} />;
    }
  });
}

type AnswerBlock = ReturnType<typeof toBlocks>[number];

/** Returns a block's key: the index of its first sentence, which is stable because sentences are only appended. */
function firstOf(block: AnswerBlock): number {
  return (block.type === "table" ? block.rows[0]?.sentence.index : block.sentences[0]?.index) ?? -1;
}

interface Shared {
  readonly citations: readonly WireCitation[];
  readonly links: CitationLinks;
  readonly spans: AnswerTextProps["spans"];
  readonly doubts: (sentence: PlacedSentence) => readonly string[];
}

function Paragraph({ sentence, ...props }: Shared & { readonly sentence: PlacedSentence }) {
  return (
    <p {...pointing(sentence, props.links)}>
      <Mark doubts={props.doubts(sentence)} />
      <SpannedText text={sentence.text} from={0} spans={spansOf(sentence, props)} />
      <After sentence={sentence} {...props} />
    </p>
  );
}

function spansOf({ index }: PlacedSentence, { spans }: Pick<Shared, "spans">) {
  return spans.filter((span) => span.sentence === index);
}

/** Renders a quote of one or more list items; the sources follow the last item. */
function ListItems({ sentence, ...props }: Shared & { readonly sentence: PlacedSentence }) {
  const lines = linesOf(sentence.text, 0);
  return lines.map(({ text, from }) => (
    <li key={from} {...pointing(sentence, props.links)}>
      <Line text={text} from={from} sentence={sentence} isLast={from === lines.at(-1)?.from} {...props} />
    </li>
  ));
}

/** Renders a quote that has several paragraphs or introduces its list. */
function Parts({ block, ...props }: Shared & { readonly block: AnswerBlock & { type: "parts" } }) {
  const { parts, sentences } = block;
  const [sentence] = sentences;
  const last = parts.at(-1)?.lines.at(-1)?.from;
  const Shown = ({ line: { text, from } }: { readonly line: TextPart["lines"][number] }) => (
    <Line text={text} from={from} sentence={sentence} isLast={from === last} {...props} />
  );
  return parts.map(({ lines }) => {
    const [first] = lines;
    if (first === undefined) return null;
    if (lines.length === 1)
      return (
        <p key={first.from} {...pointing(sentence, props.links)}>
          <Shown line={first} />
        </p>
      );
    return (
      <ul key={first.from} className="answer-list">
        {lines.map((line) => (
          <li key={line.from} {...pointing(sentence, props.links)}>
            <Shown line={line} />
          </li>
        ))}
      </ul>
    );
  });
}

interface LineProps extends Shared {
  readonly text: string;
  /** Offset of the line in the sentence, in characters. */
  readonly from: number;
  readonly sentence: PlacedSentence;
  readonly isLast: boolean;
}

function Line({ text, from, sentence, isLast, ...props }: LineProps) {
  return (
    <>
      <Mark doubts={props.doubts(sentence)} />
      <SpannedText text={text} from={from} spans={spansOf(sentence, props)} />
      {isLast ? <After sentence={sentence} {...props} /> : null}
    </>
  );
}

function TableBlock({ number, block, ...props }: Shared & { readonly number: number; readonly block: AnswerBlock & { type: "table" } }) {
  const { columns, caption, rows } = block;
  return (
    <figure className="table-figure">
      {caption === null ? null : <figcaption>{caption}</figcaption>}
      <ScrollRegion className="answer-table" aria-label={`Table ${firstOf(block) + 1} of answer ${number}`}>
        <table>
          <thead>
            <tr>
              {numbered(columns).map(({ place, item }) => (
                <th key={place} scope="col">
                  {item}
                </th>
              ))}
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ cells, sentence }) => (
              <tr key={sentence.index} {...pointing(sentence, props.links)}>
                {numbered(cells).map(({ place, item }) => (
                  <td key={place}>
                    <Cell text={item} sentence={sentence} {...props} />
                  </td>
                ))}
                <td className="table-source">
                  <Mark doubts={props.doubts(sentence)} />
                  <After sentence={sentence} {...props} short />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </figure>
  );
}

/** Highlights a cell only if its text occurs once in the row; otherwise its offset in the row is ambiguous. */
function Cell({ text, sentence, ...props }: Shared & { readonly text: string; readonly sentence: PlacedSentence }) {
  const at = sentence.text.indexOf(text);
  const isOnce = text !== "" && at >= 0 && sentence.text.indexOf(text, at + 1) < 0;
  return <SpannedText text={text} from={Math.max(0, at)} spans={isOnce ? spansOf(sentence, props) : []} />;
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
