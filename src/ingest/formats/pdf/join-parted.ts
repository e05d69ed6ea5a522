import type { PdfBlock, TextBlock } from "./blocks.ts";
import { isFull, isHung, isMarkInText, textStart } from "./marks.ts";

/** First lines of paragraphs are indented by this, in parts of the letters' size. */
const INDENT = 0.8;
const SAME_SIZE = 0.6;
const ENDED = /[.!?:;]["”)]?$/;

/** Blocks that the end of a column or page parts, put together; notes that stand at the foot of the page come behind. */
export function joinParted(blocks: readonly PdfBlock[]): PdfBlock[] {
  const out: PdfBlock[] = [];
  for (const block of blocks) {
    const at = out.findLastIndex(({ type }) => type !== "note");
    const before = out[at];
    // A note between blocks of one page stands in the text.
    const isApart = before === undefined || (at < out.length - 1 && before.page === block.page);
    const joined = isApart ? null : join(before, block);
    if (joined !== null) out[at] = joined;
    else out.push(block);
  }
  return out;
}

/** `null`: they are two. */
function join(before: PdfBlock, block: PdfBlock): PdfBlock | null {
  if (before.type === "code" && block.type === "code") {
    if (before.page === block.page) return null;
    return {
      ...before,
      lines: [...before.lines, ...block.lines],
      breaks: [...before.breaks, 1, ...block.breaks.slice(1)],
      page: block.page,
    };
  }
  if ((before.type !== "paragraph" && before.type !== "item") || (block.type !== "paragraph" && block.type !== "item")) return null;
  if (!isElsewhere(before, block)) return null;
  const isWithinRow = goesOn(before, block);
  if (!isWithinRow && !(hasRows(before) && hasRows(block))) return null;
  const rowEnds = new Set([...(before.rowEnds ?? []), ...(block.rowEnds ?? []), ...(isWithinRow ? [] : before.lines.slice(-1))]);
  return { ...before, lines: [...before.lines, ...block.lines], rowEnds, page: block.page, left: block.left, right: block.right };
}

/** Rows go on with rows behind the end of a page. */
function hasRows({ rowEnds }: { readonly rowEnds?: ReadonlySet<unknown> }): boolean {
  return rowEnds !== undefined && rowEnds.size > 0;
}

/** In the next column, or on the next page. */
function isElsewhere(before: TextBlock, block: TextBlock): boolean {
  const [last, first] = [before.lines.at(-1), block.lines[0]];
  return last !== undefined && first !== undefined && (block.page !== before.page || first.y < last.y || first.x > last.right);
}

/** Whether a block stands where the lines of an item go on, on its page or in its column, and other text does not. */
function isPartOf(item: TextBlock, { lines: [first], left }: TextBlock): boolean {
  if (first === undefined) return false;
  const start = textStart(item.lines, item.mark === "word");
  return isHung(first, start, item.left) || isHung(first, start - item.left + left, left);
}

function goesOn(before: TextBlock & { readonly type: string }, block: TextBlock): boolean {
  const [last, first] = [before.lines.at(-1), block.lines[0]];
  if (last === undefined || first === undefined) return false;
  const [end, next] = [last.words.at(-1)?.text ?? "", first.words[0]?.text ?? ""];
  const isEnded = ENDED.test(end);
  const shift = block.left - before.left;
  const isFilled = isFull(last, first, before.right);
  if (block.mark === "dot") return false;
  if (block.mark === "word") {
    return isFilled && !isEnded && isMarkInText(first, before.lines, { isMarked: before.mark === "word", shift });
  }
  if (!isEnded && /^\p{Ll}/u.test(next)) return true;
  if (!isFilled || Math.abs(last.size - first.size) > SAME_SIZE) return false;
  if (before.type === "item" && isPartOf(before, block)) return true;
  const second = block.lines[1];
  const isIndented = second !== undefined && first.x - second.x > first.size * INDENT;
  return !isEnded && !isIndented && /^[\p{L}\p{N}([“"‘'§$]/u.test(next);
}

/** Paragraphs that stand where the text of an item before them does, and other text does not, are further parts of that item. */
export function furtherPartsOfItems(blocks: readonly PdfBlock[]): PdfBlock[] {
  let items: TextBlock[] = [];
  return blocks.map((block) => {
    if (block.type === "item") items.push({ ...block, lines: block.lines.slice(0, 1) });
    else if (block.type === "heading" || block.type === "table") items = [];
    else if (block.type === "paragraph") {
      const isPart = block.mark === "none" && items.some((item) => isPartOf(item, block));
      const isAtLast = items.length > 0 && !isLeftOf(block, items.at(-1) as TextBlock);
      // A quote within an item stands further to the right.
      items = items.filter((item) => !isLeftOf(block, item));
      if (isPart) return { ...block, type: "item", mark: isAtLast ? "none" : "resumed" };
    }
    return block;
  });
}

function isLeftOf({ lines: [first] }: TextBlock, item: TextBlock): boolean {
  return first !== undefined && first.x < textStart(item.lines, item.mark === "word") - first.size * 0.3;
}
