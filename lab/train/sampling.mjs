// Shared functions of the programs that write features or claims of data sets.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Parses a JSON Lines file of the folder of sets. */
export const linesIn = (data) => (file) =>
  readFileSync(join(data, file), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

export const hashOf = (text) => createHash("sha256").update(text).digest();

/** Samples `limit` items by the hash of their key. */
export const draw = (items, limit, keyOf) =>
  items
    .map((item) => ({ item, key: hashOf(keyOf(item)).toString("hex") }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, limit)
    .map(({ item }) => item);

/** Puts a story before half of the questions, as people do; the story is not part of the question. @param asked rows of clinc150 */
export function createStoryteller(asked) {
  const stories = asked.filter(({ text, intent }) => intent !== "oos" && /^(?:i|my|we|our)\b/.test(text) && text.length > 25);
  return (text, seed) => {
    const hash = hashOf(`story ${seed}${text}`);
    if (hash[0] % 2 === 0) return text;
    const story = Array.from({ length: 1 + (hash[1] % 3) }, (_, i) => stories[hash.readUInt32BE(4 + 4 * i) % stories.length].text);
    return `${story.map((one) => `${one[0].toUpperCase()}${one.slice(1)}.`).join(" ")} ${text}`;
  };
}
