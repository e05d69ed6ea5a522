import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { RequestError } from "../../src/shared/errors.ts";

const questionSchema = z.object({
  id: z.string(),
  /** Page that grounds the answer, relative to the set's folder. */
  document: z.string(),
  question: z.string(),
  turn: z.int(),
  /** Grounding spans in the page's file, in UTF-16 code units. */
  answers: z.array(z.tuple([z.int(), z.int()])).min(1),
  text: z.string(),
});

export type Doc2dialQuestion = z.infer<typeof questionSchema> & {
  /** Host of the page's agency. */
  readonly agency: string;
};

/** Reads questions from dialogues with an agency, each answerable from its page: a seeded sample of `limit`, in file order. */
export function readDoc2dial(folder: string, { limit, seed }: { readonly limit: number; readonly seed: number }): Doc2dialQuestion[] {
  const all = readGolden(folder, "questions", questionSchema).map((one) => ({ ...one, agency: agencyOf(one.document) }));
  const random = createRandom(seed);
  const kept = new Set(
    all
      .map((one) => ({ one, order: random() }))
      .sort((a, b) => a.order - b.order)
      .slice(0, limit)
      .map(({ one }) => one),
  );
  return all.filter((one) => kept.has(one));
}

/**
 * Returns the two hosts of the set's pages.
 * @throws RequestError `data_invalid` unless there are exactly two; the pages of the other host serve as documents without the answer
 */
export function agenciesOf(folder: string): string[] {
  const pages = join(folder, "pages");
  const found = existsSync(pages) ? readdirSync(pages).sort() : [];
  if (found.length === 2) return found;
  throw new RequestError(
    "data_invalid",
    `${pages} holds the pages of ${found.length} agencies and not of two: give the set as it was published.`,
  );
}

export function pagesOfAgency(folder: string, agency: string): string {
  return join(folder, "pages", agency);
}

function agencyOf(document: string): string {
  return document.split("/")[1] ?? document;
}
