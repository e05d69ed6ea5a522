import type { Kysely } from "kysely";
import { sha256Hex } from "../text/hash.ts";
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
  /** Appends a turn and keeps the session alive for `idleMinutes`; keeps at most `limit` turns. An expired session starts anew. */
  append(id: string, scope: Scope, turn: SessionTurn, options: { idleMinutes: number; limit: number }): Promise<void>;
  /** Deletes expired sessions; returns how many. */
  purge(): Promise<number>;
}

export function createSessionStore(db: Kysely<Database>, now: () => Date): SessionStore {
  return {
    async turns(name, scope, limit) {
      const id = sessionKey(name, scope);
      const alive = await db
        .selectFrom("sessions")
        .select("id")
        .where("id", "=", id)
        .where("expires_at", ">", now().toISOString())
        .executeTakeFirst();
      if (alive === undefined) return [];
      const rows = await db
        .selectFrom("session_turns")
        .selectAll()
        .where("session_id", "=", id)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.reverse().map(({ question, answer, citations }) => ({ question, answer, citations: JSON.parse(citations) as string[] }));
    },
    append: (name, scope, turn, { idleMinutes, limit }) =>
      db.transaction().execute(async (trx) => {
        const at = now();
        const id = sessionKey(name, scope);
        const owner = { domain: scope.domain, tenant: scope.tenant ?? "", access: JSON.stringify(labelsOf(scope)) };
        await trx.deleteFrom("sessions").where("id", "=", id).where("expires_at", "<=", at.toISOString()).execute();
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

/** Scopes share no session: the same name in another scope is another session, which can neither be read nor touched. */
function sessionKey(name: string, scope: Scope): string {
  return sha256Hex(JSON.stringify([name, scope.domain, scope.tenant, labelsOf(scope)]));
}

function labelsOf(scope: Scope): string[] {
  return [...new Set(scope.access)].sort();
}
