import { join } from "node:path";
import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";

const sectionSchema = z.object({ title: z.string(), heading: z.string(), text: z.string() });

const rowSchema = z.object({
  /** The organisation of both pages. */
  field: z.string(),
  question: z.string(),
  a: sectionSchema,
  b: sectionSchema,
  /** Whether the two sections cannot both hold. */
  contradicts: z.boolean(),
  kind: z.string(),
  why: z.string(),
  /** The conflicting sentences, or similar ones, as exact substrings of the sections. */
  quote_a: z.string(),
  quote_b: z.string(),
});
export type ContradictionRow = z.infer<typeof rowSchema>;
export type Section = z.infer<typeof sectionSchema>;

/** For training, and for reporting: by different writers and from different fields. */
export type ContradictionPart = "written" | "held-out";

/** Reads pairs of sections that contradict each other or only look like it. @param folder folder of the set */
export function readContradictions(folder: string, part: ContradictionPart): ContradictionRow[] {
  return readGolden(folder, `${part}.jsonl`, rowSchema);
}

export function toPage({ title, heading, text }: Section): string {
  return `# ${title}\n\n## ${heading}\n\n${text}\n`;
}

/** Returns the folder of the set. @param sets folder of the lab's own sets */
export function contradictionsIn(sets: string): string {
  return join(sets, "contradictions");
}
