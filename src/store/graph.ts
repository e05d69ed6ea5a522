import type { Insertable, Kysely, Transaction } from "kysely";
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

/** Topics and entities of a question. */
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
  /** Whether to return only questions whose answers a reviewer approved. */
  readonly approvedOnly: boolean;
  readonly limit: number;
}

export function createGraphStore(db: Kysely<Database>, now: () => Date) {
  return {
    /** Returns keys of stored questions that share a topic and an entity with the current question, newest first. */
    async related({ scope, domain, topics, entities, approvedOnly, limit }: GraphQuery): Promise<string[]> {
      if (topics.length === 0 || entities.length === 0) return [];
      const rows = await db
        .selectFrom("cache_entries as e")
        .innerJoin("question_topics as qt", "qt.questionKey", "e.key")
        .innerJoin("topics as t", "t.id", "qt.topicId")
        .innerJoin("question_entities as qe", "qe.questionKey", "e.key")
        .innerJoin("entities as n", "n.id", "qe.entityId")
        .select(["e.key", "e.seq"])
        .distinct()
        .where(({ and }) => and({ "e.scope": scope, "t.domain": domain, "n.domain": domain }))
        .where("t.slug", "in", topics)
        .where("e.expiresAt", ">", now().toISOString())
        .where((eb) => eb.or(entities.map(({ type, value }) => eb.and({ "n.type": type, "n.value": value }))))
        .$if(approvedOnly, (query) =>
          query.innerJoin("interactions as i", "i.id", "e.interactionId").where("i.reviewStatus", "=", "approved"),
        )
        .orderBy("e.seq", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ key }) => key);
    },
    nodesOf: (keys: readonly string[]): Promise<Map<string, LinkedNodes>> => nodesOf(db, keys),
    /**
     * Returns unexpired stored questions of a domain with their nodes, newest first, without access checks. `question`
     * is redacted; `null` where no text may be stored. `answerId` is `null` if the interaction is not stored.
     */
    async questions(domain: string, limit: number) {
      const all = db.selectFrom("cache_entries").where("domain", "=", domain).where("expiresAt", ">", now().toISOString());
      const newest = all.orderBy("seq", "desc").limit(limit);
      const entries = await newest.select(["key", "tenant", "access", "question", "interactionId as answerId"]).execute();
      const keys = entries.map(({ key }) => key);
      const nodes = await nodesOf(db, keys);
      return entries.map(({ tenant, access, ...entry }) => ({
        ...{ ...entry, tenant: tenant || null, access: JSON.parse(access) as string[] },
        ...(nodes.get(entry.key) as LinkedNodes),
      }));
    },
  };
}

/** The graph of questions, topics, entities and sources. */
export type GraphStore = ReturnType<typeof createGraphStore>;

/** Links a stored question to its topics, entities and sources. Creates missing nodes. */
export async function linkQuestion(
  trx: Transaction<Database>,
  key: string,
  domain: string,
  { topics, entities }: QuestionNodes,
  sources: readonly SourceNode[],
): Promise<void> {
  /** @param unique identifying columns of the node @param rest columns to update */
  const link = async (
    nodes: "topics" | "entities" | "sources",
    [links, column]: ["question_topics", "topicId"] | ["question_entities", "entityId"] | ["question_sources", "sourceId"],
    unique: object,
    rest: object,
  ) => {
    const insert = trx.insertInto(nodes as "topics").values({ ...unique, ...rest } as Insertable<Database["topics"]>);
    const node = insert.onConflict((c) => c.columns(Object.keys(unique) as ["slug"]).doUpdateSet(rest)).returning("id");
    const edge = { questionKey: key, [column]: (await node.executeTakeFirstOrThrow()).id } as Insertable<Database["question_topics"]>;
    await trx
      .insertInto(links as "question_topics")
      .values(edge)
      .execute();
  };
  for (const { slug, name, keywords } of topics)
    await link("topics", ["question_topics", "topicId"], { domain, slug }, { name, keywords: JSON.stringify(keywords) });
  for (const { type, value } of entities) await link("entities", ["question_entities", "entityId"], { domain, type, value }, { value });
  for (const { documentId, version, url, title } of sources)
    await link("sources", ["question_sources", "sourceId"], { documentId }, { version, url, title });
}

/** The nodes of a stored question, as displayed. */
export interface LinkedNodes {
  readonly topics: Omit<TopicNode, "keywords">[];
  readonly entities: EntityNode[];
  readonly sources: Pick<SourceNode, "documentId" | "title">[];
}

async function nodesOf(db: Kysely<Database>, keys: readonly string[]): Promise<Map<string, LinkedNodes>> {
  const nodes = new Map(keys.map((key) => [key, { topics: [], entities: [], sources: [] } as LinkedNodes]));
  for (const part of inParts(keys)) {
    const topics = db.selectFrom("question_topics").innerJoin("topics", "topics.id", "topicId").select(["slug", "name"]);
    const entities = db.selectFrom("question_entities").innerJoin("entities", "entities.id", "entityId").select(["type", "value"]);
    const sources = db.selectFrom("question_sources").innerJoin("sources", "sources.id", "sourceId").select(["documentId", "title"]);
    for (const { questionKey, ...topic } of await topics.select("questionKey").where("questionKey", "in", part).execute())
      nodes.get(questionKey)?.topics.push(topic);
    for (const { questionKey, ...entity } of await entities.select("questionKey").where("questionKey", "in", part).execute())
      nodes.get(questionKey)?.entities.push(entity);
    for (const { questionKey, documentId, title } of await sources.select("questionKey").where("questionKey", "in", part).execute())
      nodes.get(questionKey)?.sources.push({ documentId, title: title ?? documentId });
  }
  return nodes;
}

export type LinkedQuestion = Awaited<ReturnType<GraphStore["questions"]>>[number];
