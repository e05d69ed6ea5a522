import type { Kysely, Selectable, Transaction } from "kysely";
import type { Scope, Turn } from "../shared/types.ts";
import { keyedHash } from "../text/hash.ts";
import { compareText } from "../text/normalise.ts";
import { countAll, deleteBy, deletedBy, prepareRows, upsert } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** A turn with the sentences and sources that were displayed. */
export interface ShownTurn extends Turn {
  /** Ids of the chunks that the answer cites. */
  readonly citations: readonly string[];
  /** Displayed sentences and sources as JSON text; `null`: none. */
  readonly shown?: string | null | undefined;
}

export type StoredTurn = ShownTurn & { readonly shown: string | null; readonly createdAt: string };

export interface SessionSettings {
  readonly idleMinutes: number;
  readonly limit: number;
  /** Maximum number of sessions; may be exceeded by 0.1 %. The sessions that are idle longest are deleted first. Absent: unlimited. */
  readonly most?: number | undefined;
  /** User of the session. Sessions of different users are separate, even if their names are equal. */
  readonly userId?: string | null | undefined;
}

/** A turn that waits to be stored. */
export interface NewTurn {
  readonly session: string;
  readonly scope: Scope;
  readonly turn: ShownTurn;
  readonly settings: SessionSettings;
}

/**
 * Appends turns to sessions, in order, inside a transaction. Each session keeps at most its last `limit` turns and is
 * extended by `idleMinutes`. An expired session begins again without turns.
 * @param secret of the installation; passed in, because fetching it could wait for another transaction
 * @returns a callback to run after the commit
 */
export type WriteTurns = (trx: Transaction<Database>, turns: readonly NewTurn[], secret: string) => Promise<() => void>;

/** Minimum number of new turns between two counts of all sessions, as a share of the maximum number of sessions. */
const LOOK_SHARE = 1 / 1000;
/**
 * Share of the remaining number of sessions that a process may add before it counts the sessions again. With 1/8, eight
 * processes can add at the same time without exceeding the maximum.
 */
const ROOM_SHARE = 1 / 8;

export function createTurnWriter(db: Kysely<Database>, now: () => Date): WriteTurns {
  const seldom = createSeldom();
  const beginSessions = prepareRows((rows: readonly Selectable<Database["sessions"]>[]) =>
    db
      .insertInto("sessions")
      .values(rows)
      .onConflict((c) => c.column("id").doNothing())
      .returning("id"),
  );
  const insertTurns = prepareRows((rows: readonly Omit<Selectable<Database["session_turns"]>, "id">[]) =>
    db.insertInto("session_turns").values(rows),
  );
  /** Enforces the maximum number of sessions. Counts them less often while far below it. @returns a callback to run after the commit */
  const makeRoom = async (trx: Transaction<Database>, most: number, spoken: readonly string[]): Promise<() => void> => {
    const { length: more } = spoken;
    if (!seldom.isDue(more)) return () => seldom.done(more);
    const room = await dropSilent(trx, most, spoken);
    return () => seldom.done(more, Math.floor(Math.max(most * LOOK_SHARE, room * ROOM_SHARE)));
  };
  return async (trx, turns, key) => {
    const at = now().toISOString();
    const spoken = turns.map((one) => ({ ...one, row: sessionOf(one, key, at) }));
    const sessions = spokenIn(spoken);
    const rows = sessions.map(({ row }) => row);
    const begun = new Set((await beginSessions(trx, rows)).map(({ id }) => id));
    for (const { row } of sessions) if (!begun.has(row.id)) await goOn(trx, row, at);
    const turnRows = spoken.map(({ turn, row }) => rowOfTurn(turn, row.id, at));
    await insertTurns(trx, turnRows);
    for (const { row, limit, added } of sessions) if (!begun.has(row.id) || added > limit) await dropTurns(trx, row.id, limit);
    const most = turns.at(-1)?.settings.most;
    if (most === undefined) return () => undefined;
    return await makeRoom(trx, most, [...new Set(spoken.map(({ row }) => row.id).reverse())]);
  };
}

type SessionRow = Selectable<Database["sessions"]>;

/**
 * Returns each session once, with its limit of turns and its number of new turns. Sorted by id, so that concurrent
 * processes lock rows in the same order and cannot deadlock.
 */
function spokenIn(spoken: readonly (NewTurn & { readonly row: SessionRow })[]) {
  return [...Map.groupBy(spoken, ({ row }) => row.id).values()]
    .flatMap((turns) => turns.slice(-1).map(({ row, settings }) => ({ row, limit: settings.limit, added: turns.length })))
    .sort((a, b) => compareText(a.row.id, b.row.id));
}

