import { createHash } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import { RequestError } from "../shared/errors.ts";
import type { IdempotencyStore, KeptResponse } from "../store/idempotency.ts";
import { knownCallerOf } from "./access/caller.ts";

/** How long a response is kept for a second try: clients that try again do so within minutes. */
const IDEMPOTENCY_MS = 3_600_000;
/** Responses kept in memory at once; the oldest goes first. */
const MOST_KEPT = 2_000;
/** Longest response that is kept, in characters: an answer with its evidence has tens of thousands. */
const MOST_CHARACTERS = 1_000_000;

/** Where responses are kept; those of requests that leave no trace only in memory. */
export interface IdempotencyRecords extends Pick<IdempotencyStore, "claim" | "keep" | "drop"> {
  /** Milliseconds after which a request that nobody settled may be done again: its process died. */
  readonly claimMs: number;
}

/** Name in a request's context: nothing of its response may be stored. */
export const LEAVES_NO_TRACE = "leaves no trace";

/** Milliseconds for which a claim holds where nothing limits how long an answer takes. */
const CLAIM_MS = 600_000;

/** Responses in the memory of this process: gone when it ends, and known to no other one. */
export function recordsInMemory(): IdempotencyRecords {
  const kept = new LRUCache<string, { readonly fingerprint: string; readonly response: KeptResponse | null }>({ max: MOST_KEPT });
  return {
    claimMs: CLAIM_MS,
    async claim({ name, fingerprint }, claimMs) {
      const before = kept.get(name);
      if (before === undefined) {
        kept.set(name, { fingerprint, response: null }, { ttl: claimMs });
        return { type: "claimed" };
      }
      if (before.fingerprint !== fingerprint) return { type: "reused" };
      return before.response === null ? { type: "in-progress" } : { type: "kept", response: before.response };
    },
    async keep({ name, fingerprint }, response, keepMs) {
      kept.set(name, { fingerprint, response }, { ttl: keepMs });
    },
    async drop({ name }) {
      if (kept.get(name)?.response === null) kept.delete(name);
    },
  };
}

/**
 * Requests with the same `Idempotency-Key` of the same caller are done once: the second one gets the response of the first, with
 * `Idempotent-Replayed: true`. Failures are not kept, nor streams of events, nor answers of which nothing may be stored: those are done again. Kept for an hour.
 * @throws RequestError `idempotency_key_invalid`, `idempotency_key_reused` for another request, `idempotency_in_progress`
 */
export function createIdempotency(records: IdempotencyRecords): MiddlewareHandler {
  return async (context, next) => {
    const given = context.req.header("idempotency-key");
    if (given === undefined) return next();
    if (!/^[\x21-\x7e]{1,200}$/.test(given)) {
      const message = "An Idempotency-Key has 1–200 visible ASCII characters: send a random one, such as a UUID.";
      throw new RequestError("idempotency_key_invalid", message);
    }
    const keyId = knownCallerOf(context)?.keyId ?? null;
    // Those who come without a key are told apart by where they come from.
    const address = keyId === null ? ((context.get("address") as string | undefined) ?? null) : null;
    const name = JSON.stringify([keyId, address, given]);
    const request = { name, fingerprint: await fingerprintOf(context) };
    const claim = await records.claim(request, records.claimMs);
    if (claim.type === "reused")
      throw new RequestError("idempotency_key_reused", "This Idempotency-Key was used for another request: take a new one.");
    if (claim.type === "in-progress") {
      const message = "The request with this Idempotency-Key is still being done: try again in a moment.";
      throw new RequestError("idempotency_in_progress", message, { retry_after_s: 1 });
    }
    if (claim.type === "kept") {
      const { status, body, headers } = claim.response;
      const all = { ...Object.fromEntries(headers), "Idempotent-Replayed": "true" };
      context.res = new Response(body === "" ? null : body, { status, headers: all });
      return;
    }
    await next().catch(async (error: unknown) => {
      await records.drop(request);
      throw error;
    });
    const mayKeep = context.error === undefined && context.get(LEAVES_NO_TRACE) !== true;
    const response = mayKeep ? await toKeep(context.res) : null;
    if (response === null) await records.drop(request);
    else await records.keep(request, response, IDEMPOTENCY_MS);
  };
}

/** `null`: it is not kept. */
async function toKeep(response: Response): Promise<KeptResponse | null> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || type.startsWith("text/event-stream")) return null;
  const body = await response.clone().text();
  if (body.length > MOST_CHARACTERS) return null;
  const headers = ["content-type", "location"].flatMap((header) => {
    const value = response.headers.get(header);
    return value === null ? [] : [[header, value] as const];
  });
  return { status: response.status, body, headers };
}

async function fingerprintOf(context: Context): Promise<string> {
  // Not the host: replicas are reached by addresses of their own.
  const { pathname, search } = new URL(context.req.url);
  const hash = createHash("sha256").update(`${context.req.method} ${pathname}${search}\n`);
  return hash.update(new Uint8Array(await context.req.arrayBuffer())).digest("base64url");
}
