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
