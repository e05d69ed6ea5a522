import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../package.ts";
import { sha256Hex } from "../text/hash.ts";

/** Files that the scores of the checks come from. */
const CHECKING_WEIGHTS = ["encoder.bin", "reader.bin", "support.json", "wording.json"] as const;

/** SHA-256 (hex) of each file of weights that the checks read, by name. */
export function hashWeights(): Record<string, string> {
  return Object.fromEntries(
    CHECKING_WEIGHTS.map((name) => [name, sha256Hex(readFileSync(join(PACKAGE_ROOT, "src/models/weights", name)))]),
  );
}
