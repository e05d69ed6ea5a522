import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Answer, TextRange } from "../../src/types.ts";

/** Sets of messages are halved by collection: chosen on one half, reported on the other. */
export const HALVES = ["first-half", "second-half"] as const;
export type Half = (typeof HALVES)[number];

/** Exact words of a page that answer. */
export const markedSchema = z.object({ page: z.string(), quote: z.string() });
export type Marked = z.infer<typeof markedSchema>;

/**
 * Does an answer quote any of the words that answer?
 * @param corpus folder that the pages are named from
 * @throws Error where a page does not hold its words
 */
export function quotesAny({ citations }: Pick<Answer, "citations">, marked: readonly Marked[], corpus: string): boolean {
  const places = marked.map(({ page, quote }): TextRange & { page: string } => {
    const start = readFileSync(join(corpus, page), "utf8").indexOf(quote);
    if (start < 0) throw new Error(`${page} does not hold ${JSON.stringify(quote)}`);
    return { page, start, end: start + quote.length };
  });
  return citations.some(({ original: { path, start, end } }) =>
    places.some((place) => place.page.endsWith(path) && start < place.end && place.start < end),
  );
}
