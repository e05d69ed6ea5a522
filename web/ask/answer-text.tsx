import { isListItem, splitRow, type WireAnswer, type WireCitation, type WireLine } from "../../src/client/index.ts";
import { Button } from "../kit/controls.tsx";
import { cutText } from "../kit/cut-text.ts";
import { Recognised } from "../kit/message.tsx";
import { numbered, ScrollTable } from "../kit/table.tsx";
import { CLAIMS, labelCheck, labelLoss } from "./plain-words.ts";
import type { CitationLinks } from "./source-list.tsx";
import type { CitationStates } from "./use-citation-states.ts";

export interface AnswerTextProps extends CitationLinks {
  readonly lines: readonly WireLine[];
  readonly citations: readonly WireCitation[];
  readonly claims: WireAnswer["claims"];
  readonly checks: WireAnswer["checks"];
  /** Warnings of an answer that is still being written. A complete answer has claims and checks instead, so the list is empty. */
  readonly warnings: readonly WireAnswer["warnings"][number][];
  /** Ranges of text that answer the question. They are shown in bold. */
  readonly spans: NonNullable<WireAnswer["answer_spans"]>;
  readonly states: CitationStates;
  /** Number of the turn, from 1. */
  readonly number: number;
}

/**
 * Shows the lines of an answer with their sources. Consecutive list items form a list, consecutive rows a table. The cell
 * that answers is shown above the rest of its row.
 */
export function AnswerText({ lines, citations, claims, checks, warnings, spans, states, number, ...links }: AnswerTextProps) {
  const props = { citations, links, spans, doubts: (one: PlacedLine) => doubtsAt(one, { claims, checks, warnings, states }) };
  return toBlocks(lines).map((block, i) => {
    // The index of a block's first line is a stable key: while an answer is written, blocks are only added at the end.
    if (block.type === "table")
      return <TableBlock key={block.rows[0]?.index} name={`Table ${i + 1} of answer ${number}`} block={block} {...props} />;
    const Item = block.type === "list" ? "li" : "p";
    const parts = block.parts.map((part) => (
      <Item key={keyOf(part)} {...pointing(part.line, links)}>
        {Item === "p" ? <Label text={block.label} /> : null}
        <SpannedText part={part} spans={spans} />
        {part.isLast ? <After line={part.line} {...props} /> : null}
      </Item>
    ));
    if (block.type === "text") return parts;
    return (
      <div key={block.parts.slice(0, 1).map(keyOf).join()}>
        <Label text={block.label} />
        <ul className={NUMBERED.test(block.parts[0]?.text ?? "") ? "answer-list is-numbered" : "answer-list"}>{parts}</ul>
      </div>
    );
  });
}

/** Matches a list item whose text begins with its own number or letter, such as "a)". */
const NUMBERED = /^\(?[\da-z]{1,3}[.)]/i;

function keyOf({ line, from }: Part): string {
  return `${line.index} ${from}`;
}

/** Shows the heading or caption above a line. */
function Label({ text }: { readonly text: string | null }) {
  return text === null ? null : <span className="answer-label">{text} </span>;
}

interface Shared {
  readonly citations: readonly WireCitation[];
  readonly links: CitationLinks;
  readonly spans: AnswerTextProps["spans"];
  readonly doubts: (line: PlacedLine) => readonly string[];
}

/** Shows rows of a table. If some cells answer the question, only these are shown, and the rows can be unfolded below. */
function TableBlock({ name, block: { label, rows }, ...props }: Shared & { readonly name: string; readonly block: TableRows }) {
  const asked = rows.filter(({ askedCell }) => askedCell !== null);
  const [only] = asked.length === 1 ? asked : [];
  const folded = rows.filter((row) => row !== only);
  return (
    <div className="answer-rows">
      <Label text={label} />
      {asked.map((row) => (
        <AskedCell key={row.index} line={row} {...props} />
      ))}
      {only === undefined ? null : (
        <dl className="cards row-rest">
          {numbered(splitRow(only.source?.row?.cells ?? [], only.askedCell).rest).map(({ place, item }) => (
            <div key={place}>
              <dt>{item.name}</dt>
              <dd>{item.text}</dd>
            </div>
          ))}
        </dl>
      )}
      {asked.length === 0 ? <RowTable {...{ name, rows }} {...props} /> : null}
      {asked.length === 0 || folded.length === 0 ? null : (
        <details>
          <summary className="muted">{folded.length === 1 ? "1 more row" : `${folded.length} rows`} of this table</summary>
          <RowTable {...{ name, rows: folded }} {...props} />
        </details>
      )}
    </div>
  );
}

function AskedCell({ line, ...props }: Shared & { readonly line: PlacedLine }) {
  const { first } = splitRow(line.source?.row?.cells ?? [], line.askedCell);
  if (first === null) return null;
  return (
    <p {...pointing(line, props.links)}>
      {first.label}: <strong className="answer-value">{first.value}</strong> <span className="muted">{first.column}</span>
      <After line={line} {...props} />
    </p>
  );
}

function RowTable({ name, rows, ...props }: Shared & { readonly name: string; readonly rows: readonly PlacedLine[] }) {
  const columns = rows[0]?.source?.row?.cells.map((cell) => cell.name) ?? [];
  return (
    <ScrollTable
      label={name}
      columns={[...columns, "Source"]}
      rows={rows.map((line) => ({
        key: line.index,
        props: pointing(line, props.links),
        cells: [...(line.source?.row?.cells.map(({ text }) => text) ?? []), <After key="source" line={line} {...props} />],
      }))}
    />
  );
}

