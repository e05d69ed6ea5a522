import type { PdfBlock, TextBlock } from "./blocks.ts";
import { ENDED, INDENT, isFull, isHung, isMarkInText, type PdfLine, SAME_SIZE, SAME_START, textStart } from "./lines.ts";

/** Blocks to which others were joined have arrays of their own, which grow: rows may go on over thousands of pages. */
interface GrownCode {
  readonly type: "code";
  readonly lines: PdfLine[];
  readonly breaks: number[];
  page: number;
}

interface GrownText extends TextBlock {
  readonly type: "paragraph" | "item";
  readonly lines: PdfLine[];
  readonly rowEnds: Set<PdfLine>;
  page: number;
  left: number;
  right: number;
}

/** Blocks that the end of a column or page parts, put together; notes that stand at the foot of the page come behind. */
export function joinParted(blocks: readonly PdfBlock[]): PdfBlock[] {
  const out: PdfBlock[] = [];
  /** Where the last block stands that is no note, and whether others were joined to it. */
  let [at, isGrown] = [-1, false];
  for (const block of blocks) {
    const before = out[at];
    // A note between blocks of one page stands in the text.
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
 * `null`: they are two.
 * @param isGrown `before` is what this made: it grows in place
 */
function join(before: PdfBlock, block: PdfBlock, isGrown: boolean): PdfBlock | null {
  if (before.type === "code" && block.type === "code") {
    if (before.page === block.page) return null;
    const code = (isGrown ? before : { ...before, lines: [...before.lines], breaks: [...before.breaks] }) as GrownCode;
    for (const [i, line] of block.lines.entries()) {
      code.lines.push(line);
      code.breaks.push(i === 0 ? 1 : (block.breaks[i] ?? 1));
    }
    code.page = block.page;
    return code;
  }
  if ((before.type !== "paragraph" && before.type !== "item") || (block.type !== "paragraph" && block.type !== "item")) return null;
  if (!isElsewhere(before, block)) return null;
  if (!goesOn(before, block)) return null;
  const text = (isGrown ? before : { ...before, lines: [...before.lines], rowEnds: new Set(before.rowEnds) }) as GrownText;
  for (const line of block.lines) text.lines.push(line);
  for (const line of block.rowEnds ?? []) text.rowEnds.add(line);
  [text.page, text.left, text.right] = [block.page, block.left, block.right];
  return text;
}

/** In the next column, or on the next page. */
function isElsewhere(before: TextBlock, block: TextBlock): boolean {
  const [last, first] = [before.lines.at(-1), block.lines[0]];
  return last !== undefined && first !== undefined && (block.page !== before.page || first.y < last.y || first.x > last.right);
}

/** Whether a block stands where the lines of an item go on, on its page or in its column, and other text does not. */
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

/** Paragraphs that stand where the text of an item before them does, and other text does not, are further parts of that item. */
export function furtherPartsOfItems(blocks: readonly PdfBlock[]): PdfBlock[] {
  /** One item of each level, the outermost first: the next one of a level takes the place of the last, and of those within it. */
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
      // A quote within an item stands further to the right.
      while (items.length > 0 && isLeftOf(block, items.at(-1) as TextBlock)) items.pop();
      if (isPart) return { ...block, type: "item", mark: isAtLast ? "none" : "resumed" };
    }
    return block;
  });
}

function startOf(item: TextBlock): number {
  return textStart(item.lines, item.mark === "word");
}

/** Whether the text of an item stands to the right of another's. */
function isWithin(item: TextBlock, outer: TextBlock): boolean {
  return startOf(item) - startOf(outer) > (item.lines[0]?.size ?? 0) * SAME_START;
}

function isLeftOf({ lines: [first] }: TextBlock, item: TextBlock): boolean {
  return first !== undefined && first.x < startOf(item) - first.size * SAME_START;
}
