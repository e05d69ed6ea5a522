import type { WireCitation } from "../../src/client/index.ts";
import type { ShownSentence } from "./conversation/state.ts";

/** A sentence with its index in the answer. */
export interface PlacedSentence extends ShownSentence {
  readonly index: number;
}

/** A line of a sentence: a paragraph or an item of a list. */
export interface Line {
  readonly text: string;
  /** Offset in the sentence, in characters. */
  readonly from: number;
  readonly sentence: PlacedSentence;
  /** Whether the sentence ends here; its sources follow. */
  readonly isLast: boolean;
}

/** Lines or rows shown together: consecutive rows of a source table form a table, consecutive list items a list. */
export type AnswerBlock =
  | { readonly type: "text" | "list"; readonly lines: readonly Line[] }
  | {
      readonly type: "table";
      readonly columns: readonly string[];
      readonly caption: string | null;
      readonly rows: readonly { readonly cells: readonly string[]; readonly sentence: PlacedSentence }[];
    };

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
        blocks.push({ type: "table", columns: cited.row.cells.map(({ name }) => name), caption: isAbove ? null : caption, rows: [row] });
      }
    } else if (cited !== null && (cited.quote.includes("\n\n") || ANNOUNCED.test(cited.quote))) {
      blocks.push(...partsOf(placed));
    } else if (cited !== null && isListItem(cited)) {
      const lines = linesOf(placed, sentence.text, 0);
      if (last?.type === "list" && follows) blocks[blocks.length - 1] = { ...last, lines: [...last.lines, ...lines] };
      else blocks.push({ type: "list", lines });
    } else blocks.push({ type: "text", lines: [{ text: sentence.text, from: 0, sentence: placed, isLast: true }] });
    before = cited;
  }
  return blocks;
}

/** Matches a text whose first line ends in a colon and introduces the lines directly below it. */
const ANNOUNCED = /^[^\n]*:[^\S\n]*\n(?!\n)/;

/** Splits a sentence at blank lines: one line is a paragraph, several lines are a list. */
function partsOf(sentence: PlacedSentence): AnswerBlock[] {
  let from = 0;
  return sentence.text.split("\n\n").flatMap((part) => {
    const lines = linesOf(sentence, part, from);
    from += part.length + 2;
    // The introducing line is a paragraph, not an item of its list.
    const parts = ANNOUNCED.test(part) ? [lines.slice(0, 1), lines.slice(1)] : [lines];
    return parts.map((inside): AnswerBlock => ({ type: inside.length === 1 ? "text" : "list", lines: inside }));
  });
}

/** Splits a part of a sentence at line breaks. @param start offset of the part in the sentence */
function linesOf(sentence: PlacedSentence, part: string, start: number): Line[] {
  let from = start;
  return part.split("\n").map((text) => {
    const line = { text, from, sentence, isLast: from + text.length === sentence.text.length };
    from += text.length + 1;
    return line;
  });
}

/** Returns the citation whose quote equals the sentence; `null` for a sentence written by a model or with several citations. */
function quotedBy({ text, citations: [n, ...others] }: ShownSentence, citations: readonly WireCitation[]): WireCitation | null {
  if (others.length > 0) return null;
  const cited = citations.find((citation) => citation.n === n);
  return cited?.quote === text ? cited : null;
}

/** Detects list items: normalised text separates list items and table rows by one line break, all other blocks by two. */
function isListItem({ context, quote, quote_start: start }: WireCitation): boolean {
  if (context.slice(start, start + quote.length) !== quote) return false;
  const single = (text: string, at: number) => text[at] === "\n";
  const before = single(context, start - 1) && !single(context, start - 2);
  const after = single(context, start + quote.length) && !single(context, start + quote.length + 1);
  return quote.includes("\n") || before || after;
}
