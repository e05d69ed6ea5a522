import { systemCodeOf } from "../errors.ts";

/** What reading a body throws when the connection ends before the body does. */
const CUT_OFF: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR"]);

/** Did reading fail because the requester has left? Anything else that fails after they left is still an error. */
export function isGone(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && CUT_OFF.has(systemCodeOf(error));
}

/** Nobody reads this: the connection is closed. 499 keeps such requests apart in the log. */
export function goneResponse(): Response {
  return new Response(null, { status: 499 });
}
