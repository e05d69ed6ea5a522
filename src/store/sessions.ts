import type { Kysely } from "kysely";
import type { Scope, Turn } from "../types.ts";
import type { Database } from "./schema.ts";

export interface SessionTurn extends Turn {
  /** Ids of the chunks that the answer cites. */
  readonly citations: readonly string[];
}

export interface SessionStore {
  /**
   * The last `limit` turns, oldest first. A session belongs to the scope in which it began: from another one it is empty, like an expired one.
   */
  turns(id: string, scope: Scope, limit: number): Promise<SessionTurn[]>;
  /** Appends a turn and keeps the session alive for `idleMinutes`; keeps at most `limit` turns. An expired or foreign session starts anew. */
  append(id: string, scope: Scope, turn: SessionTurn, options: { idleMinutes: number; limit: number }): Promise<void>;
  /** Deletes expired sessions; returns how many. */
  purge(): Promise<number>;
}

export function createSessionStore(db: Kysely<Database>, now: () => Date): SessionStore {
  return {
    async turns(id, scope, limit) {
      const session = await db
        .selectFrom("sessions")
        .select("id")
        .where("id", "=", id)
        .where("domain", "=", scope.domain)
        .where("tenant", "=", scope.tenant ?? "")
        .where("access", "=", accessKey(scope))
        .where("expires_at", ">", now().toISOString())
        .executeTakeFirst();
      if (session === undefined) return [];
      const rows = await db
        .selectFrom("session_turns")
        .selectAll()
        .where("session_id", "=", id)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.reverse().map(({ question, answer, citations }) => ({ question, answer, citations: JSON.parse(citations) as string[] }));
    },
    append: (id, scope, turn, { idleMinutes, limit }) =>
      db.transaction().execute(async (trx) => {
        const at = now();
        const owner = { domain: scope.domain, tenant: scope.tenant ?? "", access: accessKey(scope) };
        const existing = await trx.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
        const foreign =
          existing !== undefined &&
          (existing.domain !== owner.domain || existing.tenant !== owner.tenant || existing.access !== owner.access);
        if (existing !== undefined && (foreign || existing.expires_at <= at.toISOString())) {
          await trx.deleteFrom("sessions").where("id", "=", id).execute();
        }
        const expires_at = new Date(at.getTime() + idleMinutes * 60_000).toISOString();
        const times = { updated_at: at.toISOString(), expires_at };
        await trx
          .insertInto("sessions")
          .values({ id, ...owner, user_id: null, created_at: at.toISOString(), ...times })
          .onConflict((c) => c.column("id").doUpdateSet(times))
          .execute();
        await trx
          .insertInto("session_turns")
          .values({
            session_id: id,
            question: turn.question,
            answer: turn.answer,
            citations: JSON.stringify(turn.citations),
            created_at: at.toISOString(),
          })
          .execute();
        await trx
          .deleteFrom("session_turns")
          .where("session_id", "=", id)
          .where("id", "not in", (eb) =>
            eb.selectFrom("session_turns").select("id").where("session_id", "=", id).orderBy("id", "desc").limit(Math.max(limit, 0)),
          )
          .execute();
      }),
    async purge() {
      const { numDeletedRows } = await db.deleteFrom("sessions").where("expires_at", "<=", now().toISOString()).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** One spelling of a set of access labels. */
function accessKey(scope: Scope): string {
  return JSON.stringify([...new Set(scope.access)].sort());
}
