import type { ReactNode } from "react";
import type { WireDocument } from "../../src/client/index.ts";

type Summarised = Pick<WireDocument, "text" | "blocks" | "outline" | "title">;

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });

interface Point {
  readonly start: number;
  /** The heading; `null` if it is the title, or if the document has no headings. */
  readonly heading: string | null;
  readonly level: number;
  /** First sentence below the heading; "" if other content follows, such as a table or another heading. */
  readonly sentence: string;
}

/** Summarises a document by its headings and the first sentence below each. */
export function summaryOf({ text, blocks, outline, title }: Summarised): Point[] {
  const headings = outline.length > 0 ? outline : [{ start: -1, level: 1, text: title }];
  return headings.map(({ start, level, text: heading }) => {
    const [from, to, type] = blocks[blocks.findIndex((block) => block[0] === start) + 1] ?? [0, 0, "heading"];
    const isProse = type === "paragraph" || type === "list-item" || type === "quote";
    const [first] = SENTENCES.segment(isProse ? text.slice(from, to) : "");
    return { start: Math.max(0, start), level, heading: heading === title ? null : heading, sentence: first?.segment.trim() ?? "" };
  });
}

/** @param children renders a heading, for example as a link, given its offset in the document */
export function Summary({ document, children }: { document: Summarised; children: (heading: string, start: number) => ReactNode }) {
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
