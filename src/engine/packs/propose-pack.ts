import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { z } from "zod";
import { messageOf, RequestError } from "../../shared/errors.ts";
import { httpUrl } from "../../text/paths.ts";
import { domainSchema } from "../domain.ts";
import type { FolderDocument } from "./check-pack.ts";

const HEAD = `# Proposed from the documents: read it, correct it, take out what is wrong. Every key is explained in docs/domain-yaml.md.
# Still to be said by you: topics, synonyms, contacts, hotlines, entities, precedence, tenants, a golden set.
`;

export function packText(pack: ProposedPack): string {
  return HEAD + stringify(pack, { lineWidth: 0 });
}

/**
 * Writes `domain.yaml` into a new folder; never overwrites an existing pack.
 * @returns the file's path
 * @throws RequestError `config_pack_exists`, `pack_unwritable`
 */
export function writePack(domainsDir: string, pack: ProposedPack): string {
  const folder = join(domainsDir, pack.name);
  const path = join(folder, "domain.yaml");
  if (existsSync(path)) {
    const message = `The pack "${pack.name}" already exists (${path}). Choose another name, or edit that pack. --dry-run shows the proposal.`;
    throw new RequestError("config_pack_exists", message, { path });
  }
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, packText(pack), { flag: "wx" });
  } catch (cause) {
    const message = `${path} could not be written (${messageOf(cause)}). Choose another folder with --into.`;
    throw new RequestError("pack_unwritable", message, { path }, { cause });
  }
  return path;
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

/** Returns the words before the bracket whose initials are the abbreviation, skipping function words. */
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
  ...{ name: true, title: true, description: true, documents: true, hosts: true, abbreviations: true },
});
/** A draft pack, derived from the documents. */
export type ProposedPack = z.infer<typeof proposedSchema>;

/**
 * Proposes title, hosts and abbreviations that occur in the documents.
 * @param path folder of the documents, as written in the pack
 * @param title @default the title of the folder's first page, else the name in words
 */
export function proposePack(name: string, documents: readonly FolderDocument[], path: string, title?: string): ProposedPack {
  const first = documents.find(({ path: file }) => /(?:^|\/)(?:index|readme)\.[a-z]+$/i.test(file));
  const plain = name.replaceAll(/[-_]+/g, " ");
  const titles = [...new Set(documents.map(({ metadata }) => metadata.title))];
  return proposedSchema.parse({
    name,
    title: title ?? first?.metadata.title ?? plain.slice(0, 1).toUpperCase() + plain.slice(1),
    description:
      first?.metadata.description ?? `${documents.length} documents: ${titles.slice(0, 5).join(", ")}${titles.length > 5 ? " …" : ""}`,
    documents: { path, access: "public" },
    hosts: hostsOf(documents),
    abbreviations: abbreviationsIn(documents),
  });
}

function hostsOf(documents: readonly FolderDocument[]): string[] {
  const addresses = documents.flatMap(({ metadata }) => httpUrl(metadata.url) ?? []);
  return [...new Set(addresses.map((one) => new URL(one).hostname))].sort();
}
