/** A text in small letters without the marks on them, as whoever lacks a key for them writes it: "Café Münster" and "cafe munster", "Straße" and "strasse". */
export function foldMarks(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toUpperCase().toLowerCase();
}
