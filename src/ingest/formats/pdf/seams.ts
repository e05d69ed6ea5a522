import type { PdfLine } from "./lines.ts";
import type { PdfWord } from "./words.ts";

/** What stands between the last word of a line and the first of the next: a blank, nothing, or a hyphen that only the line's end made. */
export type Seam = "blank" | "none" | "cut";

const SOFT_HYPHEN = /\u00ad$/;
/** A word in small letters may be cut there, but not one that has a hyphen already, or an address. */
const HYPHEN = /^[^-‐/@\d]*\p{Ll}[-‐]$/u;
const SMALL = /^\p{Ll}/u;
/** Behind these a line may end within a word. */
const JOINT = /[^\s][-‐–—/]$/u;
/** Letters of a half from which it is a word of its own where the document has it: syllables are shorter. */
const WORD = 4;
/** "Short- and long-term": the hyphen stands for a part that is said later. */
const SUSPENDED = /^(?:and|or|to|nor|und|oder|bis|et|ou|y|o|e)$/;

/**
 * Tells what stands between lines from the words of the whole document. Some documents cut words at the ends of lines; others break lines only at hyphens
 * that are written. Which of both is told by whether the halves of its broken words are words, and whether it has these words whole. It decides on words that
 * the document has nowhere else.
 * @param parts lines that follow each other
 */
export function seamsOf(parts: readonly (readonly PdfLine[])[]): (last: PdfWord, next: PdfWord) => Seam {
  const known = knownWords(parts);
  const cuts = cutsWords(parts, known);
  return (last, next) => {
    if (SOFT_HYPHEN.test(last.text)) return "cut";
    if (!HYPHEN.test(last.text) || !SMALL.test(next.text)) return isOneWord(last.text, next.text) ? "none" : "blank";
    if (SUSPENDED.test(next.text)) return "blank";
    return isSurelyCut(last, next, known) || (cuts && isCut(last, next, known)) ? "cut" : "none";
  };
}

function isOneWord(last: string, next: string): boolean {
  return JOINT.test(last) || (/^[-‐]$/.test(last) && /^[-‐]/.test(next));
}

/** Whether a line may end within a word of small letters. */
function isBroken(last: PdfWord | undefined, next: PdfWord | undefined): boolean {
  return last !== undefined && next !== undefined && HYPHEN.test(last.text) && SMALL.test(next.text) && !SUSPENDED.test(next.text);
}

/** Words that no line's end breaks. */
interface KnownWords {
  readonly whole: ReadonlySet<string>;
  /** Halves of words with hyphens. */
  readonly halves: ReadonlySet<string>;
}

function knownWords(parts: readonly (readonly PdfLine[])[]): KnownWords {
  const whole = new Set<string>();
  const halves = new Set<string>();
  for (const lines of parts) {
    for (const [i, { words }] of lines.entries()) {
      const from = isBroken(lines[i - 1]?.words.at(-1), words[0]) ? 1 : 0;
      const to = isBroken(words.at(-1), lines[i + 1]?.words[0]) ? words.length - 1 : words.length;
      for (const { text } of words.slice(from, to)) {
        const word = bare(text);
        whole.add(word);
        if (/.[-‐]./.test(word)) for (const half of word.split(/[-‐]/)) halves.add(half);
      }
    }
  }
  return { whole, halves };
}

/** Whether the document has some of the words at lines' ends whole, and fewer of them with a hyphen, or as two words. */
function cutsWords(parts: readonly (readonly PdfLine[])[], { whole, halves }: KnownWords): boolean {
  const isWord = (half: string) => half.length >= WORD && (whole.has(half) || halves.has(half));
  let [joined, unknown, written] = [0, 0, 0];
  for (const lines of parts) {
    for (const [i, line] of lines.entries()) {
      const [last, next] = [line.words.at(-1), lines[i + 1]?.words[0]];
      if (last === undefined || next === undefined || !isBroken(last, next)) continue;
      if (isSurelyCut(last, next, { whole })) joined++;
      else if (whole.has(bare(last.text + next.text)) || isWord(bare(last.text)) || isWord(bare(next.text))) written++;
      else unknown++;
    }
  }
  return joined > 0 && joined >= unknown && joined + unknown >= written;
}

/** Whether the document has a word whole and never with this hyphen: no other word of it says more. */
function isSurelyCut(last: PdfWord, next: PdfWord, { whole }: Pick<KnownWords, "whole">): boolean {
  return whole.has(joinedOf(last, next)) && !whole.has(bare(last.text + next.text));
}

/** Whether a document that cuts words does so here: it has the word whole, or has one of its halves nowhere. */
function isCut(last: PdfWord, next: PdfWord, { whole }: KnownWords): boolean {
  if (whole.has(joinedOf(last, next))) return true;
  return !whole.has(bare(last.text + next.text)) && !(whole.has(bare(last.text.slice(0, -1))) && whole.has(bare(next.text)));
}

function joinedOf(last: PdfWord, next: PdfWord): string {
  return bare(last.text.slice(0, -1) + next.text);
}

function bare(text: string): string {
  return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}
