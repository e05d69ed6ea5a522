// What the programs share that write features or claims of data sets.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Rows of a file of JSON lines in the folder of sets. */
export const linesIn = (data) => (file) =>
  readFileSync(join(data, file), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

export const hashOf = (text) => createHash("sha256").update(text).digest();

/** So many items, drawn by the hash of their key: the same each time. */
export const draw = (items, limit, keyOf) =>
  items
    .map((item) => ({ item, key: hashOf(keyOf(item)).toString("hex") }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, limit)
    .map(({ item }) => item);

/** Puts a story before half of the questions, as people tell it: what it says is not asked. @param asked rows of clinc150 */
export function createStoryteller(asked) {
  const stories = asked.filter(({ text, intent }) => intent !== "oos" && /^(?:i|my|we|our)\b/.test(text) && text.length > 25);
  return (text, seed) => {
    const hash = hashOf(`story ${seed}${text}`);
    if (hash[0] % 2 === 0) return text;
    const story = Array.from({ length: 1 + (hash[1] % 3) }, (_, i) => stories[hash.readUInt32BE(4 + 4 * i) % stories.length].text);
    return `${story.map((one) => `${one[0].toUpperCase()}${one.slice(1)}.`).join(" ")} ${text}`;
  };
}
