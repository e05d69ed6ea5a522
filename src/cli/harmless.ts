/** Control characters but the line break, and characters that reorder text: they move a terminal's cursor, recolour or rename it, or show a text as another. */
const HARMFUL = /(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** Text from documents, files and arguments as a terminal may show it: what would steer the terminal is written out, such as `\x1b`. */
export function harmless(text: string): string {
  return text.replaceAll(HARMFUL, (character) => {
    const code = character.charCodeAt(0);
    return code === 9 ? " " : code > 0xff ? `\\u${code.toString(16)}` : `\\x${code.toString(16).padStart(2, "0")}`;
  });
}

/** The same on one line. */
export function harmlessLine(text: string): string {
  return harmless(text).replaceAll("\n", "\\n");
}
