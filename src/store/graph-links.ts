import type { Kysely } from "kysely";
import { inParts } from "./id-parts.ts";
import type { Database } from "./schema.ts";

/** A stored question with what it is joined to, whoever may see it. */
export interface LinkedQuestion {
  readonly key: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  /** Redacted; `null` where no text may be stored. */
  readonly question: string | null;
  /** Id of its answer; `null`: not kept. */
  readonly answerId: string | null;
  readonly topics: readonly { readonly slug: string; readonly name: string }[];
  readonly entities: readonly { readonly type: string; readonly value: string }[];
  readonly sources: readonly { readonly documentId: string; readonly title: string }[];
}

/** Stored questions of a domain that are served, newest first. */
export async function linkedQuestions(
  db: Kysely<Database>,
  { domain, limit, now }: { readonly domain: string; readonly limit: number; readonly now: string },
): Promise<LinkedQuestion[]> {
  const entries = await db
    .selectFrom("cache_entries")
    .select(["key", "tenant", "access", "question", "interaction_id"])
    .where("domain", "=", domain)
    .where("expires_at", ">", now)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  const links = new Map(entries.map(({ key }) => [key, { topics: [] as Topic[], entities: [] as Entity[], sources: [] as Source[] }]));
  for (const keys of inParts(entries.map(({ key }) => key))) {
    for (const { key, ...topic } of await topicsOf(db, keys)) links.get(key)?.topics.push(topic);
    for (const { key, ...entity } of await entitiesOf(db, keys)) links.get(key)?.entities.push(entity);
    for (const { key, ...source } of await sourcesOf(db, keys)) links.get(key)?.sources.push(source);
  }
  return entries.map(({ key, tenant, access, question, interaction_id: answerId }) => ({
    ...{ key, question, answerId },
    tenant: tenant === "" ? null : tenant,
    access: JSON.parse(access) as string[],
    ...(links.get(key) ?? { topics: [], entities: [], sources: [] }),
  }));
}

type Topic = LinkedQuestion["topics"][number];
type Entity = LinkedQuestion["entities"][number];
type Source = LinkedQuestion["sources"][number];

function topicsOf(db: Kysely<Database>, keys: readonly string[]) {
  return db
    .selectFrom("question_topics")
    .innerJoin("topics", "topics.id", "question_topics.topic_id")
    .select(["question_topics.question_key as key", "topics.slug", "topics.name"])
    .where("question_topics.question_key", "in", keys)
    .execute();
}

function entitiesOf(db: Kysely<Database>, keys: readonly string[]) {
  return db
    .selectFrom("question_entities")
    .innerJoin("entities", "entities.id", "question_entities.entity_id")
    .select(["question_entities.question_key as key", "entities.type", "entities.value"])
    .where("question_entities.question_key", "in", keys)
    .execute();
}

async function sourcesOf(db: Kysely<Database>, keys: readonly string[]) {
  const rows = await db
    .selectFrom("question_sources")
    .innerJoin("sources", "sources.id", "question_sources.source_id")
    .select(["question_sources.question_key as key", "sources.document_id", "sources.title"])
    .where("question_sources.question_key", "in", keys)
    .execute();
  return rows.map(({ key, document_id: documentId, title }) => ({ key, documentId, title: title ?? documentId }));
}
