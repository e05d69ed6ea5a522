import { createHash } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { RequestError } from "../errors.ts";
import { knownCallerOf } from "./access/caller.ts";

/** How long a response is kept for a second try: clients that try again do so within minutes. */
export const IDEMPOTENCY_MS = 3_600_000;
/** Responses kept at once; the oldest goes first. */
const MOST_KEPT = 2_000;
/** Longest response that is kept, in characters: an answer with its evidence has tens of thousands. */
const MOST_CHARACTERS = 1_000_000;

interface Kept {
  readonly at: number;
  readonly fingerprint: string;
  /** `null`: it is still being made. */
  response: { readonly status: number; readonly body: string; readonly headers: [string, string][] } | null;
}

/**
 * Requests with the same `Idempotency-Key` of the same caller are done once: the second one gets the response of the first, with
 * `Idempotent-Replayed: true`. Failures are not kept, nor streams of events: those are done again. Kept in memory for an hour.
 * @throws RequestError `idempotency_key_invalid`, `idempotency_key_reused` for another request, `idempotency_in_progress`
 */
export function createIdempotency(now: () => number = Date.now): MiddlewareHandler {
  const kept = new Map<string, Kept>();
  return async (context, next) => {
    const name = context.req.header("idempotency-key");
    if (name === undefined) return next();
    if (!/^[\x21-\x7e]{1,200}$/.test(name)) throw keyInvalid();
    const key = JSON.stringify([knownCallerOf(context)?.keyId ?? null, addressPart(context), name]);
    const fingerprint = await fingerprintOf(context);
    const before = kept.get(key);
    if (before !== undefined && now() - before.at < IDEMPOTENCY_MS) {
      if (before.fingerprint !== fingerprint) throw keyReused();
      if (before.response === null) throw inProgress();
      const { status, body, headers } = before.response;
      context.res = new Response(body === "" ? null : body, { status, headers: [...headers, ["Idempotent-Replayed", "true"]] });
      return;
    }
    const entry: Kept = { at: now(), fingerprint, response: null };
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
    const drop = () => {
      if (kept.get(key) === entry) kept.delete(key);
    };
    await next().catch((error: unknown) => {
      drop();
      throw error;
    });
    const { res } = context;
    const type = res.headers.get("content-type") ?? "";
    if (!res.ok || context.error !== undefined || type.startsWith("text/event-stream")) return drop();
    const body = await res.clone().text();
    if (body.length > MOST_CHARACTERS) return drop();
    const headers = ["content-type", "location"].flatMap((header) => {
      const value = res.headers.get(header);
      return value === null ? [] : [[header, value] as [string, string]];
    });
    entry.response = { status: res.status, body, headers };
  };
}

/** Those who come without a key are told apart by where they come from. */
function addressPart(context: Context): string | null {
  return knownCallerOf(context)?.keyId == null ? ((context.get("address") as string | undefined) ?? null) : null;
}

async function fingerprintOf(context: Context): Promise<string> {
  const hash = createHash("sha256").update(`${context.req.method} ${context.req.url}\n`);
  return hash.update(new Uint8Array(await context.req.arrayBuffer())).digest("base64url");
}

function keyInvalid(): RequestError {
  return new RequestError(
    "idempotency_key_invalid",
    "An Idempotency-Key has 1–200 visible ASCII characters: send a random one, such as a UUID.",
  );
}

function keyReused(): RequestError {
  return new RequestError("idempotency_key_reused", "This Idempotency-Key was used for another request: take a new one.");
}

function inProgress(): RequestError {
  return new RequestError("idempotency_in_progress", "The request with this Idempotency-Key is still being done: try again in a moment.", {
    retry_after_s: 1,
  });
}
