import type { WireCitation } from "../../src/client/index.ts";
import type { ShownSentence } from "./conversation/state.ts";

/** A sentence with its index in the answer. */
export interface PlacedSentence extends ShownSentence {
  readonly index: number;
}

/** A part of a quote between blank lines: one line is a paragraph, several lines are a list. */
export interface TextPart {
  /** Lines with their start offsets in the quote, in characters. */
  readonly lines: readonly { readonly text: string; readonly from: number }[];
}

/** Sentences shown together: consecutive rows of a source table form a table, consecutive list items a list. */
export type AnswerBlock =
  | { readonly type: "text"; readonly sentences: readonly [PlacedSentence] }
  | { readonly type: "list"; readonly sentences: readonly PlacedSentence[] }
  | { readonly type: "parts"; readonly sentences: readonly [PlacedSentence]; readonly parts: readonly TextPart[] }
  | {
      readonly type: "table";
      readonly columns: readonly string[];
      readonly caption: string | null;
      readonly rows: readonly { readonly cells: readonly string[]; readonly sentence: PlacedSentence }[];
    };

type Row = NonNullable<WireCitation["row"]>;

/** Groups sentences into blocks: consecutive rows of one table become one table, consecutive items of one document one list. */
export function toBlocks(sentences: readonly ShownSentence[], citations: readonly WireCitation[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  let before: WireCitation | null = null;
  for (const [index, sentence] of sentences.entries()) {
    const placed = { ...sentence, index };
    const cited = quotedBy(sentence, citations);
    const last = blocks.at(-1);
    const follows = before !== null && cited !== null && before.document_id === cited.document_id;
    if (cited?.row !== undefined) {
      const row = { cells: cited.row.cells.map(({ text }) => text), sentence: placed };
      if (last?.type === "table" && follows && before?.row?.header_start === cited.row.header_start) {
        blocks[blocks.length - 1] = { ...last, rows: [...last.rows, row] };
      } else {
        // Omit a caption that the previous sentence already shows.
        const { caption = null } = cited.row;
        const isAbove = caption !== null && sentences[index - 1]?.text === caption;
        blocks.push({ type: "table", columns: columnsOf(cited.row), caption: isAbove ? null : caption, rows: [row] });
      }
    } else if (cited !== null && (cited.quote.includes("\n\n") || ANNOUNCED.test(cited.quote))) {
      blocks.push({ type: "parts", sentences: [placed], parts: partsOf(sentence.text) });
    } else if (cited !== null && isListItem(cited)) {
      if (last?.type === "list" && follows) blocks[blocks.length - 1] = { ...last, sentences: [...last.sentences, placed] };
      else blocks.push({ type: "list", sentences: [placed] });
    } else blocks.push({ type: "text", sentences: [placed] });
    before = cited;
  }
  return blocks;
}

/** Matches a text whose first line ends in a colon and introduces the lines directly below it. */
const ANNOUNCED = /^[^\n]*:[^\S\n]*\n(?!\n)/;

function partsOf(text: string): TextPart[] {
  let from = 0;
  return text.split("\n\n").flatMap((part) => {
    const lines = linesOf(part, from);
    from += part.length + 2;
    // The introducing line is a paragraph, not an item of its list.
    return ANNOUNCED.test(part) ? [{ lines: lines.slice(0, 1) }, { lines: lines.slice(1) }] : [{ lines }];
  });
}

/** Splits a text at line breaks. @param start offset of the text in the quote */
export function linesOf(text: string, start: number): TextPart["lines"] {
  let from = start;
  return text.split("\n").map((line) => {
    const placed = { text: line, from };
    from += line.length + 1;
    return placed;
  });
}

/** Returns the citation whose quote equals the sentence; `null` for a sentence written by a model or with several citations. */
function quotedBy({ text, citations: [n, ...others] }: ShownSentence, citations: readonly WireCitation[]): WireCitation | null {
  if (others.length > 0) return null;
  const cited = citations.find((citation) => citation.n === n);
  return cited?.quote === text ? cited : null;
}

function columnsOf({ cells }: Row): string[] {
  return cells.map(({ name }) => name);
}

/** Detects list items: normalised text separates list items and table rows by one line break, all other blocks by two. */
function isListItem({ context, quote, quote_start: start }: WireCitation): boolean {
  if (context.slice(start, start + quote.length) !== quote) return false;
  const single = (text: string, at: number) => text[at] === "\n";
  const before = single(context, start - 1) && !single(context, start - 2);
  const after = single(context, start + quote.length) && !single(context, start + quote.length + 1);
  return quote.includes("\n") || before || after;
}
