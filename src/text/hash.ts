import { hash } from "node:crypto";

/** SHA-256 of a string (as UTF-8) or of bytes, in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}
