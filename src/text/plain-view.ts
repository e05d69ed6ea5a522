/** A text as a person reads it: characters without width gone, digits of every script, dashes, blanks and full-width signs as ASCII. */
export interface PlainView {
  readonly plain: string;
  /** From an offset in `plain` to the offset in the text; `plain.length` leads to the text's end. */
  readonly at: (offset: number) => number;
}

const INVISIBLE = /\p{Cf}|\p{Mn}/u;
const DASH = /\p{Pd}|\u2212/u;
const BLANK = /\p{Zs}/u;
const DIGIT = /\p{Nd}/u;
/** Stops that browsers and readers take for a dot. */
const DOT = /[\u3002\uff0e\uff61\u2024]/;

/** Folds what hides an address, a number or an order from a pattern; offsets lead back. ASCII text is returned as it is. */
export function plainView(text: string): PlainView {
  if (/^\p{ASCII}*$/u.test(text)) return { plain: text, at: (offset) => offset };
  let plain = "";
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const folded = character < "\u0080" ? character : fold(character);
    for (let i = 0; i < folded.length; i++) offsets.push(offset);
    plain += folded;
    offset += character.length;
  }
  return { plain, at: (place) => offsets[place] ?? text.length };
}

function fold(character: string): string {
  if (INVISIBLE.test(character)) return "";
  if (DIGIT.test(character)) return digitOf(character);
  if (DASH.test(character)) return "-";
  if (BLANK.test(character)) return " ";
  if (DOT.test(character)) return ".";
  const compatible = character.normalize("NFKC");
  return compatible.length === 1 && compatible < "\u0080" ? compatible : character;
}

/** Decimal digits of a script stand in a row of ten that starts with its zero. */
function digitOf(digit: string): string {
  const compatible = digit.normalize("NFKC");
  if (/^[0-9]$/.test(compatible)) return compatible;
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}
