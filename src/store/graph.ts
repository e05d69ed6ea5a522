import type { Kysely, Transaction } from "kysely";
import { inParts } from "./dialect.ts";
import type { Database } from "./schema.ts";

export interface TopicNode {
  readonly slug: string;
  readonly name: string;
  readonly keywords: readonly string[];
}

export interface EntityNode {
  readonly type: string;
  readonly value: string;
}

/** What a stored question is joined to. */
export interface QuestionNodes {
  readonly topics: readonly TopicNode[];
  readonly entities: readonly EntityNode[];
}

/** A document that a cached answer cites. */
export interface SourceNode {
  readonly documentId: string;
  readonly version: string;
  readonly url: string | null;
  readonly title: string;
}

export interface GraphQuery {
  readonly scope: string;
  readonly domain: string;
  readonly topics: readonly string[];
  readonly entities: readonly EntityNode[];
  /** Strict: only answers that a person has approved. */
  readonly approvedOnly: boolean;
  readonly limit: number;
}

/** The graph of questions, topics, entities and sources. */
export interface GraphStore {
  /** Keys of stored questions that share a topic and an entity with the one asked, newest first. */
  related(query: GraphQuery): Promise<string[]>;
  /** Topics, entities and cited documents of stored questions. */
  nodesOf(keys: readonly string[]): Promise<Map<string, { topics: string[]; entities: EntityNode[]; sources: string[] }>>;
  /** Stored questions of a domain with all that they are joined to, newest first, whoever may see them. */
  questions(domain: string, limit: number): Promise<LinkedQuestion[]>;
}

export function createGraphStore(db: Kysely<Database>, now: () => Date): GraphStore {
  return {
    async related({ scope, domain, topics, entities, approvedOnly, limit }) {
      if (topics.length === 0 || entities.length === 0) return [];
      const rows = await db
        .selectFrom("cache_entries as e")
        .innerJoin("question_topics as qt", "qt.questionKey", "e.key")
        .innerJoin("topics as t", "t.id", "qt.topicId")
        .innerJoin("question_entities as qe", "qe.questionKey", "e.key")
        .innerJoin("entities as n", "n.id", "qe.entityId")
        .select(["e.key", "e.seq"])
        .distinct()
        .where("e.scope", "=", scope)
        .where("e.expiresAt", ">", now().toISOString())
        .where("t.domain", "=", domain)
        .where("t.slug", "in", topics)
        .where("n.domain", "=", domain)
        .where((eb) => eb.or(entities.map(({ type, value }) => eb.and([eb("n.type", "=", type), eb("n.value", "=", value)]))))
        .$if(approvedOnly, (query) =>
          query.innerJoin("interactions as i", "i.id", "e.interactionId").where("i.reviewStatus", "=", "approved"),
        )
        .orderBy("e.seq", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ key }) => key);
    },
    async nodesOf(keys) {
      const nodes = new Map(
        keys.map((key) => [key, { topics: [] as string[], entities: [] as EntityNode[], sources: [] as string[] }] as const),
      );
      if (keys.length === 0) return nodes;
      const topics = await db
        .selectFrom("question_topics")
        .innerJoin("topics", "topics.id", "question_topics.topicId")
        .select(["questionKey", "slug"])
        .where("questionKey", "in", keys)
        .execute();
      const entities = await db
        .selectFrom("question_entities")
        .innerJoin("entities", "entities.id", "question_entities.entityId")
        .select(["questionKey", "type", "value"])
        .where("questionKey", "in", keys)
        .execute();
      const sources = await db
        .selectFrom("question_sources")
        .innerJoin("sources", "sources.id", "question_sources.sourceId")
        .select(["questionKey", "documentId"])
        .where("questionKey", "in", keys)
        .execute();
      for (const { questionKey, slug } of topics) nodes.get(questionKey)?.topics.push(slug);
      for (const { questionKey, type, value } of entities) nodes.get(questionKey)?.entities.push({ type, value });
      for (const { questionKey, documentId } of sources) nodes.get(questionKey)?.sources.push(documentId);
      return nodes;
    },
    questions: (domain, limit) => linkedQuestions(db, { domain, limit, now: now().toISOString() }),
  };
}

