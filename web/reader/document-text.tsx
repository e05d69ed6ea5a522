import { memo, useMemo } from "react";
import type { WireDocument } from "../../src/client/index.ts";
import { goTo } from "../app/route.ts";
import { Button } from "../kit/controls.tsx";
import { cutText, type Range } from "../kit/cut-text.ts";
import { Near } from "../kit/near.tsx";
import { CellRow } from "../kit/table.tsx";

interface DocumentTextProps {
  readonly document: Pick<WireDocument, "text" | "blocks" | "pages">;
  readonly highlights: readonly Highlight[];
  /** Offset to scroll to. Its section is rendered immediately; `null`: none. */
  readonly sought: number | null;
}

/** Estimated height in pixels per character. It gives the height of sections that are not rendered yet. */
const PX_PER_CHARACTER = 0.42;

/** Number of blocks per section. A section is rendered when it comes near the screen. */
const SECTION_BLOCKS = 16;

/** Shows a document with page numbers and highlights. Elements have their offset in the document as `data-at` or `data-from`. */
export const DocumentText = memo(function DocumentText({ document, highlights, sought }: DocumentTextProps) {
  const sections = useMemo(() => Object.values(Object.groupBy(document.blocks, (_, i) => Math.floor(i / SECTION_BLOCKS))), [document]);
  return sections.map((blocks = []) => {
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

function TextBlock({ block, document, highlights }: Omit<DocumentTextProps, "sought"> & { readonly block: Block }) {
  const [start, end, type, level, header] = block;
  const { text, pages, blocks } = document;
  const page = pages === null ? -1 : pages.findLastIndex((at) => at >= start && at < end);
  // Cut the text where highlights begin or end.
  const pieces = (part: string, from: number) =>
    cutText(part, from, highlights).map(({ start: at, text: piece, over }) => {
      const strongest = over.find((one) => one.type === "place") ?? over[0];
      const label = over.map((one) => one.label).join("; ");
      return strongest === undefined ? (
        <span key={at} data-from={at}>
          {piece}
        </span>
      ) : (
        <mark key={at} data-from={at} className={`is-${strongest.type}`} title={label}>
          {piece}
        </mark>
      );
    });
  return (
    <>
      {page < 0 ? null : <p className="page-number">Page {page + 1}</p>}
      <MarginNotes highlights={highlights.filter((one) => one.type === "cited" && one.start >= start && one.start < end)} />
      {type === "table-row" ? (
        <CellRow {...{ start, row: text.slice(start, end), isHeader: blocks[header]?.[0] === start, pieces }} />
      ) : (
        <div
          data-at={start}
          className={`text-${type} level-${level}`}
          {...(type === "heading" ? { role: "heading", "aria-level": 3 } : {})}
        >
          {pieces(text.slice(start, end), start)}
        </div>
      )}
    </>
  );
}

/**
 * A highlighted range: the linked place (`place`), or a quote in an answer (`cited`). `turn`: number of the turn whose answer
 * quotes the range; `null`: none.
 */
export type Highlight = Range & Readonly<{ type: "place" | "cited"; label: string; turn: number | null }>;

/** Links in the margin to the answers of this conversation that quote the text. */
function MarginNotes({ highlights }: { readonly highlights: readonly Highlight[] }) {
  const byTurn = new Map(highlights.flatMap(({ turn, label }) => (turn === null ? [] : [[turn, label] as const])));
  if (byTurn.size === 0) return null;
  return (
    <ul className="margin-notes" aria-label="Answers that quote this">
      {[...byTurn].map(([turn, label]) => (
        <li key={turn}>
          <Button className="link-button" title={label} onClick={() => showTurn(turn)}>
            answer {turn}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Scrolls to an answer. On a narrow screen the document covers it, so the document is closed first. */
function showTurn(turn: number): void {
  const heading = () => document.getElementById(`question-${turn}`);
  if (heading()?.checkVisibility() !== true) goTo({ room: "ask" });
  requestAnimationFrame(() => heading()?.scrollIntoView({ block: "start" }));
}

export type TextStretch = Range & { readonly text: string };

/** Returns the selected text and its offsets in the document; `null` if nothing inside `root` is selected. */
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

/** Returns the elements with document text (`data-from`) inside a node, or the one that contains the node. */
function piecesOf(node: Node): HTMLElement[] {
  const element = node instanceof HTMLElement ? node : node.parentElement;
  const around = element?.closest<HTMLElement>("[data-from]") ?? null;
  return around === null ? [...(element?.querySelectorAll<HTMLElement>("[data-from]") ?? [])] : [around];
}
