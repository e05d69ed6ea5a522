import { createHash } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { RequestError } from "../shared/errors.ts";
import type { IdempotencyStore, KeptResponse } from "../store/idempotency.ts";
import { knownCallerOf } from "./access/caller.ts";

/** Milliseconds for which a response is kept. Clients retry within minutes. */
const IDEMPOTENCY_MS = 3_600_000;
/** Maximum characters of a stored response. An answer with evidence has tens of thousands. */
const MOST_CHARACTERS = 1_000_000;

/** A store for responses, by idempotency key. */
export interface IdempotencyRecords extends Pick<IdempotencyStore, "claim" | "keep" | "drop"> {
  /** Milliseconds after which an unfinished request may run again, because the process that ran it has probably died. */
  readonly claimMs: number;
  /** Whether the configuration asks for ephemeral privacy. @default false */
  readonly isEphemeral?: boolean;
}

/** Context key of a flag. While it is set, the response of the request must not be stored. */
export const LEAVES_NO_TRACE = "leaves no trace";

/**
 * Runs requests with the same `Idempotency-Key` and caller only once. A repeated request gets the first response with
 * `Idempotent-Replayed: true`. Responses are stored for an hour, except errors, event streams and ephemeral answers;
 * a repetition of such a request runs again.
 * @throws RequestError `idempotency_key_invalid`; `idempotency_key_reused` if the key belongs to another request;
 * `idempotency_in_progress`
 */
export function createIdempotency(records: IdempotencyRecords): MiddlewareHandler {
  return async (context, next) => {
    const given = context.req.header("idempotency-key");
    if (given === undefined) return next();
    if (!/^[\x21-\x7e]{1,200}$/.test(given)) {
      const message = "An Idempotency-Key must have 1–200 visible ASCII characters. Send a random one, such as a UUID.";
      throw new RequestError("idempotency_key_invalid", message);
    }
    const keyId = knownCallerOf(context)?.keyId ?? null;
    // Callers without an API key are distinguished by address.
    const address = keyId === null ? ((context.get("address") as string | undefined) ?? null) : null;
    const name = JSON.stringify([keyId, address, given]);
    const request = { name, fingerprint: await fingerprintOf(context) };
    const claim = await records.claim(request, records.claimMs);
    if (claim.type === "reused")
      throw new RequestError("idempotency_key_reused", "This Idempotency-Key was already used for a different request. Use a new one.");
    if (claim.type === "in-progress") {
      const message = "The request with this Idempotency-Key is still running. Retry in a moment.";
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

/** Returns the response to store, or `null` if it must not be stored. */
async function toKeep(response: Response): Promise<KeptResponse | null> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || type.startsWith("text/event-stream")) return null;
  const body = await response.clone().text();
  if (body.length > MOST_CHARACTERS) return null;
  const headers = [...response.headers].filter(([name]) => name === "content-type" || name === "location");
  return { status: response.status, body, headers };
}

async function fingerprintOf(context: Context): Promise<string> {
  // The host is not part of the fingerprint, because replicas have different addresses.
  const { pathname, search } = new URL(context.req.url);
  const hash = createHash("sha256").update(`${context.req.method} ${pathname}${search}\n`);
  const bytes = Buffer.from(await context.req.arrayBuffer());
  // Leave the boundary of a form out of the fingerprint, because clients choose a new one for each attempt.
  const [, boundary] = /^multipart\/form-data;.*?boundary="?([^";,]{1,70})/i.exec(context.req.header("content-type") ?? "") ?? [];
  return hash.update(boundary === undefined ? bytes : bytes.toString("latin1").replaceAll(`--${boundary}`, "--")).digest("base64url");
}
