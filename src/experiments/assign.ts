import type { ExperimentSettings } from "../config/experiments.ts";
import { keyedHash } from "../text/keyed-hash.ts";

/** Hexadecimal digits of the hash that make a number: 48 bits. */
const DIGITS = 12;

/** The variant of a session: the same every time and in every process, and independent between experiments. */
export function assignVariant(secret: string, name: string, { variants }: Pick<ExperimentSettings, "variants">, session: string): string {
  const drawn = Number.parseInt(keyedHash(secret, "assignment", name, session).slice(0, DIGITS), 16) / 16 ** DIGITS;
  let below = 0;
  let last = "";
  for (const [variant, { share }] of Object.entries(variants)) {
    if (share === 0) continue;
    below += share;
    last = variant;
    if (drawn < below) return variant;
  }
  return last;
}
