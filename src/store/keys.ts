import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { keyedHash } from "../text/hash.ts";
import { appendAudit } from "./audit.ts";
import { type Given, prepare, transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** Permissions of a key: ask questions, ingest documents, review answers that its scope may see, read `/metrics`, administer. */
export const ROLES = ["ask", "ingest", "review", "metrics", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Prefix of every key. The server and secret scanners recognise keys by it. */
export const KEY_PREFIX = "sb_";
/** Number of random bytes in the secret part of a key. */
const SECRET_BYTES = 32;
const ID_BYTES = 6;

/** Permissions and limits of a key. */
export interface KeyGrant {
  readonly roles: readonly Role[];
  /** Allowed domains; `null`: all. A request that names no domain uses the first. */
  readonly domains: readonly string[] | null;
  /** Allowed tenants; `null`: all. Empty: only documents without a tenant. */
  readonly tenants: readonly string[] | null;
  /** Access labels; `null`: those of the configuration. */
  readonly access: readonly string[] | null;
  /** Maximum requests per hour; `null`: the server's setting; 0: unlimited. */
  readonly requestsPerHour: number | null;
  /** Model tokens per day (UTC); `null` or absent: the server's setting; 0: unlimited. */
  readonly tokensPerDay?: number | null | undefined;
  /** US dollars per day (UTC); `null` or absent: the server's setting; 0: unlimited. */
  readonly usdPerDay?: number | null | undefined;
}

export type KeyRecord = ReturnType<typeof toRecord>;

export interface NewKey extends KeyGrant {
  readonly name: string;
  /** ISO time. */
  readonly expiresAt: string | null;
}

export function createKeyStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  const anyKey = prepare(() => db.selectFrom("api_keys").select("id").limit(1));
  const byHash = prepare((given: Given<{ hash: string }>) => db.selectFrom("api_keys").selectAll().where("hash", "=", given("hash")));
  return {
    /** Creates a key and returns it. Only its keyed hash is stored, so it cannot be returned again. */
    async create(given: NewKey, by: string): Promise<{ readonly key: string; readonly record: KeyRecord }> {
      const { name, roles, domains, tenants, access, requestsPerHour, tokensPerDay = null, usdPerDay = null, expiresAt } = given;
      const id = randomBytes(ID_BYTES).toString("hex");
      const key = `${KEY_PREFIX}${id}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
      const row = {
        ...{ id, hash: keyedHash(await secret(), "api key", key), name, roles: JSON.stringify(roles) },
        ...{ domains: JSON.stringify(domains), tenants: JSON.stringify(tenants), access: JSON.stringify(access) },
        ...{ requestsPerHour, tokensPerDay, usdPerDay, createdAt: now().toISOString(), expiresAt, revokedAt: null },
      };
      await transact(db, async (trx) => {
        await trx.insertInto("api_keys").values(row).execute();
        await appendAudit(trx, { actor: by, action: "create_key", subject: id, details: { roles, expires_at: expiresAt } }, row.createdAt);
      });
      return { key, record: toRecord(row) };
    },
    /** Returns the record of a key; `null`: unknown, expired or revoked. */
    async find(key: string): Promise<KeyRecord | null> {
      const [row] = await byHash(db, { hash: keyedHash(await secret(), "api key", key) });
      return row === undefined || !isLiveKey(row, now()) ? null : toRecord(row);
    },
    /** Lists all keys, newest first, including expired and revoked ones. */
    async list(): Promise<KeyRecord[]> {
      const rows = await db.selectFrom("api_keys").selectAll().orderBy("createdAt", "desc").orderBy("id").execute();
      return rows.map(toRecord);
    },
    /** Revokes a key. Returns `false` if the id is unknown or already revoked. */
    revoke: (id: string, by: string): Promise<boolean> =>
      transact(db, async (trx) => {
        const at = now().toISOString();
        const revoke = trx.updateTable("api_keys").set({ revokedAt: at }).where("id", "=", id).where("revokedAt", "is", null);
        if ((await revoke.executeTakeFirst()).numUpdatedRows === 0n) return false;
        await appendAudit(trx, { actor: by, action: "revoke_key", subject: id, details: {} }, at);
        return true;
      }),
    /** Returns whether any key was ever created, including expired and revoked ones. */
    async any(): Promise<boolean> {
      return (await anyKey(db, {})).length > 0;
    },
  };
}

export type KeyStore = ReturnType<typeof createKeyStore>;

export function isLiveKey({ expiresAt, revokedAt }: Pick<KeyRecord, "expiresAt" | "revokedAt">, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now.toISOString());
}

function toRecord({ hash: _, roles, domains, tenants, access, ...row }: Database["api_keys"]) {
  return {
    ...row,
    roles: JSON.parse(roles) as Role[],
    domains: JSON.parse(domains) as string[] | null,
    tenants: JSON.parse(tenants) as string[] | null,
    access: JSON.parse(access) as string[] | null,
  };
}
