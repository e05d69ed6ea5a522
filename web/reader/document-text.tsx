import { memo, type ReactNode, useMemo } from "react";
import type { WireDocument } from "../../src/client/index.ts";
import { goTo } from "../app/route.ts";
import { Near, NearParts } from "../kit/near.tsx";

export interface DocumentTextProps {
  readonly document: Pick<WireDocument, "text" | "blocks" | "pages">;
  readonly highlights: readonly Highlight[];
  /** Offset that is to be gone to; its part is made wherever it lies. */
  readonly sought: number | null;
}

/** Pixels that a character takes, before its part has been laid out. */
const PX_PER_CHARACTER = 0.42;

/** Blocks that are laid out together; what is far from the screen is not laid out at all. */
const SECTION_BLOCKS = 16;

/** The whole text as it is built: headings, paragraphs, lists, tables, with pages and marks. Every piece knows its offset. */
export const DocumentText = memo(function DocumentText({ document, highlights, sought }: DocumentTextProps) {
  const sections = useMemo(() => toSections(document), [document]);
  const parts = sections.map((blocks) => {
    const [first, last] = [blocks[0]?.[0] ?? 0, blocks.at(-1)?.[1] ?? 0];
    const isWanted = highlights.some(({ type, start, end }) => type === "place" && start < last && end > first);
    const isSought = sought !== null && sought >= first && sought < last;
    return (
      <Near key={first} height={(last - first) * PX_PER_CHARACTER} eager={isWanted || isSought}>
        <div className="text-section">
          {blocks.map((block) => (
            <TextBlock key={block[0]} block={block} {...{ document, highlights }} />
          ))}
        </div>
      </Near>
    );
  });
  return <NearParts>{parts}</NearParts>;
});

type Block = WireDocument["blocks"][number];

function toSections({ blocks }: Pick<WireDocument, "blocks">): Block[][] {
  const sections: Block[][] = [];
  for (let i = 0; i < blocks.length; i += SECTION_BLOCKS) sections.push(blocks.slice(i, i + SECTION_BLOCKS));
  return sections;
}

function TextBlock({
  block: [start, end, type, level, header],
  document,
  highlights,
}: Omit<DocumentTextProps, "sought"> & { readonly block: Block }) {
  const { text, pages, blocks } = document;
  const page = pages === null ? -1 : pages.findLastIndex((at) => at >= start && at < end);
  const pieces = (from: number, to: number) => <Pieces {...{ text, highlights }} start={from} end={to} />;
  return (
    <>
      {page < 0 ? null : <p className="page-number">Page {page + 1}</p>}
      <MarginNotes highlights={highlights.filter((one) => one.type === "cited" && one.start >= start && one.start < end)} />
      {type === "table-row" ? (
        <Row start={start} row={text.slice(start, end)} isHeader={blocks[header]?.[0] === start} pieces={pieces} />
      ) : (
        <div
          data-at={start}
          className={`text-${type} level-${level}`}
          {...(type === "heading" ? { role: "heading", "aria-level": 3 } : {})}
        >
          {pieces(start, end)}
        </div>
      )}
    </>
  );
}

interface RowProps {
  readonly start: number;
  readonly row: string;
  readonly isHeader: boolean;
  readonly pieces: (start: number, end: number) => ReactNode;
}

const CELL_BOUNDARY = " | ";

function Row({ start, row, isHeader, pieces }: RowProps) {
  let at = start;
  return (
    <div data-at={start} className={isHeader ? "text-row is-header" : "text-row"}>
      {row.split(CELL_BOUNDARY).map((cell) => {
        const from = at;
        at += cell.length + CELL_BOUNDARY.length;
        return (
          <span key={from} className="text-cell">
            {pieces(from, from + cell.length)}
          </span>
        );
      })}
    </div>
  );
}

interface PiecesProps {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly highlights: readonly Highlight[];
}

/** A stretch cut where marks begin and end. */
function Pieces({ text, start, end, highlights }: PiecesProps) {
  const inside = highlights.filter((one) => one.start < end && one.end > start);
  const cuts = [start, end, ...inside.flatMap((one) => [one.start, one.end])].filter((at) => at >= start && at <= end);
  const places = [...new Set(cuts)].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, i) => {
    const to = places[i + 1] ?? end;
    const over = inside.filter((one) => one.start <= from && one.end >= to);
    const [strongest] = [...over].sort((a, b) => Number(b.type === "place") - Number(a.type === "place"));
    const piece = text.slice(from, to);
    return strongest === undefined ? (
      <span key={from} data-from={from}>
        {piece}
      </span>
    ) : (
      <mark key={from} data-from={from} className={`is-${strongest.type}`} title={over.map(({ label }) => label).join("; ")}>
        {piece}
      </mark>
    );
  });
}

/** A stretch that is marked, with what it is to whom. */
export interface Highlight {
  readonly start: number;
  readonly end: number;
  readonly type: "place" | "cited";
  readonly label: string;
  /** The question of this conversation whose answer quotes it; `null`: none. */
  readonly turn: number | null;
}

/** Which answers of this conversation quote what stands beside; one click away from them. */
function MarginNotes({ highlights }: { readonly highlights: readonly Highlight[] }) {
  const byTurn = new Map(highlights.flatMap(({ turn, label }) => (turn === null ? [] : [[turn, label] as const])));
  if (byTurn.size === 0) return null;
  return (
    <ul className="margin-notes" aria-label="Answers that quote this">
      {[...byTurn].map(([turn, label]) => (
        <li key={turn}>
          <button type="button" className="margin-note" title={label} onClick={() => showTurn(turn)}>
            answer {turn}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** On a narrow screen the answer lies under the document: that is closed first. */
function showTurn(turn: number): void {
  const heading = () => document.getElementById(`question-${turn}`);
  if (heading()?.checkVisibility() !== true) goTo({ room: "ask" });
  requestAnimationFrame(() => heading()?.scrollIntoView({ block: "start" }));
}

/** A stretch of a document's text. */
export interface TextStretch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What is selected inside `root`, by the offsets that its pieces carry; `null`: nothing, or something elsewhere. */
export function readSelection(root: HTMLElement, selection: Selection | null): TextStretch | null {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.startContainer) || !root.contains(range.endContainer)) return null;
  const start = offsetOf(range.startContainer, range.startOffset, root);
  const end = offsetOf(range.endContainer, range.endOffset, root);
  return start === null || end === null || start >= end ? null : { start, end, text: selection.toString() };
}

function offsetOf(node: Node, offset: number, root: HTMLElement): number | null {
  if (!(node instanceof Element)) {
    const piece = node.parentElement?.closest<HTMLElement>("[data-from]") ?? null;
    return piece === null || !root.contains(piece) ? null : Number(piece.dataset.from) + offset;
  }
  const child = node.childNodes[offset];
  const [next] = child === undefined ? [] : piecesOf(child);
  if (next !== undefined) return Number(next.dataset.from);
  const last = piecesOf(node).at(-1);
  return last === undefined ? null : Number(last.dataset.from) + (last.textContent?.length ?? 0);
}

/** The pieces of text in a node, or the one that it is or lies in. */
function piecesOf(node: Node): HTMLElement[] {
  const element = node instanceof HTMLElement ? node : node.parentElement;
  const around = element?.closest<HTMLElement>("[data-from]") ?? null;
  return around === null ? [...(element?.querySelectorAll<HTMLElement>("[data-from]") ?? [])] : [around];
}
