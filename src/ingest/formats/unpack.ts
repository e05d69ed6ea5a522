import { gunzipSync } from "node:zlib";
import { IngestError, messageOf, systemCodeOf } from "../../errors.ts";
import { MAX_UNPACKED_BYTES } from "../limits.ts";

/** @throws IngestError `unpacks_too_far`, `bad_archive` */
export function unpackGzip(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (cause) {
    if (systemCodeOf(cause) === "ERR_BUFFER_TOO_LARGE") throw unpacksTooFar(MAX_UNPACKED_BYTES);
    throw new IngestError("bad_archive", `it cannot be unpacked (${messageOf(cause)}): it is damaged or cut off`, {}, { cause });
  }
}

export function unpacksTooFar(limit: number): IngestError {
  return new IngestError(
    "unpacks_too_far",
    `it unpacks to more than ${limit / 1024 / 1024} MB: nothing of it was read. Leave it out, or split it`,
    {
      limit,
    },
  );
}
