/** Normalises a question for comparison: NFKC, lower case, single spaces, no punctuation at the end. */
export function normalizeQuestion(text: string): string {
  return withPartedDigits(text)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[\s?.!]+$/, "");
}

/** Checks whether a text ends with a question mark and equals the question after normalisation. */
export function repeatsQuestion(text: string, question: string): boolean {
  return /[?\uff1f][\s)"'\u2019\u201d\u00bb]*$/.test(text) && normalizeQuestion(text) === normalizeQuestion(question);
}

/** Latin letters that Unicode does not decompose into letter and mark, with their replacements. */
const WHOLE: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const WHOLE_LETTER = new RegExp(`[${Object.keys(WHOLE).join("")}]`, "gu");
const WHOLE_LETTERS = new RegExp(WHOLE_LETTER, "giu");

/**
 * Lower-cases a text and removes the marks on Latin letters, so that "Café Münster" equals "cafe munster" and "Straße"
 * equals "strasse". Marks in other scripts stay, because they distinguish letters.
 */
export function foldMarks(text: string): string {
  return (
    plainForms(text)
      .toLowerCase()
      .normalize("NFD")
      // Match marks, and then test the letter before each: faster than matching letters, because few letters have marks.
      .replaceAll(/\p{M}+/gu, (marks, at: number, whole: string) => (ENDS_LATIN.test(whole.slice(Math.max(0, at - 2), at)) ? "" : marks))
      .normalize("NFC")
      .replaceAll(WHOLE_LETTER, (letter) => WHOLE[letter] ?? letter)
  );
}

const ENDS_LATIN = /\p{Script=Latin}$/u;

/** Matches compatibility forms of letters and digits, such as "ﬁ", "𝐝" and "₂", except the ordinals "ª" and "º". */
const COMPATIBLE = /(?![\0-\x7f\u00aa\u00ba])[\p{L}\p{Nd}\u2080-\u2089]/gu;

/** Replaces compatibility forms of letters and digits with plain ones. */
function plainForms(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text;
  return text.replaceAll(COMPATIBLE, (character) => character.normalize("NFKC"));
}

/** Replaces compatibility forms of letters and digits ("ﬁ" → "fi"), and letters that do not decompose ("đ" → "d"). */
export function plainLetters(text: string): string {
  return plainForms(text).replaceAll(WHOLE_LETTERS, (letter) => WHOLE[letter.toLowerCase()] ?? letter);
}

/** Superscript digits (exponents and footnote marks), for use inside a character class. */
export const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079";
const LOWERED = "\u2080-\u2089";

const HOLDS_ONE = new RegExp(`[${RAISED}${LOWERED}\u00bc-\u00be\u2150-\u215e]`, "u");
const RAISED_BEHIND = new RegExp(String.raw`(?<=[\d${LOWERED}])(?=[\u207a\u207b]?[${RAISED}])`, "gu");
const LOWERED_BEHIND = new RegExp(String.raw`(?<=\d)(?=[${LOWERED}])|(?<=[${RAISED}${LOWERED}])(?=\d)`, "gu");

const FRACTION_BEHIND = /(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])/gu;

/**
 * Separates superscripts, subscripts and fractions from the digits before them, so that normalisation cannot join them:
 * "10⁶" becomes "10^⁶", never 106, and "1½" becomes "1 ½", never 11/2.
 */
export function withPartedDigits(text: string): string {
  if (!HOLDS_ONE.test(text)) return text;
  return text.replace(RAISED_BEHIND, "^").replace(LOWERED_BEHIND, "_").replace(FRACTION_BEHIND, " ");
}

const INVISIBLE = /\p{Cf}|\p{Mn}/u;
const DASH = /\p{Pd}|\u2212/u;
const BLANK = /\p{Zs}/u;
const DIGIT = /\p{Nd}/u;
/** Matches full stops of other scripts, such as "。", which browsers treat as a dot in a host name. */
const DOT = /[\u3002\uff0e\uff61\u2024]/;

/**
 * Rewrites a text so that no character hides an address, a number or an instruction from a regular expression. Removes
 * zero-width characters. Replaces digits of any script, dashes, spaces and full-width signs with ASCII. The result is
 * `plain`. `at` maps an offset in `plain` to an offset in `text`, and `plain.length` to the end of `text`.
 */
export function plainView(text: string) {
  if (/^\p{ASCII}*$/u.test(text)) return { plain: text, at: (offset: number) => offset };
  let plain = "";
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const folded = character < "\u0080" ? character : fold(character);
    for (let i = 0; i < folded.length; i++) offsets.push(offset);
    plain += folded;
    offset += character.length;
  }
  return { plain, at: (place: number) => offsets[place] ?? text.length };
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

/** Converts a decimal digit of any script to ASCII ("٣" → "3"). Unicode lists the ten digits of each script in order from zero. */
export function digitOf(digit: string): string {
  const compatible = digit.normalize("NFKC");
  if (/^[0-9]$/.test(compatible)) return compatible;
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

/** Escapes a text for use in a regular expression. */
export function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Compares two texts by UTF-16 code units, for `sort`. Unlike locale order, the result is the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
