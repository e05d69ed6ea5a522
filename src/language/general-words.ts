import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";
import { once, whileHeld } from "../text/memo.ts";
import { createStemmer } from "../text/tokens.ts";
import { createEnglishWords, type EnglishWords } from "./content-words.ts";

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "paid:pay bought:buy sent:send sold:sell lost:lose left:leave kept:keep met:meet taught:teach told:tell built:build spent:spend began:begin " +
    "begun:begin chose:choose chosen:choose wrote:write written:write broke:break broken:break stole:steal stolen:steal caught:catch drove:drive " +
    "flew:fly grew:grow held:hold led:lead lent:lend rose:rise ran:run saw:see seen:see spoke:speak spoken:speak stood:stand swore:swear thought:think " +
    "withdrew:withdraw withdrawn:withdraw wore:wear children:child wives:wife husbands:husband men:man women:woman feet:foot teeth:tooth people:person " +
    "died:die dying:die buried:bury lives:life dependants:dependent dependant:dependent cemetary:cemetery recieve:receive licence:license allowance:stipend allowances:stipend"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** Returns a stemmer for the words of questions: Porter's, after resolving irregular forms. */
export function createWordStemmer(): (word: string) => string {
  const porter = createStemmer();
  return (word) => porter(IRREGULAR.get(word) ?? word);
}

const tableSchema = z.object({ source: z.string(), groups: z.array(z.string()), opposites: z.array(z.string()) });

/** Dictionary relations by stem. */
interface WordRelations {
  /** Returns the numbers of the synonym groups that contain a word; empty for an unknown word. */
  groups(stem: string): readonly number[];
  /** Returns the pairs of opposites that a word belongs to: `w3+` for one side and `w3-` for the other. */
  sides(stem: string): readonly string[];
}

/**
 * Loads synonyms and opposites of common English words from WordNet (`lab/train/cache/word-relations.mjs`).
 * @param stem maps a word to its lookup key
 */
function loadWordRelations(
  stem: (word: string) => string,
  path: string = join(PACKAGE_ROOT, "src", "language", "word-relations.json"),
): WordRelations {
  const table = tableSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const groups = new Map<string, number[]>();
  table.groups.forEach((line, i) => {
    for (const word of line.split(" ")) append(groups, stem(word), i);
  });
  const sides = new Map<string, string[]>();
  table.opposites.forEach((line, i) => {
    const [one = "", other = ""] = line.split(" ").map(stem);
    // Two forms of one word are not opposites.
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

/** Word lists that hold in every domain. Each list loads on first use (tens of milliseconds) and is shared. */
export interface GeneralWords {
  readonly english: EnglishWords;
  /** Keyed by the stems of `createWordStemmer`. */
  readonly relations: () => WordRelations;
}

export function createGeneralWords(): GeneralWords {
  return { english: createEnglishWords(), relations: once(() => loadWordRelations(createWordStemmer())) };
}

/** Returns the bundled lists, one instance per process. */
export const sharedWords = whileHeld(createGeneralWords);
