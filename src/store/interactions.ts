import type { Kysely } from "kysely";
import { insertReport, type NewReport } from "./reports.ts";
import type { Database } from "./schema.ts";

/** A stored question with its answer. The question is redacted by the caller. */
export interface Interaction {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  readonly sessionId: string | null;
  readonly question: string;
  /** The answer as JSON text. */
  readonly answer: string;
  readonly status: string;
  readonly confidence: number | null;
  /** What the learned gate said before any calibration; `null`: it did not judge, or the answer was a cached one. */
  readonly chance: number | null;
  readonly cacheMode: string;
}

export interface StoredInteraction extends Interaction {
  readonly reviewStatus: "unreviewed" | "approved" | "flagged";
  readonly createdAt: string;
}

export interface InteractionStore {
  /** Stores an interaction, with its report in the same transaction. */
  add(interaction: Interaction, report?: NewReport | null): Promise<void>;
  /** Newest first. */
  list(domain: string, limit: number): Promise<StoredInteraction[]>;
  /** What the learned gate said of the latest questions of a profile that it judged, newest first. */
  recentChances(of: { readonly domain: string; readonly profile: string; readonly since: string }, limit: number): Promise<number[]>;
}

export function createInteractionStore(db: Kysely<Database>, now: () => Date): InteractionStore {
  return {
    async add(interaction, report = null) {
      const { access, cacheMode, sessionId, tenant, ...rest } = interaction;
      const at = now();
      const row = {
        ...rest,
        tenant: tenant ?? "",
        access: JSON.stringify(access),
        session_id: sessionId,
        cache_mode: cacheMode,
        review_status: "unreviewed" as const,
        created_at: at.toISOString(),
      };
      if (report === null) {
        await db.insertInto("interactions").values(row).execute();
        return;
      }
      await db.transaction().execute(async (trx) => {
        await trx.insertInto("interactions").values(row).execute();
        await insertReport(trx, interaction, report, at);
      });
    },
    async list(domain, limit) {
      const rows = await db
        .selectFrom("interactions")
        .selectAll()
        .where("domain", "=", domain)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ tenant, access, session_id, cache_mode, review_status, created_at, ...rest }) => ({
        ...rest,
        tenant: tenant === "" ? null : tenant,
        access: JSON.parse(access) as string[],
        sessionId: session_id,
        cacheMode: cache_mode,
        reviewStatus: review_status,
        createdAt: created_at,
      }));
    },
    async recentChances({ domain, profile, since }, limit) {
      const rows = await db
        .selectFrom("interactions")
        .select("chance")
        .where("domain", "=", domain)
        .where("created_at", ">=", since)
        .where("profile", "=", profile)
        .where("chance", "is not", null)
        .orderBy("created_at", "desc")
        .limit(limit)
        .execute();
      return rows.flatMap(({ chance }) => chance ?? []);
    },
  };
}
