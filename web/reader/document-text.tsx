import { memo, useMemo } from "react";
import type { WireDocument } from "../../src/client/index.ts";
import { goTo } from "../app/route.ts";
import { CellRow } from "../kit/cell-row.tsx";
import { cutText } from "../kit/cut-text.ts";
import { Near } from "../kit/near.tsx";

export interface DocumentTextProps {
  readonly document: Pick<WireDocument, "text" | "blocks" | "pages">;
  readonly highlights: readonly Highlight[];
  /** Offset to which to scroll. Its section is rendered even if it is far from the screen. */
  readonly sought: number | null;
}

/** Estimated height in pixels per character, for sections that are not rendered yet. */
const PX_PER_CHARACTER = 0.42;

/** Number of blocks per section. Sections far from the screen are not rendered. */
const SECTION_BLOCKS = 16;

/** Shows the blocks of a document with page numbers and highlights. Elements have their offset in `data-at` or `data-from`. */
export const DocumentText = memo(function DocumentText({ document, highlights, sought }: DocumentTextProps) {
  const sections = useMemo(() => toSections(document), [document]);
  return sections.map((blocks) => {
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
        <CellRow
          {...{ start, row: text.slice(start, end), isHeader: blocks[header]?.[0] === start }}
          pieces={(cell, from) => pieces(from, from + cell.length)}
        />
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

interface PiecesProps {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly highlights: readonly Highlight[];
}

/** Shows a range of text, split at the starts and ends of highlights. */
function Pieces({ text, start, end, highlights }: PiecesProps) {
  return cutText(text.slice(start, end), start, highlights).map(({ start: from, text: piece, over }) => {
    const strongest = over.find(({ type }) => type === "place") ?? over[0];
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

/** A highlighted range and the reason for its highlight. */
export interface Highlight {
  readonly start: number;
  readonly end: number;
  readonly type: "place" | "cited";
  readonly label: string;
  /** Number of the turn whose answer quotes the range; `null`: no answer does. */
  readonly turn: number | null;
}

/** Shows links to the answers of this conversation that quote the text beside them. */
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

/** Scrolls to an answer. On a narrow screen the document covers the answer, so the document is closed first. */
function showTurn(turn: number): void {
  const heading = () => document.getElementById(`question-${turn}`);
  if (heading()?.checkVisibility() !== true) goTo({ room: "ask" });
  requestAnimationFrame(() => heading()?.scrollIntoView({ block: "start" }));
}

export interface TextStretch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the selection as offsets in the document; `null` if it is empty or not inside `root`. */
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

/** Returns the elements with document text inside a node. If the node is inside such an element, returns that element. */
function piecesOf(node: Node): HTMLElement[] {
  const element = node instanceof HTMLElement ? node : node.parentElement;
  const around = element?.closest<HTMLElement>("[data-from]") ?? null;
  return around === null ? [...(element?.querySelectorAll<HTMLElement>("[data-from]") ?? [])] : [around];
}
