import { Fragment } from "react";
import type { WireAnswer, WireCitation } from "../../src/client/index.ts";
import { type PlacedSentence, toBlocks } from "./answer-blocks.ts";
import { CitationChips } from "./citation-chips.tsx";
import type { CitationLinks } from "./citation-links.ts";
import type { ShownSentence } from "./conversation/state.ts";
import { checkInWords, claimInWords } from "./plain-words.ts";

export interface AnswerTextProps extends CitationLinks {
  readonly sentences: readonly ShownSentence[];
  readonly citations: readonly WireCitation[];
  readonly claims: WireAnswer["claims"];
  readonly checks: WireAnswer["checks"];
  /** Number of the question in its conversation. */
  readonly number: number;
}

/** The sentences with their sources and a mark that each was checked; lists as lists, tables as tables. */
export function AnswerText({ sentences, citations, claims, checks, number, ...links }: AnswerTextProps) {
  const doubts = (index: number) => doubtsAt(index, claims, checks);
  const props = { citations, links, doubts };
  return toBlocks(sentences, citations).map((block, at) => {
    switch (block.type) {
      case "text":
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sentences are appended and never move
          <p key={at} {...pointing(block.sentences[0], links)}>
            <Mark doubts={doubts(block.sentences[0].index)} />
            {block.sentences[0].text}
            <After sentence={block.sentences[0]} {...props} />
          </p>
        );
      case "list":
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sentences are appended and never move
          <ul key={at} className="answer-list">
            {block.sentences.map((sentence) => (
              <ListItems key={sentence.index} sentence={sentence} {...props} />
            ))}
          </ul>
        );
      default:
        // biome-ignore lint/suspicious/noArrayIndexKey: sentences are appended and never move
        return <TableBlock key={at} name={`Table ${at + 1} of answer ${number}`} block={block} {...props} />;
    }
  });
}

interface Shared {
  readonly citations: readonly WireCitation[];
  readonly links: CitationLinks;
  readonly doubts: (index: number) => readonly string[];
}

/** One quote may hold several items; its sources stand after the last of them. */
function ListItems({ sentence, ...props }: Shared & { readonly sentence: PlacedSentence }) {
  const lines = sentence.text.split("\n");
  return lines.map((line, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a quote never changes
    <li key={i} {...pointing(sentence, props.links)}>
      <Mark doubts={props.doubts(sentence.index)} />
      {line}
      {i === lines.length - 1 ? <After sentence={sentence} {...props} /> : null}
    </li>
  ));
}

function TableBlock({
  name,
  block,
  ...props
}: Shared & { readonly name: string; readonly block: ReturnType<typeof toBlocks>[number] & { type: "table" } }) {
  const { columns, caption, rows } = block;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section className="answer-table" tabIndex={0} aria-label={name}>
      <table>
        {caption === null ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
              <th key={i} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cells, sentence }) => (
            <tr key={sentence.index} {...pointing(sentence, props.links)}>
              {cells.map((text, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a row never changes
                <td key={i}>{text}</td>
              ))}
              <td className="table-source">
                <Mark doubts={props.doubts(sentence.index)} />
                <After sentence={sentence} {...props} short />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function After({
  sentence,
  citations,
  links,
  doubts,
  short = false,
}: Shared & { readonly sentence: PlacedSentence; readonly short?: boolean }) {
  const cited = sentence.citations.flatMap((n) => citations.filter((citation) => citation.n === n));
  const found = doubts(sentence.index);
  return (
    <Fragment>
      <CitationChips citations={cited} short={short} {...links} />
      {found.map((text) => (
        <span key={text} className="doubt">
          {text}
        </span>
      ))}
    </Fragment>
  );
}

function pointing({ citations }: PlacedSentence, { active, onPoint }: CitationLinks) {
  return {
    className: citations.some((n) => active.includes(n)) ? "sentence is-active" : "sentence",
    onPointerEnter: () => onPoint(citations),
    onPointerLeave: () => onPoint(null),
  };
}

/** Every sentence was checked before it was shown; a doubt is told where it stands. */
function Mark({ doubts }: { readonly doubts: readonly string[] }) {
  const label = doubts.length === 0 ? claimInWords("supported") : "Checked, with a doubt";
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

function doubtsAt(index: number, claims: WireAnswer["claims"], checks: WireAnswer["checks"]): readonly string[] {
  const claim = claims.find(({ sentence, status }) => sentence === index && status !== "supported");
  const found = checks.filter(({ sentence, verdict }) => sentence === index && (verdict === "warn" || verdict === "fail"));
  return [...new Set([...(claim === undefined ? [] : [claimInWords(claim.status)]), ...found.map(checkInWords)])];
}
