import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../src/shared/types.ts";
import { sha256Hex } from "../../src/text/hash.ts";

/**
 * Does a quote stand in the file on disk where the citation says? The file must be the one that was read, by its hash; the letters and digits of the quote must be
 * those of the cited range in order, from its first to its last. Marks between them may be the format's: of text files, what its normaliser takes out; the letters
 * of a tag are marks too, also at an end of the range.
 * @param root the folder to which the paths of citations are relative
 */
export function standsInFile({ quote, original }: Pick<Answer["citations"][number], "quote" | "original">, root: string): boolean {
  const bytes = readFileSync(join(root, original.path));
  if (sha256Hex(bytes) !== original.sha256 || original.unit !== "utf16") return false;
  const range = new TextDecoder(original.encoding ?? "utf-8").decode(bytes).slice(original.start, original.end);
  const raw = lettersOf(range.replaceAll(TAG, ""));
  const said = lettersOf(quote);
  let at = 0;
  for (const letter of said) {
    const next = raw.indexOf(letter, at);
    if (next < 0) return false;
    at = next + 1;
  }
  return said.length > 0 && raw[0] === said[0] && raw.at(-1) === said.at(-1);
}

/** A whole tag of markup: no text stands in it. */
const TAG = /<\/?[a-z][^<>]*>/gi;

function lettersOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]/gu) ?? [];
}
