import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { z } from "zod";
import { keyedHash } from "../text/hash.ts";
import { transact, upsert } from "./dialect.ts";
import type { Database } from "./schema.ts";

export interface KeptResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Outcome of a request with an `Idempotency-Key`. */
export type Claim =
  /** The first request with the key. The caller runs it, then calls `keep` or `drop`. */
  | { readonly type: "claimed" }
  | { readonly type: "in-progress" }
  /** The key was used for a different request. */
  | { readonly type: "reused" }
  | { readonly type: "kept"; readonly response: KeptResponse };

/** A request with an idempotency key. */
export interface NamedRequest {
  /** The caller and the idempotency key. The encryption key of the response is derived from it, so idempotency keys should be random. */
  readonly name: string;
  /** Hash of the request. */
  readonly fingerprint: string;
}

const responseSchema = z.object({ status: z.int(), headers: z.array(z.tuple([z.string(), z.string()])), body: z.string() });

/**
 * Stores responses, encrypted (AES-256-GCM) under the sender's idempotency key. Only a keyed hash of that key is
 * stored. If keys are random, nobody who reads the database can read the responses.
 */
export function createIdempotencyStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  const idOf = async (name: string) => keyedHash(await secret(), "idempotency", name);
  const after = (ms: number) => new Date(now().getTime() + ms).toISOString();
  return {
    /** Returns `claimed` for exactly one of several concurrent requests. A claim expires after `claimMs` unless `keep` was called. */
    async claim({ name, fingerprint }: NamedRequest, claimMs: number): Promise<Claim> {
      const key = await idOf(name);
      const at = now().toISOString();
      const row = { key, fingerprint, response: null, createdAt: at, expiresAt: after(claimMs) };
      const found = await transact(db, async (trx) => {
        await trx.deleteFrom("idempotency").where("key", "=", key).where("expiresAt", "<=", at).execute();
        if (await upsert(trx, "idempotency", row, ["key"])) return null;
        return trx.selectFrom("idempotency").select(["fingerprint", "response"]).where("key", "=", key).executeTakeFirstOrThrow();
      });
      if (found === null) return { type: "claimed" };
      if (found.fingerprint !== fingerprint) return { type: "reused" };
      if (found.response === null) return { type: "in-progress" };
      return { type: "kept", response: open(found.response, await secret(), name) };
    },
    async keep({ name, fingerprint }: NamedRequest, response: KeptResponse, keepMs: number): Promise<void> {
      const sealed = seal(JSON.stringify(response), await secret(), name);
      const row = { key: await idOf(name), fingerprint, response: sealed, createdAt: now().toISOString(), expiresAt: after(keepMs) };
      await upsert(db, "idempotency", row, ["key"], { response: sealed, expiresAt: row.expiresAt });
    },
    /** Releases a claim, unless its response is already stored. */
    async drop({ name }: NamedRequest): Promise<void> {
      const key = await idOf(name);
      await db.deleteFrom("idempotency").where("key", "=", key).where("response", "is", null).execute();
    },
  };
}

/** Responses to repeated requests, shared by all processes of an installation. */
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyOf(secret: string, name: string): Uint8Array {
  return hash("sha256", JSON.stringify(["idempotency response", secret, name]), "buffer");
}

function seal(text: string, secret: string, name: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, name), nonce);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function open(sealed: string, secret: string, name: string): KeptResponse {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, name), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
  return responseSchema.parse(JSON.parse(text));
}
