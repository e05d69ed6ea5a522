import type { PdfBlock, TextBlock } from "./blocks.ts";
import { ENDED, INDENT, isFull, isHung, isMarkInText, type PdfLine, SAME_SIZE, SAME_START, textStart } from "./lines.ts";

/** A block to which further blocks are joined in place. A paragraph may continue over thousands of pages, so copying is slow. */
interface GrownText extends TextBlock {
  readonly type: "paragraph" | "item";
  readonly lines: PdfLine[];
  readonly rowEnds: Set<PdfLine>;
  page: number;
  left: number;
  right: number;
}

/** Joins blocks that the end of a column or page splits. Footnotes between the two parts are placed after the joined block. */
export function joinParted(blocks: readonly PdfBlock[]): PdfBlock[] {
  const out: PdfBlock[] = [];
  /** Index of the last block that is not a footnote. `isGrown` is true if other blocks were joined to it. */
  let [at, isGrown] = [-1, false];
  for (const block of blocks) {
    const before = out[at];
    // Two blocks of one page are not joined if a footnote is between them.
    const isApart = before === undefined || (at < out.length - 1 && before.page === block.page);
    const joined = isApart ? null : join(before, block, isGrown);
    if (joined !== null) {
      out[at] = joined;
      isGrown = true;
      continue;
    }
    if (block.type !== "note") [at, isGrown] = [out.length, false];
    out.push(block);
  }
  return out;
}

/**
 * Returns the joined block, or `null` if the two blocks are separate.
 * @param isGrown whether `before` is already the result of a join, so that it can grow in place
 */
function join(before: PdfBlock, block: PdfBlock, isGrown: boolean): PdfBlock | null {
  if ((before.type !== "paragraph" && before.type !== "item") || (block.type !== "paragraph" && block.type !== "item")) return null;
  if (!isElsewhere(before, block)) return null;
  if (!goesOn(before, block)) return null;
  const text = (isGrown ? before : { ...before, lines: [...before.lines], rowEnds: new Set(before.rowEnds) }) as GrownText;
  for (const line of block.lines) text.lines.push(line);
  for (const line of block.rowEnds ?? []) text.rowEnds.add(line);
  [text.page, text.left, text.right] = [block.page, block.left, block.right];
  return text;
}

/** Checks whether a block is in another column or on another page than the block before it. */
function isElsewhere(before: TextBlock, block: TextBlock): boolean {
  const [last, first] = [before.lines.at(-1), block.lines[0]];
  return last !== undefined && first !== undefined && (block.page !== before.page || first.y < last.y || first.x > last.right);
}

/**
 * Checks whether a block begins at the hanging indent of an item. If the block is in another column, its distance from
 * the left edge of that column may be the same instead.
 */
function isPartOf(item: TextBlock, { lines: [first], left }: TextBlock): boolean {
  if (first === undefined) return false;
  const start = startOf(item);
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

/** Turns paragraphs that begin at the hanging indent of a preceding item into further parts of that item. */
export function furtherPartsOfItems(blocks: readonly PdfBlock[]): PdfBlock[] {
  /** Open items, outermost first. A new item closes the items that do not enclose it. */
  let items: TextBlock[] = [];
  return blocks.map((block) => {
    if (block.type === "item") {
      const item = { ...block, lines: block.lines.slice(0, 1) };
      while (items.length > 0 && !isWithin(item, items.at(-1) as TextBlock)) items.pop();
      items.push(item);
    } else if (block.type === "heading" || block.type === "table") items = [];
    else if (block.type === "paragraph") {
      const isPart = block.mark === "none" && items.some((item) => isPartOf(item, block));
      const isAtLast = items.length > 0 && !isLeftOf(block, items.at(-1) as TextBlock);
      // A paragraph further to the right, such as a quote, does not close the items.
      while (items.length > 0 && isLeftOf(block, items.at(-1) as TextBlock)) items.pop();
      if (isPart) return { ...block, type: "item", mark: isAtLast ? "none" : "resumed" };
    }
    return block;
  });
}

function startOf(item: TextBlock): number {
  return textStart(item.lines, item.mark === "word");
}

/** Returns whether the text of an item is to the right of the text of `outer`. */
function isWithin(item: TextBlock, outer: TextBlock): boolean {
  return startOf(item) - startOf(outer) > (item.lines[0]?.size ?? 0) * SAME_START;
}

function isLeftOf({ lines: [first] }: TextBlock, item: TextBlock): boolean {
  return first !== undefined && first.x < startOf(item) - first.size * SAME_START;
}
