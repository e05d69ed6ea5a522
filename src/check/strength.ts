import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";
import { once } from "../text/once.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Statements that fit nearly as well as the best are asked too: if one says as much as the claim, the claim says no more than its source. */
const NEARLY = 0.05;

interface StrengthPair {
  readonly strong: ReadonlySet<string>;
  readonly weak: ReadonlySet<string>;
}

const fileSchema = z.strictObject({
  /** Why the words stand there. */
  reason: z.string().min(1),
  pairs: z.array(z.strictObject({ strong: z.string().min(1), weak: z.string().min(1) })),
});

const readPairs = once((): readonly StrengthPair[] => {
  const { pairs } = fileSchema.parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "src", "check", "strength.json"), "utf8")));
  return pairs.map(({ strong, weak }) => ({ strong: new Set(strong.split(" ")), weak: new Set(weak.split(" ")) }));
});

/** Does a claim say "all", "always" or "will" where the statement that fits it best says "some", "usually", "may", or names an exception that the claim leaves out? */
export function checkStrength({ claim, statements, coverage }: Alignment, mode: "remove" | "warn"): Finding {
  const top = Math.max(0, ...coverage);
  const near = statements.filter((_, i) => top > 0 && (coverage[i] as number) >= top - NEARLY);
  const said = wordsOf(claim.text);
  for (const { strong, weak } of readPairs()) {
    const more = said.find(({ word }) => strong.has(word));
    if (more === undefined || near.length === 0 || said.some(({ word }) => weak.has(word))) continue;
    const limits = near.map(({ text }) => wordsOf(text).find(({ word }) => weak.has(word))?.word);
    if (limits.some((word) => word === undefined)) continue;
    const reason = `says "${more.word}" where the cited quotes say "${limits[0]}"`;
    return finding("strength", mode === "remove" ? "fail" : "warn", 0, reason, [{ start: more.start, end: more.end }]);
  }
  return finding("strength", "pass", 1, "says no more than the cited quotes do");
}

function wordsOf(text: string): (TextRange & { word: string })[] {
  return [...text.matchAll(/\p{L}+/gu)].map(({ 0: word, index }) => ({ word: word.toLowerCase(), start: index, end: index + word.length }));
}
