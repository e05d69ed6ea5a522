import { join } from "node:path";
import { z } from "zod";
import { readLines } from "../../src/grading/golden.ts";

const sectionSchema = z.object({ title: z.string(), heading: z.string(), text: z.string() });

const rowSchema = z.object({
  /** Which organisation's pages both are of. */
  field: z.string(),
  question: z.string(),
  a: sectionSchema,
  b: sectionSchema,
  /** Can both not hold? */
  contradicts: z.boolean(),
  kind: z.string(),
  why: z.string(),
  /** The sentences that clash, or might be held to, in the exact words of the sections. */
  quote_a: z.string(),
  quote_b: z.string(),
});
export type ContradictionRow = z.infer<typeof rowSchema>;
export type Section = z.infer<typeof sectionSchema>;

/** To learn from, and to report on: by other writers and of other fields. */
export type ContradictionPart = "written" | "held-out";

/** Pairs of sections that contradict each other, or look like it. @param folder of the set */
export function readContradictions(folder: string, part: ContradictionPart): ContradictionRow[] {
  return readLines(folder, `${part}.jsonl`, rowSchema);
}

/** A section as a page of its own. */
export function toPage({ title, heading, text }: Section): string {
  return `# ${title}\n\n## ${heading}\n\n${text}\n`;
}

/** Folder of the set. @param sets folder of the lab's own sets */
export function contradictionsIn(sets: string): string {
  return join(sets, "contradictions");
}