/** Shows the citation numbers after a line, and the warnings about the line. */
function After({ line, citations, links, doubts }: Shared & { readonly line: PlacedLine }) {
  const { open, onOpen, onPoint, sourceId } = links;
  const cited = line.citations.flatMap((n) => citations.filter((citation) => citation.n === n));
  return (
    <>
      {cited.map(({ n, title, page }) => (
        <Button
          key={n}
          className="citation"
          aria-label={`Source ${n}: show the quote in ${title}${page === null || page === undefined ? "" : `, page ${page}`}`}
          aria-expanded={open === n}
          aria-controls={sourceId(n)}
          onClick={(event) => onOpen(n, event.currentTarget)}
          onFocus={() => onPoint([n])}
          onBlur={() => onPoint(null)}
        >
          {n}
        </Button>
      ))}
      {cited.some(({ original }) => original.recognised === true) ? <Recognised /> : null}
      {doubts(line).map((text) => (
        <span key={text} className="doubt">
          {text}
        </span>
      ))}
    </>
  );
}

function pointing({ citations }: PlacedLine, { active, onPoint }: CitationLinks) {
  return {
    className: citations.some((n) => active.includes(n)) ? "sentence is-active" : "sentence",
    onPointerEnter: () => onPoint(citations),
    onPointerLeave: () => onPoint(null),
  };
}

type DoubtSources = Pick<AnswerTextProps, "claims" | "checks" | "warnings" | "states">;

function doubtsAt({ index, citations }: PlacedLine, { claims, checks, warnings, states }: DoubtSources): readonly string[] {
  const ownWarnings = warnings.filter(({ sentence }) => sentence === index).map(({ message }) => message);
  const claim = claims.find(({ sentence, status }) => sentence === index && status !== "supported");
  const found = checks.filter(({ sentence, verdict }) => sentence === index && (verdict === "warn" || verdict === "fail"));
  const lost = citations.flatMap((n) => labelLoss(states.get(n)) ?? []);
  return [...new Set([...lost, ...ownWarnings, ...(claim === undefined ? [] : [CLAIMS[claim.status]]), ...found.map(labelCheck)])];
}

/** Shows a part of a sentence, with the spans that answer in bold. Their offsets count from the start of the sentence. */
function SpannedText({ part: { text, from, line }, spans }: { readonly part: Part; readonly spans: Shared["spans"] }) {
  const inside = spans.filter(({ sentence, start, end }) => sentence === line.index && start >= from && end <= from + text.length);
  return cutText(text, from, inside).map(({ start, text: piece, over }) =>
    over.length === 0 ? (
      piece
    ) : (
      <strong key={start} className="answer-value">
        {piece}
      </strong>
    ),
  );
}

/** A line of an answer with its index in the answer. */
type PlacedLine = WireLine & { readonly index: number };

/** A paragraph, or an item of a list, that consists of a line of the answer or of a part of one. */
interface Part {
  readonly text: string;
  /** Offset of the part in the line. */
  readonly from: number;
  readonly line: PlacedLine;
  /** True for the last part of its line. The citation numbers are shown after this part. */
  readonly isLast: boolean;
}

/** Lines shown together: rows of one table, items of one list, or a paragraph. */
type AnswerBlock = TableRows | { readonly type: "text" | "list"; readonly label: string | null; readonly parts: readonly Part[] };
type TableRows = { readonly type: "table"; readonly label: string | null; readonly rows: readonly PlacedLine[] };

/** Groups lines into blocks. Consecutive rows of one table form a block, and so do consecutive list items of one document. */
export function toBlocks(lines: readonly WireLine[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  for (const [index, one] of lines.entries()) {
    const line = { ...one, index };
    const { source, label } = line;
    const [last, before] = [blocks.at(-1), lines[index - 1]?.source];
    const follows = label === null && source !== null && before?.documentId === source.documentId;
    if (source?.row !== undefined) {
      if (last?.type === "table" && follows && before?.row?.headerStart === source.row.headerStart)
        blocks[blocks.length - 1] = { ...last, rows: [...last.rows, line] };
      else blocks.push({ type: "table", label, rows: [line] });
    } else if (source !== null && (line.text.includes("\n\n") || ANNOUNCED.test(line.text))) {
      blocks.push(...partsOf(line));
    } else if (source !== null && isListItem(source)) {
      const parts = splitLines(line, line.text, 0);
      if (last?.type === "list" && follows) blocks[blocks.length - 1] = { ...last, parts: [...last.parts, ...parts] };
      else blocks.push({ type: "list", label, parts });
    } else blocks.push({ type: "text", label, parts: [{ text: line.text, from: 0, line, isLast: true }] });
  }
  return blocks;
}

/** Matches a text whose first line introduces the following ones: it ends in a colon, and no blank line follows. */
const ANNOUNCED = /^[^\n]*:[^\S\n]*\n(?!\n)/;

/** Splits a line of an answer into blocks at blank lines. A block with line breaks is a list, any other a paragraph. */
function partsOf(line: PlacedLine): AnswerBlock[] {
  let from = 0;
  return line.text.split("\n\n").flatMap((text) => {
    const parts = splitLines(line, text, from);
    from += text.length + 2;
    // The line that introduces a list is a paragraph, not an item of the list.
    const groups = ANNOUNCED.test(text) ? [parts.slice(0, 1), parts.slice(1)] : [parts];
    return groups.map((group): AnswerBlock => {
      const label = group[0]?.from === 0 ? line.label : null;
      return { type: group.length === 1 ? "text" : "list", label, parts: group };
    });
  });
}

/** Splits a text at its line breaks. @param start offset of the text in the line of the answer */
function splitLines(line: PlacedLine, whole: string, start: number): Part[] {
  let from = start;
  return whole.split("\n").map((text) => {
    const part = { text, from, line, isLast: from + text.length === line.text.length };
    from += text.length + 1;
    return part;
  });
}
