import type { TextRange } from "../../shared/types.ts";
import { firstAfter } from "../../text/numbers.ts";
import type { BlockWriter } from "../block-writer.ts";

/** A range of the source that is not displayed as written: an inline tag, a comment, or text with another displayed form. */
export interface Mask extends TextRange {
  readonly effect: "none" | "break" | "paragraph" | "shown";
  /** The text to display instead, such as alternative text or superscript digits. */
  readonly shown: string;
}

/**
 * A footnote sign: a reference to a footnote (`call`), the label at the start of one (`lead`), or a sign without a
 * footnote, which stays text (`text`).
 */
export type Sign = TextRange & ({ readonly effect: "lead" | "text" } | { readonly effect: "call"; readonly note: TextRange });

/** Result of `maskSource`. In `masked`, tags are covered; `hasTags` says whether the file contains tags. */
export type MaskedSource = ReturnType<typeof maskSource>;

/** Character that covers tags. It is a punctuation mark without meaning in Markdown. */
export const COVER = "\u2e2e";
const BLOCK_START = /^[ \t]*(?:[#>|+-]|\*[ \t]|\d{1,9}[.)]|`{3}|~{3}|\r?\n|$)/;

/**
 * Covers `masks` (in order, without overlaps) and `signs` by other characters. A Markdown parser then sees only text,
 * and source offsets stay valid. A cover consists of punctuation marks, which affect the Markdown around them like a
 * tag. Where a block may begin, it consists of spaces.
 * @param onCall called with the footnote of each reference that is written
 */
export function maskSource(
  source: string,
  masks: readonly Mask[],
  signs: readonly Sign[] = [],
  onCall: (note: TextRange) => void = () => {},
) {
  const masked = coverRanges(cover(source, masks), signs, () => COVER);
  const covered = signs.length === 0 ? masks : [...masks, ...signs].sort((a, b) => a.start - b.start);
  return { masked, hasTags: masks.length > 0, write };

  /** Writes `source[start, end)` without the covered ranges. Footnote signs are written in their displayed form, except in code. */
  function write(writer: BlockWriter, start: number, end: number, isCode = false): void {
    let at = start;
    for (let i = firstAfter(covered, start); i < covered.length && at < end; i++) {
      const mask = covered[i];
      if (mask === undefined || mask.start >= end) break;
      const isSign = mask.effect === "call" || mask.effect === "lead";
      if (mask.effect === "text" || (isCode && isSign)) continue;
      writer.text(at, mask.start);
      if (isSign) writeSign(writer, mask);
      else if (mask.effect === "break") writer.lineBreak();
      else if (mask.effect === "paragraph") writer.paragraph();
      else if (mask.effect === "shown") writer.opaque(mask.shown, mask.start, mask.end);
      at = Math.max(at, mask.end);
    }
    writer.text(at, end);
  }

  /** Writes `[^1]` as "[1]", and the colon before a footnote's text as a space. */
  function writeSign(writer: BlockWriter, sign: Sign): void {
    const end = sign.effect === "lead" ? sign.end - 1 : sign.end;
    writer.text(sign.start, sign.start + 1);
    writer.text(sign.start + 2, end);
    if (sign.effect === "lead") writer.opaque(" ", end, sign.end);
    if (sign.effect === "call") onCall(sign.note);
  }
}

function cover(source: string, masks: readonly Mask[]): string {
  const textAfter = followingText(source, masks);
  let atLineStart = true;
  return coverRanges(source, masks, (gap, i) => {
    const newline = gap.lastIndexOf("\n");
    atLineStart = (newline >= 0 || atLineStart) && /^[ \t]*$/.test(gap.slice(newline + 1));
    const next = textAfter[i] ?? 0;
    return atLineStart && BLOCK_START.test(source.slice(next, next + 24)) ? " " : COVER;
  });
}

/**
 * Covers ranges (in order, without overlaps) by a repeated character.
 * @param characterFor returns the character for the range with this index; `gap` is the text between it and the range before it
 */
function coverRanges(text: string, ranges: readonly TextRange[], characterFor: (gap: string, index: number) => string): string {
  let at = 0;
  const parts = ranges.map(({ start, end }, i) => {
    const gap = text.slice(at, start);
    at = end;
    return gap + characterFor(gap, i).repeat(end - start);
  });
  return parts.join("") + text.slice(at);
}

/** Returns, for each mask, the start of the text after it. Further masks between them on the same line are skipped. */
function followingText(source: string, masks: readonly Mask[]): Int32Array {
  const after = new Int32Array(masks.length);
  for (let i = masks.length - 1; i >= 0; i--) {
    const end = masks[i]?.end ?? 0;
    const next = masks[i + 1];
    after[i] = next !== undefined && /^[ \t]*$/.test(source.slice(end, next.start)) ? (after[i + 1] ?? end) : end;
  }
  return after;
}
