/** A text in which digits of every script, and the signs that go with them, are ASCII. */
export interface FoldedText {
  readonly plain: string;
  /** From an offset in `plain` to the offset in the text. */
  readonly at: (offset: number) => number;
}

const STRANGE = /\p{Nd}/u;
const SIGNS: Readonly<Record<string, string>> = {
  "％": "%",
  "٪": "%",
  "＄": "$",
  "，": ",",
  "．": ".",
  "‑": "-",
  "\u00a0": " ",
  "\u202f": " ",
};
/** Quick test: a text of ASCII alone needs no folding. */
const NEEDS_FOLDING = /[^\p{ASCII}–—‘’“”…•]/u;

/** Folds digits of any script to ASCII, so that one pattern reads them all; offsets lead back. */
export function foldDigits(text: string): FoldedText {
  if (!NEEDS_FOLDING.test(text)) return { plain: text, at: (offset) => offset };
  let plain = "";
  let moved = false;
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const folded = SIGNS[character] ?? (character > "\u007f" && STRANGE.test(character) ? digitOf(character) : character);
    for (let i = 0; i < folded.length; i++) offsets.push(offset + i);
    plain += folded;
    moved ||= folded.length !== character.length;
    offset += character.length;
  }
  offsets.push(text.length);
  return { plain, at: moved ? (place) => offsets[place] ?? text.length : (place) => place };
}

/** Decimal digits of a script stand in a row of ten that starts with its zero. */
export function digitOf(digit: string): string {
  const compatible = digit.normalize("NFKC");
  if (/^[0-9]$/.test(compatible)) return compatible;
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}
