import { type Kysely, sql } from "kysely";
import { type Asker, askerOf, type ReviewStatus, wholeAnswer, withContents } from "./interaction.ts";
import type { Database } from "./schema.ts";

/** What the order of the queue is worked out from. */
export type PendingInteraction = Awaited<ReturnType<typeof listPending>>[number];

/** An interaction with what was said and done about it. */
export type ReviewedInteraction = NonNullable<Awaited<ReturnType<typeof getReviewed>>>;

/** Whose questions somebody may look at; absent, everybody's. What is not seen is not counted either. */
export type Sees = (asker: Asker) => boolean;

export interface PendingOptions {
  readonly limit: number;
  readonly status?: ReviewStatus | undefined;
  readonly sees?: Sees | undefined;
}

/** See `ReviewStore.pending`. */
export async function listPending(db: Kysely<Database>, domain: string, { limit, status, sees }: PendingOptions) {
  const askers = await countAskers(db, { domain }, sees);
  const seen = (of: "tenant" | "access") => [...new Set(askers.map((one) => one[of]))];
  const open = db
    .selectFrom("interactions as i")
    .leftJoin("feedback as f", "f.interactionId", "i.id")
    .leftJoin("curated as c", (join) => join.onRef("c.key", "=", "i.curatedKey").on("c.status", "=", "served"))
    .select(["i.id", "i.tenant", "i.access", "i.profile", "i.questionHash", "i.status", "i.reviewStatus", "i.confidence"])
    .select(["i.warnings", "i.conflicts", "i.demotedAt", "i.createdAt", "f.verdict"])
    .select((eb) => eb.exists(eb.selectFrom("reports as r").select("r.id").whereRef("r.interactionId", "=", "i.id")).as("reported"))
    .where("i.domain", "=", domain)
    .where("i.privacy", "=", "redacted")
    .orderBy("i.createdAt", "desc")
    .orderBy("i.id")
    .limit(limit);
  const wanted =
    status === undefined
      ? open.where((eb) =>
          eb.or([
            eb.and([eb("i.reviewStatus", "!=", "approved"), eb("c.key", "is", null)]),
            // Whoever calls an answer wrong that was reviewed before has the last word until it is reviewed again.
            eb.and([eb("f.verdict", "=", "down"), eb("f.updatedAt", ">", eb.fn.coalesce("i.reviewedAt", sql.lit("")))]),
          ]),
        )
      : open.where("i.reviewStatus", "=", status);
  const rows = await wanted
    .$if(sees !== undefined, (query) =>
      query.where("i.tenant", "in", ["", ...seen("tenant")]).where("i.access", "in", ["", ...seen("access")]),
    )
    .execute();
  const mayBeSeen = new Set(askers.map(ownerKey));
  const asked = new Map<string, number>();
  for (const { questionHash, n } of askers) asked.set(questionHash, (asked.get(questionHash) ?? 0) + Number(n));
  return rows
    .filter((row) => mayBeSeen.has(ownerKey(row)))
    .map(({ demotedAt, verdict, reported, ...row }) => ({
      ...row,
      ...{ demoted: demotedAt !== null, thumbs: verdict, reported: Boolean(reported) },
      /** How often the question was asked in this domain by those of whom the reviewer may know. */
      asked: asked.get(row.questionHash) ?? 1,
    }));
}

function ownerKey({ tenant, access }: { readonly tenant: string; readonly access: string }): string {
  return `${tenant}\u0000${access}`;
}

/** How often questions were asked, by whom: of those alone that may be seen. */
async function countAskers(
  db: Kysely<Database>,
  { domain, questionHash }: { readonly domain: string; readonly questionHash?: string },
  sees: Sees | undefined,
) {
  const rows = await db
    .selectFrom("interactions")
    .select(["questionHash", "tenant", "access", (eb) => eb.fn.countAll<number>().as("n")])
    .where("domain", "=", domain)
    .$if(questionHash !== undefined, (query) => query.where("questionHash", "=", questionHash as string))
    .groupBy(["questionHash", "tenant", "access"])
    .execute();
  return sees === undefined ? rows : rows.filter((row) => sees(askerOf({ domain, ...row })));
}

/** See `ReviewStore.get`. `answer`, also of `curated`: JSON text; empty where privacy is ephemeral. */
export async function getReviewed(db: Kysely<Database>, id: string, sees: Sees | undefined) {
  const row = await withContents(db)
    .select(["id", "domain", "tenant", "access", "profile", "question", wholeAnswer.as("answer"), "privacy", "status", "reason"])
    .select(["reviewStatus", "reviewedBy", "reviewedAt", "demotedAt", "confidence", "cacheMode", "curatedKey", "createdAt", "questionHash"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { questionHash, ...found } = row;
  const asker = askerOf(row);
  if (sees?.(asker) === false) return null;
  const rated = await db.selectFrom("feedback").selectAll().where("interactionId", "=", id).executeTakeFirst();
  const curated =
    row.curatedKey === null ? undefined : await db.selectFrom("curated").selectAll().where("key", "=", row.curatedKey).executeTakeFirst();
  const report = await db.selectFrom("reports").select("id").where("interactionId", "=", id).executeTakeFirst();
  const askers = await countAskers(db, { domain: row.domain, questionHash }, sees);
  return {
    ...found,
    ...asker,
    asked: askers.reduce((sum, { n }) => sum + Number(n), 0),
    feedback: rated === undefined ? null : { verdict: rated.verdict, reason: rated.reason, at: rated.updatedAt },
    curated: curated ?? null,
    /** Id of its diagnostic report; `null`: there is none. */
    report: report?.id ?? null,
  };
}
