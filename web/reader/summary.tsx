import type { ReactNode } from "react";
import type { WireDocument } from "../../src/client/index.ts";

type Summarised = Pick<WireDocument, "text" | "blocks" | "outline" | "title">;

interface Point {
  readonly start: number;
  /** The heading; `null`: for the text before the first heading, or directly below the title. */
  readonly heading: string | null;
  readonly level: number;
  /** First sentence below the heading; empty if a table or another heading follows it. */
  readonly sentence: string;
}

/** Summarises a document by its headings, each with the first sentence below it. */
export function summaryOf({ text, blocks, outline, title }: Summarised): Point[] {
  const headings = outline.length > 0 ? outline : [{ start: -1, level: 1, text: title }];
  return headings.map(({ start, level, text: heading }) => {
    const [from, to, type] = blocks[blocks.findIndex((block) => block[0] === start) + 1] ?? [0, 0, "heading"];
    const isProse = type === "paragraph" || type === "list-item" || type === "quote";
    const sentence = isProse ? firstSentence(text.slice(from, to)) : "";
    return { start: Math.max(0, start), level, heading: heading === title ? null : heading, sentence };
  });
}

function firstSentence(text: string): string {
  const [first] = new Intl.Segmenter("en", { granularity: "sentence" }).segment(text);
  return first?.segment.trim() ?? "";
}

interface SummaryProps {
  readonly document: Summarised;
  /** Renders a heading, for example as a link to its place. @param start offset of the heading */
  readonly children: (heading: string, start: number) => ReactNode;
}

export function Summary({ document, children }: SummaryProps) {
  return (
    <ul>
      {summaryOf(document).map(({ start, level, heading, sentence }) => (
        <li key={start} style={{ paddingLeft: `${(level - 1) * 0.8}rem` }}>
          {heading === null ? null : children(heading, start)} <span className="muted">{sentence}</span>
        </li>
      ))}
    </ul>
  );
}
