import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";
import { literally } from "../text/literally.ts";

const words = z.array(z.string().min(1));
const groups = z.array(words);

const fileSchema = z.strictObject({
  /** Why each list stands here. */
  reasons: z.record(z.string(), z.string().min(1)),
  persons: groups,
  wider_persons: z.record(z.string(), words),
  us_states: words,
  home_countries: words,
  abroad: words,
  periods: groups,
  empty_phrases: words,
  light_words: words,
  quantifiers: words,
  same: groups,
  opposites: z.array(z.tuple([z.string().min(1), z.string().min(1)])),
});

type WordFile = z.infer<typeof fileSchema>;

/** General vocabulary of questions: nothing in it belongs to one domain. */
export interface QuestionWords
  extends Pick<WordFile, "reasons" | "persons" | "us_states" | "abroad" | "periods" | "empty_phrases" | "same" | "opposites"> {
  readonly wider: ReadonlyMap<string, readonly string[]>;
  readonly home: ReadonlySet<string>;
  readonly light: ReadonlySet<string>;
  readonly quantifiers: ReadonlySet<string>;
}

/** Reads `question-words.json`; each of its lists says there why it is needed. */
export function loadQuestionWords(path: string = join(PACKAGE_ROOT, "src", "compare", "question-words.json")): QuestionWords {
  const { wider_persons, home_countries, light_words, quantifiers, ...lists } = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  return {
    ...lists,
    wider: new Map(Object.entries(wider_persons)),
    home: new Set(home_countries),
    light: new Set(light_words),
    quantifiers: new Set(quantifiers),
  };
}

/** A word for a person of the lists, the pronouns aside. */
export function personPattern(persons: readonly (readonly string[])[]): RegExp {
  const named = persons.flat().filter((word) => !word.startsWith("my "));
  return new RegExp(String.raw`\b(?:${named.map(literally).join("|")})(?:s|'s|’s)?\b`, "iu");
}
