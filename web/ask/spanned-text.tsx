import { cutAt } from "./cut-at.ts";

export interface SpannedTextProps {
  readonly text: string;
  /** Where the text begins in what the spans count. */
  readonly from: number;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** A text with the words that answer set off. */
export function SpannedText({ text, from, spans }: SpannedTextProps) {
  return cutAt(text, from, spans).map(({ start, piece, isInside }) =>
    isInside ? (
      <strong key={start} className="answer-span">
        {piece}
      </strong>
    ) : (
      piece
    ),
  );
}
