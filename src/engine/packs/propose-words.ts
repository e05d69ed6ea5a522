import { createWordReader } from "../../reading/content-words.ts";
import { MONTHS } from "../../reading/numbers.ts";
import type { FolderDocument } from "./read-documents.ts";

/** Words of a topic besides its name. */
const TOPIC_WORDS = 5;
/** Shorter words tell topics apart badly, in letters. */
const LEAST_LETTERS = 4;
/** Names and codes proposed at most; the rest is the user's to add. */
const MOST_NAMES = 12;
/** Seen so often, a capitalised word inside a sentence is a name of the subject. */
const NAME_OCCURRENCES = 3;

/** Words that stand in one group of documents and not in the others, most telling first; ties in the order of the alphabet. */
export function tellingWords(groups: ReadonlyMap<string, readonly FolderDocument[]>): Map<string, string[]> {
  const read = createWordReader();
  const counted = new Map<string, Map<string, { text: string; n: number }>>();
  for (const [group, documents] of groups) {
    const counts = new Map<string, { text: string; n: number }>();
    for (const { text } of documents) {
      for (const word of read(text)) {
        if (word.common || word.text.length < LEAST_LETTERS) continue;
        const known = counts.get(word.root) ?? { text: word.text, n: 0 };
        counts.set(word.root, { ...known, n: known.n + 1 });
      }
    }
    counted.set(group, counts);
  }
  const holders = new Map<string, number>();
  for (const counts of counted.values()) for (const root of counts.keys()) holders.set(root, (holders.get(root) ?? 0) + 1);
  const weigh = (root: string, n: number) => n * Math.log((1 + groups.size) / (holders.get(root) ?? 1));
  return new Map(
    [...counted].map(([group, counts]) => [
      group,
      [...counts]
        .map(([root, { text, n }]) => ({ text, weight: weigh(root, n) }))
        .sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
        .slice(0, TOPIC_WORDS)
        .map(({ text }) => text),
    ]),
  );
}

/** `Formulary Clearance Board (FCB)`: what the documents themselves write out. */
export function abbreviationsIn(documents: readonly FolderDocument[]): Record<string, string[]> {
  const found = new Map<string, string>();
  for (const { text } of documents) {
    for (const { 1: short = "", index } of text.matchAll(/\(([A-Z][A-Z&]{1,6})\)/g)) {
      const long = writtenOut(text.slice(Math.max(0, index - 120), index), short);
      if (long !== null && !found.has(short)) found.set(short, long.toLowerCase());
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([short, long]) => [short, [long]]));
}

/** The words before the bracket whose initials are its letters; small words between them count for nothing. */
function writtenOut(before: string, short: string): string | null {
  const letters = [...short.replaceAll("&", "")].reverse();
  const words = [...before.matchAll(/[\p{L}\p{N}'’]+/gu)].reverse();
  let next = 0;
  for (const { 0: word, index } of words) {
    if (word[0]?.toUpperCase() === letters[next]) next++;
    else if (!/^(?:of|and|for|the|to|in|on)$/.test(word)) return null;
    if (next === letters.length) return before.slice(index).trim();
  }
  return null;
}

/** Beginnings of codes such as `CX-` of `CX-110`, where at least two different ones stand. */
export function codePrefixesIn(documents: readonly FolderDocument[]): string[] {
  const codes = new Map<string, Set<string>>();
  for (const { text } of documents) {
    for (const { 0: code, 1: prefix = "" } of text.matchAll(/\b([A-Z]{1,5}-)\d{1,6}\b/g)) {
      codes.set(prefix, (codes.get(prefix) ?? new Set()).add(code));
    }
  }
  return [...codes]
    .filter(([, seen]) => seen.size > 1)
    .map(([prefix]) => prefix)
    .sort()
    .slice(0, MOST_NAMES);
}

/** Names of the subject: capitals inside sentences, time after time; months and days of the week are none. */
export function namesIn(documents: readonly FolderDocument[]): string[] {
  const week = Array.from({ length: 7 }, (_, day) =>
    new Date(Date.UTC(2024, 0, 7 + day)).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }),
  );
  const dates = new RegExp(`^(?:${[...week, ...MONTHS].join("|")})s?\\b`, "i");
  const counts = new Map<string, number>();
  for (const { text } of documents) {
    for (const { 0: name } of text.matchAll(/(?<=[\p{Ll}\p{N},;] )\p{Lu}[\p{L}\p{N}]{2,}(?: \p{Lu}[\p{L}\p{N}]+){0,3}/gu)) {
      if (!dates.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, n]) => n >= NAME_OCCURRENCES)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(([name]) => name);
}
