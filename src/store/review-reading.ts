import { type Kysely, sql } from "kysely";
import type { ReviewStatus } from "./interaction.ts";
import { wholeAnswer, withContents } from "./interaction.ts";
import type { Database } from "./schema.ts";

/** What the order of the queue is worked out from. */
export interface PendingInteraction {
  readonly id: string;
  readonly tenant: string;
  readonly access: string;
  readonly profile: string;
  readonly questionHash: string;
  readonly status: string;
  readonly reviewStatus: ReviewStatus;
  readonly confidence: number | null;
  readonly warnings: number;
  readonly conflicts: number;
  readonly demoted: boolean;
  readonly thumbs: "up" | "down" | null;
  readonly reported: boolean;
  readonly createdAt: string;
  /** How often the question was asked in this domain by those of whom the reviewer may know. */
  readonly asked: number;
}

export interface ReviewedInteraction {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  readonly question: string;
  /** JSON text; empty where privacy is ephemeral. */
  readonly answer: string;
  readonly privacy: "redacted" | "ephemeral";
  readonly status: string;
  readonly reason: string | null;
  readonly reviewStatus: ReviewStatus;
  readonly reviewedBy: string | null;
  readonly reviewedAt: string | null;
  readonly demotedAt: string | null;
  readonly confidence: number | null;
  readonly cacheMode: string;
  readonly curatedKey: string | null;
  readonly createdAt: string;
  readonly asked: number;
  readonly feedback: { readonly verdict: "up" | "down"; readonly reason: string | null; readonly at: string } | null;
  readonly curated: CuratedAnswer | null;
  /** Id of its diagnostic report; `null`: there is none. */
  readonly report: string | null;
}

export interface CuratedAnswer {
  readonly id: string;
  readonly key: string;
  readonly interactionId: string;
  readonly domain: string;
  readonly question: string;
  /** JSON text. */
  readonly answer: string;
  readonly status: "served" | "demoted";
  readonly createdBy: string;
  readonly createdAt: string;
  readonly demotedAt: string | null;
}

/** For whom an answer was given. */
export type Asker = Pick<ReviewedInteraction, "domain" | "tenant" | "access">;

/** Whose questions somebody may look at; absent, everybody's. What is not seen is not counted either. */
export type Sees = (asker: Asker) => boolean;

export interface PendingOptions {
  readonly limit: number;
  readonly status?: ReviewStatus | undefined;
  readonly sees?: Sees | undefined;
}

/** See `ReviewStore.pending`. */
export async function listPending(
  db: Kysely<Database>,
  domain: string,
  { limit, status, sees }: PendingOptions,
): Promise<PendingInteraction[]> {
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
    .map((row) => ({
      id: row.id,
      tenant: row.tenant,
      access: row.access,
      profile: row.profile,
      questionHash: row.questionHash,
      status: row.status,
      reviewStatus: row.reviewStatus,
      confidence: row.confidence,
      warnings: row.warnings,
      conflicts: row.conflicts,
      demoted: row.demotedAt !== null,
      thumbs: row.verdict,
      reported: Boolean(row.reported),
      createdAt: row.createdAt,
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

export function askerOf({ domain, tenant, access }: { readonly domain: string; readonly tenant: string; readonly access: string }): Asker {
  return { domain, tenant: tenant || null, access: JSON.parse(access) as string[] };
}

/** See `ReviewStore.get`. */
export async function getReviewed(db: Kysely<Database>, id: string, sees: Sees | undefined): Promise<ReviewedInteraction | null> {
  const row = await withContents(db).selectAll("interactions").select(wholeAnswer.as("whole")).where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const rated = await db.selectFrom("feedback").selectAll().where("interactionId", "=", id).executeTakeFirst();
  const curated =
    row.curatedKey === null ? undefined : await db.selectFrom("curated").selectAll().where("key", "=", row.curatedKey).executeTakeFirst();
  const report = await db.selectFrom("reports").select("id").where("interactionId", "=", id).executeTakeFirst();
  const asker = askerOf(row);
  if (sees?.(asker) === false) return null;
  const askers = await countAskers(db, { domain: row.domain, questionHash: row.questionHash }, sees);
  return {
    id,
    ...asker,
    profile: row.profile,
    question: row.question,
    answer: row.whole,
    privacy: row.privacy,
    status: row.status,
    reason: row.reason,
    reviewStatus: row.reviewStatus,
    reviewedBy: row.reviewedBy,
    reviewedAt: row.reviewedAt,
    demotedAt: row.demotedAt,
    confidence: row.confidence,
    cacheMode: row.cacheMode,
    curatedKey: row.curatedKey,
    createdAt: row.createdAt,
    asked: askers.reduce((sum, { n }) => sum + Number(n), 0),
    feedback: rated === undefined ? null : { verdict: rated.verdict, reason: rated.reason, at: rated.updatedAt },
    curated: curated === undefined ? null : toCurated(curated),
    report: report?.id ?? null,
  };
}

function toCurated({ interactionId, createdBy, createdAt, demotedAt, questionHash: _, ...rest }: Database["curated"]): CuratedAnswer {
  return { ...rest, interactionId, createdBy, createdAt, demotedAt };
}