/** Joins a stored question to its topics, entities and sources; nodes that are missing are made. */
export async function linkQuestion(
  trx: Transaction<Database>,
  key: string,
  domain: string,
  { topics, entities }: QuestionNodes,
  sources: readonly SourceNode[],
): Promise<void> {
  for (const { slug, name, keywords } of topics) {
    const values = { name, keywords: JSON.stringify(keywords) };
    const { id } = await trx
      .insertInto("topics")
      .values({ domain, slug, ...values })
      .onConflict((c) => c.columns(["domain", "slug"]).doUpdateSet(values))
      .returning("id")
      .executeTakeFirstOrThrow();
    await trx.insertInto("question_topics").values({ questionKey: key, topicId: id }).execute();
  }
  for (const { type, value } of entities) {
    const { id } = await trx
      .insertInto("entities")
      .values({ domain, type, value })
      .onConflict((c) => c.columns(["domain", "type", "value"]).doUpdateSet({ value }))
      .returning("id")
      .executeTakeFirstOrThrow();
    await trx.insertInto("question_entities").values({ questionKey: key, entityId: id }).execute();
  }
  for (const { documentId, version, url, title } of sources) {
    const { id } = await trx
      .insertInto("sources")
      .values({ documentId, version, url, title })
      .onConflict((c) => c.column("documentId").doUpdateSet({ version, url, title }))
      .returning("id")
      .executeTakeFirstOrThrow();
    await trx.insertInto("question_sources").values({ questionKey: key, sourceId: id }).execute();
  }
}

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
async function linkedQuestions(
  db: Kysely<Database>,
  { domain, limit, now }: { readonly domain: string; readonly limit: number; readonly now: string },
): Promise<LinkedQuestion[]> {
  const entries = await db
    .selectFrom("cache_entries")
    .select(["key", "tenant", "access", "question", "interactionId"])
    .where("domain", "=", domain)
    .where("expiresAt", ">", now)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  const links = new Map(entries.map(({ key }) => [key, { topics: [] as Topic[], entities: [] as Entity[], sources: [] as Source[] }]));
  for (const keys of inParts(entries.map(({ key }) => key))) {
    for (const { key, ...topic } of await topicsOf(db, keys)) links.get(key)?.topics.push(topic);
    for (const { key, ...entity } of await entitiesOf(db, keys)) links.get(key)?.entities.push(entity);
    for (const { key, ...source } of await sourcesOf(db, keys)) links.get(key)?.sources.push(source);
  }
  return entries.map(({ key, tenant, access, question, interactionId: answerId }) => ({
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
    .innerJoin("topics", "topics.id", "question_topics.topicId")
    .select(["question_topics.questionKey as key", "topics.slug", "topics.name"])
    .where("question_topics.questionKey", "in", keys)
    .execute();
}

function entitiesOf(db: Kysely<Database>, keys: readonly string[]) {
  return db
    .selectFrom("question_entities")
    .innerJoin("entities", "entities.id", "question_entities.entityId")
    .select(["question_entities.questionKey as key", "entities.type", "entities.value"])
    .where("question_entities.questionKey", "in", keys)
    .execute();
}

async function sourcesOf(db: Kysely<Database>, keys: readonly string[]) {
  const rows = await db
    .selectFrom("question_sources")
    .innerJoin("sources", "sources.id", "question_sources.sourceId")
    .select(["question_sources.questionKey as key", "sources.documentId", "sources.title"])
    .where("question_sources.questionKey", "in", keys)
    .execute();
  return rows.map(({ key, documentId, title }) => ({ key, documentId, title: title ?? documentId }));
}
