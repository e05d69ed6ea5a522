import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";

const tableSchema = z.object({ source: z.string(), groups: z.array(z.string()), opposites: z.array(z.string()) });

/** What a dictionary says of words, by stem. */
export interface WordRelations {
  /** Numbers of the groups of synonyms that hold a word; empty of an unknown one. */
  groups(stem: string): readonly number[];
  /** Pairs of opposites that a word is in, as `3+` for one side and `3-` for the other. */
  sides(stem: string): readonly string[];
}

/**
 * Synonyms and opposites of common English words, out of WordNet (`lab/train/cache/word-relations.mjs`).
 * @param stem maps a word to the key by which it is asked for
 */
export function loadWordRelations(
  stem: (word: string) => string,
  path: string = join(PACKAGE_ROOT, "src", "compare", "word-relations.json"),
): WordRelations {
  const table = tableSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const groups = new Map<string, number[]>();
  table.groups.forEach((line, i) => {
    for (const word of line.split(" ")) append(groups, stem(word), i);
  });
  const sides = new Map<string, string[]>();
  table.opposites.forEach((line, i) => {
    const [one = "", other = ""] = line.split(" ").map(stem);
    // Forms of one word are no opposites of each other.
    if (one === other) return;
    append(sides, one, `w${i}+`);
    append(sides, other, `w${i}-`);
  });
  return { groups: (word) => groups.get(word) ?? [], sides: (word) => sides.get(word) ?? [] };
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
