import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { RequestError } from "../../errors.ts";
import type { Caller } from "./caller.ts";

/** Random bytes of an id: nobody guesses one of 2⁶⁴ while each guess counts as a request. */
const RANDOM_BYTES = 8;

/** Ids of sessions that this installation issued: random, with a keyed hash of it, in the form of a UUID (version 8, RFC 9562). */
export interface SessionIds {
  issue(): string;
  /**
   * May the caller speak in a session of this id? A key's sessions are its own, whatever they are called; those who come without one share the
   * rest, so that only an id which nobody can guess keeps their conversations apart.
   * @throws RequestError `session_not_issued`
   */
  assertOpen(caller: Caller, id: string | undefined): void;
}

/** @param secret of the installation: another replica's ids are known, another installation's are not */
export function createSessionIds(secret: string): SessionIds {
  const idOf = (random: Uint8Array) => {
    const mac = createHmac("sha256", secret).update("session id").update(random).digest();
    const bytes = Buffer.concat([random, mac.subarray(0, 16 - RANDOM_BYTES)]);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  const isIssued = (id: string) => {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return false;
    const random = Buffer.from(id.replaceAll("-", ""), "hex").subarray(0, RANDOM_BYTES);
    return timingSafeEqual(Buffer.from(id), Buffer.from(idOf(random)));
  };
  const fresh = () => {
    const random = randomBytes(RANDOM_BYTES);
    random[6] = ((random[6] ?? 0) & 0x0f) | 0x80;
    return random;
  };
  return {
    issue: () => idOf(fresh()),
    assertOpen(caller, id) {
      if (id === undefined || caller.namesSessions !== false || isIssued(id)) return;
      throw new RequestError(
        "session_not_issued",
        "Without a key, a session has an id that the server made: take `session_id` from POST /v1/sessions or from an answer.",
      );
    },
  };
}
