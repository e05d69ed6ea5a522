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

/** The root by which words of questions are compared: Porter's, with irregular forms first. */
export function createWordStemmer(): (word: string) => string {
  const porter = createStemmer();
  return (word) => porter(IRREGULAR.get(word) ?? word);
}

const tableSchema = z.object({ source: z.string(), groups: z.array(z.string()), opposites: z.array(z.string()) });

/** What a dictionary says of words, by stem. */
interface WordRelations {
  /** Numbers of the groups of synonyms that hold a word; empty of an unknown one. */
  groups(stem: string): readonly number[];
  /** Pairs of opposites that a word is in, as `3+` for one side and `3-` for the other. */
  sides(stem: string): readonly string[];
}

/**
 * Synonyms and opposites of common English words, out of WordNet (`lab/train/cache/word-relations.mjs`).
 * @param stem maps a word to the key by which it is asked for
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

/** What is known of words in every domain. Each list is read when it is first asked for: some tens of milliseconds, once for all who share this. */
export interface GeneralWords {
  readonly english: EnglishWords;
  /** By the stems of `createWordStemmer`. */
  readonly relations: () => WordRelations;
}

export function createGeneralWords(): GeneralWords {
  return { english: createEnglishWords(), relations: once(() => loadWordRelations(createWordStemmer())) };
}

/** The lists that ship, one of each for all of the process. */
export const sharedWords = whileHeld(createGeneralWords);
