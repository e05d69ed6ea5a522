/** Letters of Latin script whose mark is part of them: they do not come apart. */
const WHOLE: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const WHOLE_LETTER = new RegExp(`[${Object.keys(WHOLE).join("")}]`, "gu");

/**
 * A text in small letters, those of Latin script without the marks on them, as whoever lacks a key for them writes it: "Café Münster" and "cafe munster", "Straße" and
 * "strasse". Marks of other scripts are letters of their own.
 */
export function foldMarks(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFC")
    .replaceAll(WHOLE_LETTER, (letter) => WHOLE[letter] ?? letter);
}
