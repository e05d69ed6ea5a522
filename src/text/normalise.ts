/** One spelling: NFKC, lower case, single spaces, no closing punctuation. Letters and digits stay as they are. */
export function normalizeQuestion(text: string): string {
  return withPartedDigits(text)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[\s?.!]+$/, "");
}

/** Whether a text is the question and nothing else: it asks, and answers nothing. */
export function repeatsQuestion(text: string, question: string): boolean {
  return /[?\uff1f][\s)"'\u2019\u201d\u00bb]*$/.test(text) && normalizeQuestion(text) === normalizeQuestion(question);
}

/** Letters of Latin script whose mark is part of them: they do not come apart. */
const WHOLE: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const WHOLE_LETTER = new RegExp(`[${Object.keys(WHOLE).join("")}]`, "gu");
const WHOLE_LETTERS = new RegExp(WHOLE_LETTER, "giu");

/**
 * A text in small letters, those of Latin script without the marks on them, as whoever lacks a key for them writes it: "Café Münster" and "cafe munster", "Straße" and
 * "strasse". Marks of other scripts are letters of their own.
 */
export function foldMarks(text: string): string {
  return (
    plainForms(text)
      .toLowerCase()
      .normalize("NFD")
      // Looks for marks first: few letters have any.
      .replaceAll(/\p{M}+/gu, (marks, at: number, whole: string) => (ENDS_LATIN.test(whole.slice(Math.max(0, at - 2), at)) ? "" : marks))
      .normalize("NFC")
      .replaceAll(WHOLE_LETTER, (letter) => WHOLE[letter] ?? letter)
  );
}

const ENDS_LATIN = /\p{Script=Latin}$/u;

/** Letters and digits that are another form of plain ones, such as "ﬁ", "𝐝" and "₂", except the ordinals "ª" and "º". */
const COMPATIBLE = /(?![\0-\x7f\u00aa\u00ba])[\p{L}\p{Nd}\u2080-\u2089]/gu;

/** A text with compatibility forms of letters and digits as plain ones. */
function plainForms(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text;
  return text.replaceAll(COMPATIBLE, (character) => character.normalize("NFKC"));
}

/** The same, with letters such as "đ" as plain ones too. */
export function plainLetters(text: string): string {
  return plainForms(text).replaceAll(WHOLE_LETTERS, (letter) => WHOLE[letter.toLowerCase()] ?? letter);
}

/** Raised digits, as of powers and of the marks of notes, as the inside of a class of characters. */
export const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079";
const LOWERED = "\u2080-\u2089";

const HOLDS_ONE = new RegExp(`[${RAISED}${LOWERED}\u00bc-\u00be\u2150-\u215e]`, "u");
const RAISED_BEHIND = new RegExp(String.raw`(?<=[\d${LOWERED}])(?=[\u207a\u207b]?[${RAISED}])`, "gu");
const LOWERED_BEHIND = new RegExp(String.raw`(?<=\d)(?=[${LOWERED}])|(?<=[${RAISED}${LOWERED}])(?=\d)`, "gu");

const FRACTION_BEHIND = /(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])/gu;

/** A text before its raised and lowered digits and its fractions become plain ones: "10⁶" as "10^⁶", so that it is never 106, and "1½" as "1 ½", never 11/2. */
export function withPartedDigits(text: string): string {
  if (!HOLDS_ONE.test(text)) return text;
  return text.replace(RAISED_BEHIND, "^").replace(LOWERED_BEHIND, "_").replace(FRACTION_BEHIND, " ");
}

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

/** Returns a decimal digit of any script as an ASCII digit. Unicode lists the ten digits of a script in a row from zero. */
export function digitOf(digit: string): string {
  const compatible = digit.normalize("NFKC");
  if (/^[0-9]$/.test(compatible)) return compatible;
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

/** The source of a pattern that finds a text by its letters: nothing in it stands for anything else. */
export function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** The order of two texts by their UTF-16 code units, for `sort`: the same on every machine, whatever its language is. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
