import type { Kysely, Selectable, Transaction } from "kysely";
import { keyedHash } from "../text/keyed-hash.ts";
import type { Scope, Turn } from "../types.ts";
import { prepareInsert } from "./prepared.ts";
import type { Database } from "./schema.ts";
import { transact } from "./transact.ts";

export interface SessionTurn extends Turn {
  /** Ids of the chunks that the answer cites. */
  readonly citations: readonly string[];
}

/** A turn as it was shown. */
export interface ShownTurn extends SessionTurn {
  /** Sentences and sources as JSON text; `null` where there are none. */
  readonly shown?: string | null | undefined;
}

export interface StoredTurn extends SessionTurn {
  readonly shown: string | null;
  readonly createdAt: string;
}

export interface SessionSettings {
  readonly idleMinutes: number;
  readonly limit: number;
  /** Sessions kept in all, give or take a thousandth; the one that was silent longest goes first. Absent: any number. */
  readonly most?: number | undefined;
  /** Whose session it is; another user's session of the same name is another one. */
  readonly userId?: string | null | undefined;
}

export interface SessionStore {
  /**
   * The last `limit` turns, oldest first. A session belongs to the scope and the user with which it began: from others it is empty, like
   * an expired one.
   */
  turns(id: string, scope: Scope, limit: number, userId?: string | null): Promise<StoredTurn[]>;
  /** Appends a turn and keeps the session alive for `idleMinutes`; keeps at most `limit` turns. An expired session starts anew. */
  append(id: string, scope: Scope, turn: ShownTurn, options: SessionSettings): Promise<void>;
  /** Deletes a session; `false` when there is none for this scope and user. */
  delete(id: string, scope: Scope, userId?: string | null): Promise<boolean>;
  /** Deletes expired sessions; returns how many. */
  purge(): Promise<number>;
}

/** A turn on its way into its session. */
export interface NewTurn {
  readonly session: string;
  readonly scope: Scope;
  readonly turn: ShownTurn;
  readonly settings: SessionSettings;
}

/**
 * Appends a turn in a transaction.
 * @param secret of the installation: asked for before, since a transaction must not wait for another one
 */
export type WriteTurn = (trx: Transaction<Database>, turn: NewTurn, secret: string) => Promise<void>;

/** What a session store needs besides the database. */
export interface SessionParts {
  readonly now: () => Date;
  readonly secret: () => Promise<string>;
  readonly writeTurn: WriteTurn;
}

/** Share of the sessions that may be kept that come between two looks for too many: looking counts them all. */
const LOOK_SHARE = 1 / 1000;
/** Share of the room that is left before which nobody looks again: so many processes may fill it together. */
const ROOM_SHARE = 1 / 8;

export function createTurnWriter(db: Kysely<Database>, now: () => Date): WriteTurn {
  let untilLook = 0;
  const beginSession = prepareInsert((row: Selectable<Database["sessions"]>) =>
    db
      .insertInto("sessions")
      .values(row)
      .onConflict((c) => c.column("id").doNothing()),
  );
  const insertTurn = prepareInsert((row: Omit<Selectable<Database["session_turns"]>, "id">) => db.insertInto("session_turns").values(row));
  return async (trx, { session: name, scope, turn, settings: { idleMinutes, limit, most, userId = null } }, key) => {
    const id = sessionKey(key, name, scope, userId);
    const at = now();
    const owner = {
      name_hash: keyedHash(key, "session", name),
      domain: scope.domain,
      tenant: scope.tenant ?? "",
      access: JSON.stringify(labelsOf(scope)),
      user_id: userId === null ? null : keyedHash(key, "user", userId),
    };
    const expires_at = new Date(at.getTime() + idleMinutes * 60_000).toISOString();
    const times = { updated_at: at.toISOString(), expires_at };
    const row = { id, ...owner, created_at: at.toISOString(), ...times };
    const begins = Number((await beginSession(trx, row)).numAffectedRows) > 0;
    if (!begins) {
      await trx.deleteFrom("sessions").where("id", "=", id).where("expires_at", "<=", at.toISOString()).execute();
      await trx
        .insertInto("sessions")
        .values(row)
        .onConflict((c) => c.column("id").doUpdateSet(times))
        .execute();
    }
    if (most !== undefined && untilLook-- <= 0) {
      const room = await dropSilent(trx, most, id);
      untilLook = Math.floor(Math.max(most * LOOK_SHARE, room * ROOM_SHARE));
    }
    const said = { question: turn.question, answer: turn.answer, citations: JSON.stringify(turn.citations), shown: turn.shown ?? "" };
    await insertTurn(trx, { session_id: id, ...said, created_at: at.toISOString() });
    if (begins && limit > 0) return;
    await trx
      .deleteFrom("session_turns")
      .where("session_id", "=", id)
      .where("id", "not in", (eb) =>
        eb.selectFrom("session_turns").select("id").where("session_id", "=", id).orderBy("id", "desc").limit(Math.max(limit, 0)),
      )
      .execute();
  };
}

