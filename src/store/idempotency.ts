import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { z } from "zod";
import { keyedHash } from "../text/hash.ts";
import { transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** A response as it is given again. */
export interface KeptResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** What a request with an `Idempotency-Key` meets. */
export type Claim =
  /** It is the first: whoever claims it does it, then keeps or drops. */
  | { readonly type: "claimed" }
  | { readonly type: "in-progress" }
  /** The same name came with another request. */
  | { readonly type: "reused" }
  | { readonly type: "kept"; readonly response: KeptResponse };

/** A request by the name that its sender gave it. */
export interface NamedRequest {
  /** Whose name it is, and the name itself. Random, it is also what opens the kept response. */
  readonly name: string;
  /** Hash of what is asked. */
  readonly fingerprint: string;
}

const responseSchema = z.object({ status: z.int(), headers: z.array(z.tuple([z.string(), z.string()])), body: z.string() });

/**
 * Responses are sealed (AES-256-GCM) under the sender's own name for the request, which is stored only as a keyed hash: who reads the database
 * reads no answer in them, as long as names are random.
 */
export function createIdempotencyStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  const idOf = async (name: string) => keyedHash(await secret(), "idempotency", name);
  const after = (ms: number) => new Date(now().getTime() + ms).toISOString();
  return {
    /** Exactly one of several that come at once gets `claimed`. A claim that nobody settles ends after `claimMs`. */
    async claim({ name, fingerprint }: NamedRequest, claimMs: number): Promise<Claim> {
      const key = await idOf(name);
      const at = now().toISOString();
      const row = { key, fingerprint, response: null, createdAt: at, expiresAt: after(claimMs) };
      const found = await transact(db, async (trx) => {
        await trx.deleteFrom("idempotency").where("key", "=", key).where("expiresAt", "<=", at).execute();
        const inserted = await trx
          .insertInto("idempotency")
          .values(row)
          .onConflict((c) => c.column("key").doNothing())
          .executeTakeFirst();
        if (Number(inserted.numInsertedOrUpdatedRows ?? 0) > 0) return null;
        return trx.selectFrom("idempotency").select(["fingerprint", "response"]).where("key", "=", key).executeTakeFirstOrThrow();
      });
      if (found === null) return { type: "claimed" };
      if (found.fingerprint !== fingerprint) return { type: "reused" };
      if (found.response === null) return { type: "in-progress" };
      return { type: "kept", response: open(found.response, await secret(), name) };
    },
    /** Keeps the response for `keepMs`. */
    async keep({ name, fingerprint }: NamedRequest, response: KeptResponse, keepMs: number): Promise<void> {
      const sealed = seal(JSON.stringify(response), await secret(), name);
      const row = { key: await idOf(name), fingerprint, response: sealed, createdAt: now().toISOString(), expiresAt: after(keepMs) };
      await db
        .insertInto("idempotency")
        .values(row)
        .onConflict((c) => c.column("key").doUpdateSet({ response: sealed, expiresAt: row.expiresAt }))
        .execute();
    },
    /** The claim ends without a response. */
    async drop({ name }: NamedRequest): Promise<void> {
      await db
        .deleteFrom("idempotency")
        .where("key", "=", await idOf(name))
        .where("response", "is", null)
        .execute();
    },
  };
}

/** Responses that a second try gets; all processes of an installation share them. */
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyOf(secret: string, name: string): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify(["idempotency response", secret, name]))
    .digest();
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
