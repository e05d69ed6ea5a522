import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../src/shared/types.ts";
import { sha256Hex } from "../../src/text/hash.ts";

/**
 * Tests whether a quote is in the file on disk at the cited range. The file's hash must match. The letters and digits of the quote must
 * occur in the range in order, and include its first and last ones. Other characters may be markup that the parser removes; tags are
 * ignored, also at the ends of the range.
 * @param root folder that citation paths are relative to
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

/** Matches a markup tag, which contains no text. */
const TAG = /<\/?[a-z][^<>]*>/gi;

function lettersOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]/gu) ?? [];
}