export function createSessionStore(db: Kysely<Database>, { now, secret, writeTurn }: SessionParts): SessionStore {
  return {
    async turns(name, scope, limit, userId = null) {
      const id = sessionKey(await secret(), name, scope, userId);
      const rows = await db
        .selectFrom("session_turns")
        .innerJoin("sessions", "sessions.id", "session_turns.session_id")
        .selectAll("session_turns")
        .where("sessions.id", "=", id)
        .where("sessions.expires_at", ">", now().toISOString())
        .orderBy("session_turns.id", "desc")
        .limit(Math.max(limit, 0))
        .execute();
      return rows.reverse().map(({ question, answer, citations, shown, created_at }) => ({
        question,
        answer,
        citations: JSON.parse(citations) as string[],
        shown: shown === "" ? null : shown,
        createdAt: created_at,
      }));
    },
    async append(session, scope, turn, settings) {
      const key = await secret();
      await transact(db, (trx) => writeTurn(trx, { session, scope, turn, settings }, key));
    },
    async delete(name, scope, userId = null) {
      const id = sessionKey(await secret(), name, scope, userId);
      const { numDeletedRows } = await db
        .deleteFrom("sessions")
        .where("id", "=", id)
        .where("expires_at", ">", now().toISOString())
        .executeTakeFirst();
      return Number(numDeletedRows) > 0;
    },
    async purge() {
      const { numDeletedRows } = await db.deleteFrom("sessions").where("expires_at", "<=", now().toISOString()).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/**
 * Deletes the sessions that were silent longest, as far as there are too many; never the one that is spoken in.
 * @returns how many more there may be
 */
async function dropSilent(trx: Transaction<Database>, most: number, spoken: string): Promise<number> {
  const { n } = await trx
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  const tooMany = Number(n) - Math.max(most, 1);
  if (tooMany <= 0) return -tooMany;
  const silent = trx
    .selectFrom("sessions")
    .select("id")
    .where("id", "!=", spoken)
    .orderBy("expires_at")
    .orderBy("id", "desc")
    .limit(tooMany);
  const gone = (await silent.execute()).map(({ id }) => id);
  if (gone.length > 0) await trx.deleteFrom("sessions").where("id", "in", gone).execute();
  return 0;
}

/** Scopes, keys and users share no session: the same name elsewhere is another session, which can neither be read nor touched. */
function sessionKey(secret: string, name: string, scope: Scope, userId: string | null): string {
  return keyedHash(
    secret,
    "session of",
    name,
    scope.domain,
    scope.tenant,
    labelsOf(scope),
    userId,
    ...(scope.caller === undefined ? [] : [scope.caller]),
  );
}

function labelsOf(scope: Scope): string[] {
  return [...new Set(scope.access)].sort();
}
