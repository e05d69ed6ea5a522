import { isFindable } from "../../guard/hotlines.ts";
import { httpUrl } from "../../text/http-url.ts";
import { literally } from "../../text/literally.ts";
import { outlineOf } from "../../text/outline.ts";
import { type DomainPack, domainSchema } from "../domain.ts";
import { exampleQuestions } from "./example-questions.ts";
import { topicsOf } from "./example-topics.ts";
import { abbreviationsIn, codePrefixesIn, namesIn, tellingWords } from "./propose-words.ts";
import type { FolderDocument } from "./read-documents.ts";

/** A pack that nobody has looked at yet: what stands in it was found in the documents. */
export type ProposedPack = Pick<
  DomainPack,
  "name" | "title" | "description" | "documents" | "hosts" | "topics" | "entities" | "abbreviations" | "examples"
>;

export interface ProposeOptions {
  /** @default the title of the folder's first page, else the name in words */
  readonly title?: string | undefined;
  /** Folder of the documents as the pack writes it. */
  readonly path: string;
}

/** Topics proposed at most. */
const MOST_TOPICS = 12;

/** Proposes title, topics, terms and examples: whatever is proposed stands in the documents. */
export function proposePack(name: string, documents: readonly FolderDocument[], { title, path }: ProposeOptions): ProposedPack {
  const first = documents.find(({ path: file }) => /(?:^|\/)(?:index|readme)\.[a-z]+$/i.test(file));
  const groups = groupsOf(documents);
  const words = tellingWords(groups);
  const names = [...groups.keys()];
  const pack = {
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
    entities: [
      ...oneKind("code", codePrefixesIn(documents), (prefix) => `${prefix}\\d+`),
      ...oneKind("name", namesIn(documents), literally),
    ],
    abbreviations: abbreviationsIn(documents),
    examples: exampleQuestions(
      documents.map(({ metadata, text, blocks }) => ({
        ...{ title: metadata.title, headings: outlineOf(text, blocks) },
        topics: topicsOf(text, blocks),
      })),
    ),
  };
  const { name: _, ...rest } = domainSchema.parse(pack);
  return pick({ name, ...rest });
}

/** By the documents' own topics, else by their folders, else each document for itself; the largest groups. */
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
  const groups = new Map<string, FolderDocument[]>();
  for (const document of documents) {
    const key = keyOf(document);
    if (key !== null && key !== "") groups.set(key, [...(groups.get(key) ?? []), document]);
  }
  return groups;
}

function hostsOf(documents: readonly FolderDocument[]): string[] {
  const addresses = documents.flatMap(({ metadata }) => httpUrl(metadata.url) ?? []);
  return [...new Set(addresses.map((one) => new URL(one).hostname))].sort();
}

function oneKind(type: string, found: readonly string[], patternOf: (one: string) => string) {
  return found.length === 0 ? [] : [{ type, canonical: "$&", patterns: [`\\b(?:${found.map(patternOf).join("|")})\\b`] }];
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

function pick({ name, title, description, documents, hosts, topics, entities, abbreviations, examples }: ProposedPack): ProposedPack {
  return { name, title, description, documents, hosts, topics, entities, abbreviations, examples };
}
