import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHUNK_MAX_TOKENS, CHUNK_MIN_TOKENS, CHUNK_OVERLAP_TOKENS, CHUNK_TARGET_TOKENS } from "../../src/ingest/chunk.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { profiles } from "../../src/profiles/index.ts";
import { FOREIGN_LANGUAGE } from "../../src/profiles/profile.ts";
import { DEFAULT_QUESTION_CHARACTERS } from "../../src/shared/config.ts";
import { RULE_COUNTS } from "./measured-profiles.ts";
import { measured } from "./measurements.ts";
import { FOREIGN_TEST, RULE_TESTS, type ShownBy } from "./rule-tests.ts";
import { SOURCE_ROWS } from "./source-rows.ts";

const SOURCES = profiles.filter(({ name }) => name in SOURCE_ROWS);

/** Titles of tests as they are written: what follows `it(` or `describe(`, also behind `.each(…)`. */
function holdsTitle({ file, title }: ShownBy): boolean {
  const path = join(PACKAGE_ROOT, file);
  if (!existsSync(path)) return false;
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/(?:^|[\s)])(?:it|describe|test)?\(\s*"((?:[^"\\]|\\.)*)"/g)].some(([, own = ""]) => own.startsWith(title));
}

/** Every number of a value, however deep. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(numbersIn);
  return [];
}

/** Numbers of rules that stand elsewhere than in the profile: constants of every profile, and names. */
const ELSEWHERE: ReadonlySet<number> = new Set([
  ...[CHUNK_TARGET_TOKENS, CHUNK_MIN_TOKENS, CHUNK_MAX_TOKENS, CHUNK_OVERLAP_TOKENS, DEFAULT_QUESTION_CHARACTERS],
  // Minutes of a session, the default of `session.idle_minutes`; copies of `equation 6`, `listing 7` and models' names are taken out before.
  30,
  // TF-IDF cosine of twins by cosine (`src/retrieval/deduplicate.ts`); weights of equation 6 (`src/memory`); the latency that is printed, not enforced.
  ...[0.85, 1.5, 0.5, 500],
]);

/** Numbers that a rule states. */
function statedIn(rule: string): number[] {
  const plain = rule.replaceAll(
    /\((?:equation|listing) \d+\)|(?:layer|equation|listing|SHA-|BM|L|GPT-|MiniLM-L-)\s?\d+\w*(?:-v\d)?|7xxx|GPT-4o(?:-mini)?|ms-marco\S+/g,
    "",
  );
  return [...plain.matchAll(/(?<![\w.])\d*[.,]?\d+(?![\w])/g)].map(([text]) => Number(text.replace(/^(\d),(\d{3})$/, "$1$2")));
}

/** Counts that a text gives as measured by `eval profiles`: "7 of 73", "488 rejected of 960"; each stands in the clause before the command. */
function countsOf(text: string): string[] {
  const parts = text.split("(`./run eval profiles`").slice(0, -1);
  return [...parts, ...[...text.matchAll(/\(([^()]*), `\.\/run eval profiles`\)/g)].map(([, inside = ""]) => inside)].flatMap((part) => {
    const [clause = ""] = part.split(/[.;:] /).slice(-1);
    return [...clause.matchAll(/(\d+)(?: \w+)? of (\d+)/g)].map(([, hits, of]) => `${hits} of ${of}`);
  });
}

describe("rules of the sources", () => {
  const held = SOURCES.flatMap((profile) => profile.rules.map((rule) => ({ profile, ...rule })));

  it("are many, so that what follows says something", () => expect([SOURCES.length, held.length > 45]).toEqual([5, true]));

  it.each(held.map(({ profile, rule, state }) => [profile.name, rule, state] as const))(
    "%s: %s: is shown by a test that is there",
    (name, rule, state) => {
      const shown = rule === FOREIGN_LANGUAGE.rule ? FOREIGN_TEST : RULE_TESTS[name]?.[rule];
      if (state === "not built") return;
      expect(shown, "name its test in lab/docs/rule-tests.ts").toBeDefined();
      expect(shown !== undefined && holdsTitle(shown), `${shown?.file} has no test "${shown?.title}"`).toBe(true);
    },
  );

  it.each(SOURCES.map(({ name }) => name))("%s: twelve rows of the source name tests that are there", (name) => {
    const rows = SOURCE_ROWS[name] ?? [];
    expect(rows).toHaveLength(12);
    expect(rows.filter(({ shownBy }) => typeof shownBy !== "string" && !holdsTitle(shownBy))).toEqual([]);
  });

  it("name no rule that is gone", () => {
    for (const [name, rules] of Object.entries(RULE_TESTS)) {
      const known = new Set(profiles.find((profile) => profile.name === name)?.rules.map(({ rule }) => rule));
      expect(Object.keys(rules).filter((rule) => !known.has(rule))).toEqual([]);
    }
  });

  it.each(held.filter(({ state }) => state === "reproduced" || state === "corrected").map(({ profile, rule }) => [profile, rule] as const))(
    "$name: its numbers stand in the settings: %s",
    (profile, rule) => {
      const { rules: _, ...settings } = profile;
      const known = new Set(numbersIn(settings));
      expect(statedIn(rule).filter((number) => !known.has(number) && !ELSEWHERE.has(number))).toEqual([]);
    },
  );

  it("have the counts that `eval profiles` reported", () => {
    const { metrics, n } = measured("profiles");
    const shares = new Set(Object.entries(n).map(([name, of]) => `${Math.round((metrics[name] ?? Number.NaN) * of)} of ${of}`));
    const said = RULE_COUNTS.flatMap(countsOf);
    expect(said.length).toBeGreaterThan(3);
    expect(said.filter((count) => !shares.has(count))).toEqual([]);
  });

  it("finds a number that the settings do not have, and a title that no test has", () => {
    expect(statedIn("guard .7·rel + .3·cross, ≥ .28 each, within 2,200 tokens of layer 5")).toEqual([0.7, 0.3, 0.28, 2200]);
    expect(holdsTitle({ file: "test/model.test.ts", title: "no such test" })).toBe(false);
  });
});
