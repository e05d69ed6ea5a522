import type { Random } from "../../src/grading/metrics.ts";
import type { TextRange } from "../../src/shared/types.ts";
import { mutate } from "./mutations.ts";

/** Kinds of edit: a quoted fact changes, or a paragraph is added elsewhere. */
export type EditKind = "fact" | "beside";

/** Every n-th edit is outside the quotes: cached answers that rest on other passages of the document may stay. */
export const BESIDE_EVERY = 3;

/** Changes the fact in a quote: its value, else its polarity, else by an added phrase. */
export function changeFact(source: string, { start, end }: TextRange, random: Random): string {
  const said = source.slice(start, end);
  const other = mutate("value", said, said, { text: "" }, random) ?? mutate("negation", said, said, { text: "" }, random);
  return source.slice(0, start) + (other === null || other === said ? `${said} (until further notice)` : other) + source.slice(end);
}

/** Appends a paragraph, a different one each time. */
export function addBeside(source: string, at: number): string {
  return `${source.trimEnd()}\n\n## Note ${at}\n\nThis page was looked through again, the last time as number ${at} of the day.\n`;
}
