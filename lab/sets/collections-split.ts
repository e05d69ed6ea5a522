import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../../src/grading/metrics.ts";
import { PARTS, type Part, pagesOf } from "./collections.ts";

/** Number of collections per part; the rest is `train`. */
const SIZES: Readonly<Record<Exclude<Part, "train">, number>> = { validation: 7, test: 7 };

/** Publishers with several collections, which stay in one part. Every other collection has its own publisher. */
const PUBLISHERS: Readonly<Record<string, readonly string[]>> = {
  "General Services Administration": ["gsa-smartpay", "plain-language-guidelines", "login-gov-help"],
  "State of New Jersey": ["nj-business-licences", "nj-tax-filings-and-grants"],
  "Government Digital Service": ["gds-service-manual", "govuk-smart-answers"],
};

/** Two pages are near-duplicates if they share this fraction of eight-word sequences, relative to the shorter page. */
const NEAR_DUPLICATE = 0.5;

/**
 * Splits collections into train, validation and test, so that no publisher and no near-duplicate page is in two parts. The same seed gives
 * the same split.
 * @param pages folder with `NAME/pages/` for each name
 */
export function splitCollections(names: readonly string[], pages: string, seed: number): Record<Part, string[]> {
  const groups = groupsOf([...names].sort(), pages);
  const random = createRandom(seed);
  const shuffled = groups
    .map((group) => ({ group, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ group }) => group);
  const split: Record<Part, string[]> = { train: [], validation: [], test: [] };
  for (const group of shuffled) {
    const part = PARTS.find((one) => one !== "train" && split[one].length + group.length <= SIZES[one]) ?? "train";
    split[part].push(...group);
  }
  for (const part of PARTS) split[part].sort();
  return split;
}

/** Groups collections that must stay together. */
function groupsOf(names: readonly string[], pages: string): string[][] {
  const groupOf = new Map(names.map((name) => [name, [name]]));
  const join2 = (a: string, b: string) => {
    const [left = [], right = []] = [groupOf.get(a), groupOf.get(b)];
    if (left === right) return;
    left.push(...right);
    for (const name of right) groupOf.set(name, left);
  };
  for (const group of Object.values(PUBLISHERS)) for (const name of group.slice(1)) if (groupOf.has(name)) join2(group[0] ?? name, name);
  for (const [a, b] of nearDuplicates(names, pages)) join2(a, b);
  return [...new Set(groupOf.values())];
}

/** Finds pairs of collections that share a near-duplicate page. */
function nearDuplicates(names: readonly string[], pages: string): [string, string][] {
  const all = names.flatMap((name) =>
    pagesOf(join(pages, name)).map((path) => ({ name, runs: runsOf(readFileSync(join(pages, name, path), "utf8")) })),
  );
  const holders = new Map<string, number[]>();
  all.forEach(({ runs }, at) => {
    for (const run of runs) {
      const held = holders.get(run);
      if (held === undefined) holders.set(run, [at]);
      else held.push(at);
    }
  });
  const shared = new Map<string, number>();
  for (const held of holders.values())
    for (const a of held)
      for (const b of held) if (a < b && all[a]?.name !== all[b]?.name) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1);
  return [...shared].flatMap(([key, count]) => {
    const [a, b] = key.split(" ").map((at) => all[Number(at)]);
    if (a === undefined || b === undefined || count < NEAR_DUPLICATE * Math.min(a.runs.size, b.runs.size)) return [];
    return [[a.name, b.name] as [string, string]];
  });
}

/** Returns the eight-word sequences of a text. */
function runsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.slice(7).map((_, i) => words.slice(i, i + 8).join(" ")));
}
