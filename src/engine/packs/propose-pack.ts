import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { z } from "zod";
import { isFindable } from "../../guard/hotlines.ts";
import { createWordReader } from "../../language/content-words.ts";
import { messageOf, RequestError } from "../../shared/errors.ts";
import { httpUrl } from "../../text/paths.ts";
import { domainSchema } from "../domain.ts";
import type { FolderDocument } from "./check-pack.ts";
import { countWords, type WordPair } from "./similar-words.ts";

const HEAD = `# Proposed from the documents. Review it, and correct or remove what is wrong. docs/domain-yaml.md explains every key.
# Not proposed; add them yourself if you need them: contacts, hotlines, entities, precedence, tenants, a golden set.
`;
const SIMILAR = `# Similar words of the documents: synonyms, siblings or opposites. Uncomment the key and the pairs that mean the same.
# synonyms:
`;

/** @param similar pairs of words, written as commented-out synonyms for the user to check */
export function packText(pack: ProposedPack, similar: readonly WordPair[]): string {
  const pairs = similar.map(([a, b]) => `#   - [${a}, ${b}]\n`).join("");
  return `${HEAD}${stringify(pack, { lineWidth: 0 })}${pairs === "" ? "" : SIMILAR}${pairs}`;
}

/**
 * Writes `domain.yaml` into a new folder; never overwrites an existing pack.
 * @returns the file's path
 * @throws RequestError `config_pack_exists`, `pack_unwritable`
 */
export function writePack(domainsDir: string, pack: ProposedPack, similar: readonly WordPair[]): string {
  const folder = join(domainsDir, pack.name);
  const path = join(folder, "domain.yaml");
  if (existsSync(path)) {
    const message = `The pack "${pack.name}" already exists (${path}). Choose another name, or edit that pack. --dry-run shows the proposal.`;
    throw new RequestError("config_pack_exists", message, { path });
  }
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, packText(pack, similar), { flag: "wx" });
  } catch (cause) {
    const message = `${path} could not be written (${messageOf(cause)}). Choose another folder with --into.`;
    throw new RequestError("pack_unwritable", message, { path }, { cause });
  }
  return path;
}

/** Number of keywords per topic besides its name. */
const TOPIC_WORDS = 5;
/** Minimum letters of a keyword. Shorter words distinguish topics badly. */
const LEAST_LETTERS = 4;

/** Returns the words that best distinguish each group from the others, by tf-idf, best first; ties in alphabetical order. */
function tellingWords(groups: ReadonlyMap<string, readonly FolderDocument[]>): Map<string, string[]> {
  const read = createWordReader();
  const counted = [...groups].map(([group, documents]) => {
    return [group, countWords(documents, read, ({ length }) => length >= LEAST_LETTERS)] as const;
  });
  const holders = Map.groupBy(
    counted.flatMap(([, counts]) => [...counts.keys()]),
    (root) => root,
  );
  const weigh = (root: string, n: number) => n * Math.log((1 + groups.size) / (holders.get(root)?.length ?? 1));
  return new Map(
    counted.map(([group, counts]) => [
      group,
      [...counts]
        .map(([root, { text, n }]) => ({ text, weight: weigh(root, n) }))
        .sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
        .slice(0, TOPIC_WORDS)
        .map(({ text }) => text),
    ]),
  );
}

/** Finds abbreviations that the documents define, such as `Formulary Clearance Board (FCB)`. */
function abbreviationsIn(documents: readonly FolderDocument[]): Record<string, string[]> {
  const found = new Map<string, string>();
  for (const { text } of documents) {
    for (const { 1: short = "", index } of text.matchAll(/\(([A-Z][A-Z&]{1,6})\)/g)) {
      const long = writtenOut(text.slice(Math.max(0, index - 120), index), short);
      if (long !== null && !found.has(short)) found.set(short, long.toLowerCase());
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([short, long]) => [short, [long]]));
}

/** Returns the last words of `before` whose initials, without those of function words, are the abbreviation; `null`: none. */
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

const proposedSchema = domainSchema.pick({
  ...{ name: true, title: true, description: true, documents: true, hosts: true },
  ...{ topics: true, abbreviations: true },
});
/** A draft pack, derived from the documents. */
export type ProposedPack = z.infer<typeof proposedSchema>;

const MOST_TOPICS = 12;

/**
 * Proposes title, hosts, topics and abbreviations that occur in the documents. Proposes no example questions, because
 * the web app derives them from the documents.
 * @param path folder of the documents, as written in the pack
 * @param title @default the title of the folder's first page, else the name in words
 */
export function proposePack(name: string, documents: readonly FolderDocument[], path: string, title?: string): ProposedPack {
  const first = documents.find(({ path: file }) => /(?:^|\/)(?:index|readme)\.[a-z]+$/i.test(file));
  const groups = groupsOf(documents);
  const words = tellingWords(groups);
  const names = [...groups.keys()];
  return proposedSchema.parse({
    name,
    title: title ?? first?.metadata.title ?? capital(name.replaceAll(/[-_]+/g, " ")),
    description:
      first?.metadata.description ?? `${documents.length} documents: ${names.slice(0, 5).join(", ")}${names.length > 5 ? " …" : ""}`,
    documents: { path, access: "public" },
    hosts: hostsOf(documents),
    topics: names.flatMap((topic) => {
      const slug = slugOf(topic);
      const keywords = [...new Set([topic.toLowerCase(), ...(words.get(topic) ?? [])])].filter(isFindable);
      return slug === "" || keywords.length === 0 ? [] : [{ slug, name: capital(topic), keywords }];
    }),
    abbreviations: abbreviationsIn(documents),
  });
}

/** Groups documents by their declared topics, or else by folder, or else one by one. Returns the largest `MOST_TOPICS` groups. */
function groupsOf(documents: readonly FolderDocument[]): Map<string, readonly FolderDocument[]> {
  const inWords = (text: string) => text.replaceAll(/[-_]+/g, " ").trim();
  const byTopic = groupBy(documents, ({ metadata: { topic } }) => (topic === null ? null : inWords(topic)));
  const byFolder = groupBy(documents, ({ path }) => (path.includes("/") ? inWords(path.split("/").at(-2) ?? "") : null));
  const chosen = [byTopic, byFolder].find((groups) => groups.size > 1 && [...groups.values()].flat().length * 2 >= documents.length);
  const groups = chosen ?? groupBy(documents, ({ metadata: { title } }) => title);
  const bySize = [...groups].sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1));
  const slugs = new Set<string>();
  const distinct = bySize.filter(([group]) => slugs.size < slugs.add(slugOf(group)).size);
  return new Map(distinct.slice(0, MOST_TOPICS).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function groupBy(documents: readonly FolderDocument[], keyOf: (document: FolderDocument) => string | null): Map<string, FolderDocument[]> {
  const groups = Map.groupBy(documents, (document) => keyOf(document) ?? "");
  groups.delete("");
  return groups;
}

function hostsOf(documents: readonly FolderDocument[]): string[] {
  const addresses = documents.flatMap(({ metadata }) => httpUrl(metadata.url) ?? []);
  return [...new Set(addresses.map((one) => new URL(one).hostname))].sort();
}

function slugOf(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 60);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