/** Builds the row of a session that begins with this turn. */
function sessionOf({ session, scope, settings: { idleMinutes, userId = null } }: NewTurn, key: string, at: string): SessionRow {
  return {
    ...{ id: sessionKey(key, session, scope, userId), nameHash: keyedHash(key, "session", session) },
    ...{ domain: scope.domain, tenant: scope.tenant ?? "", access: JSON.stringify(labelsOf(scope)) },
    userId: userId === null ? null : keyedHash(key, "user", userId),
    ...{ createdAt: at, updatedAt: at, expiresAt: new Date(Date.parse(at) + idleMinutes * 60_000).toISOString() },
  };
}

function rowOfTurn({ question, answer, citations, shown }: ShownTurn, sessionId: string, createdAt: string) {
  return { sessionId, question, answer, citations: JSON.stringify(citations), shown: shown ?? "", createdAt };
}

/** Extends an existing session. An expired one begins again without turns. */
async function goOn(trx: Transaction<Database>, row: SessionRow, at: string): Promise<void> {
  await trx.deleteFrom("sessions").where("id", "=", row.id).where("expiresAt", "<=", at).execute();
  await upsert(trx, "sessions", row, ["id"], { updatedAt: row.updatedAt, expiresAt: row.expiresAt });
}

async function dropTurns(trx: Transaction<Database>, session: string, limit: number): Promise<void> {
  const all = trx.selectFrom("session_turns").select("id").where("sessionId", "=", session);
  const latest = all.orderBy("id", "desc").limit(Math.max(limit, 0));
  await trx.deleteFrom("session_turns").where("sessionId", "=", session).where("id", "not in", latest).execute();
}

export function createSessionStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  return {
    /** Returns the last `limit` turns of a session, oldest first. Returns none for another scope or user, or after expiry. */
    async turns(name: string, scope: Scope, limit: number, userId: string | null = null): Promise<StoredTurn[]> {
      const id = sessionKey(await secret(), name, scope, userId);
      const all = db.selectFrom("session_turns").innerJoin("sessions", "sessions.id", "session_turns.sessionId");
      const current = all.where("sessions.id", "=", id).where("sessions.expiresAt", ">", now().toISOString());
      const latest = current.orderBy("session_turns.id", "desc").limit(Math.max(limit, 0));
      const rows = await latest.selectAll("session_turns").execute();
      return rows.reverse().map(({ question, answer, citations, shown, createdAt }) => ({
        ...{ question, answer, createdAt, shown: shown === "" ? null : shown },
        citations: JSON.parse(citations) as string[],
      }));
    },
    /** Deletes a session. Returns `false` if there is none for this scope and user. */
    async delete(name: string, scope: Scope, userId: string | null = null): Promise<boolean> {
      const id = sessionKey(await secret(), name, scope, userId);
      return (await deletedBy(db.deleteFrom("sessions").where("id", "=", id).where("expiresAt", ">", now().toISOString()))) > 0;
    },
  };
}

/**
 * Deletes the sessions that are idle longest, as many as exceed the maximum. Sessions with new turns stay, but at most
 * the latest `most` of them.
 * @param spoken ids of sessions with new turns, latest first
 * @returns how many more sessions may be added
 */
async function dropSilent(trx: Transaction<Database>, most: number, spoken: readonly string[]): Promise<number> {
  const tooMany = (await countAll(trx, "sessions")) - Math.max(most, 1);
  if (tooMany <= 0) return -tooMany;
  const kept = spoken.slice(0, Math.max(most, 1));
  const others = trx.selectFrom("sessions").select("id").where("id", "not in", kept);
  const silent = others.orderBy("expiresAt").orderBy("id", "desc").limit(tooMany);
  const gone = (await silent.execute()).map(({ id }) => id);
  await deleteBy(trx, "sessions", "id", gone);
  return 0;
}

/** Derives a session's id from its name, scope, caller and user, so that equal names in other scopes are other sessions. */
function sessionKey(secret: string, name: string, scope: Scope, userId: string | null): string {
  const { domain, tenant, caller } = scope;
  return keyedHash(secret, "session of", name, domain, tenant, labelsOf(scope), userId, ...(caller === undefined ? [] : [caller]));
}

function labelsOf(scope: Scope): string[] {
  return [...new Set(scope.access)].sort();
}

/** Decides when to check limits of retention. The first addition of a process triggers a check, because many processes add only once. */
export function createSeldom() {
  let left = 0;
  return {
    /** Returns whether the next `more` additions require a check. Has no side effects, so a repeated transaction gets the same result. */
    isDue: (more: number): boolean => more > left,
    /** Counts committed additions. @param untilNext number of additions until the next check; given only after a check */
    done: (more: number, untilNext?: number): void => {
      left = untilNext ?? Math.max(left - more, 0);
    },
  };
}
