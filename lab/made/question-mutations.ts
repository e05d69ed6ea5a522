import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Random } from "../../src/grading/metrics.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { once } from "../../src/text/memo.ts";
import { literally } from "../../src/text/normalise.ts";
import { pick, replaceAt, replaceMatch, replaceRange } from "./edit.ts";

/** The changed part of a question, which changes its answer. */
export type QuestionMutation = "number" | "person" | "negation" | "date" | "benefit" | "opposite" | "branch" | "place";

export interface MutatedQuestion {
  readonly kind: QuestionMutation;
  readonly text: string;
}

type Mutate = (question: string, random: Random, names: readonly string[]) => string | null;

/** Rules that make a hard negative of a question. */
const MUTATIONS: Readonly<Record<QuestionMutation, Mutate>> = {
  number: (question, random) =>
    replaceMatch(question, /(?<![\d\p{L},.-])\d{1,3}(?:,\d{3})*(?![\d\p{L}/,.-])/gu, random, (found) => otherNumber(found, random)),
  date: (question, random) =>
    replaceMatch(question, /\b(?:19|20)\d{2}\b/g, random, (found) => String(Number(found) + 1 + Math.floor(random() * 7))),
  person: (question, random) => swap(question, random, lists().persons),
  branch: (question, random) => swap(question, random, lists().branches),
  place: (question, random) => swap(question, random, lists().states),
  negation: (question) => deny(question),
  opposite: (question, random) => opposite(question, random),
  benefit: (question, random, names) =>
    swap(
      question,
      random,
      names.map((name) => [name]),
    ),
};

const words = z.array(z.string());
const listsSchema = z.object({
  persons: z.array(words),
  branches: words,
  states: words,
  opposites: z.array(z.tuple([z.string(), z.string()])),
});

/** Groups of exchangeable words. */
const lists = once(() => {
  const { branches, states, ...rest } = listsSchema.parse(
    JSON.parse(readFileSync(join(PACKAGE_ROOT, "lab/made/question-words.json"), "utf8")),
  );
  return { ...rest, branches: branches.map((name) => [name]), states: states.map((name) => [name]) };
});

/** Applies each rule once. @param names names of benefits, products and the like, which replace each other */
export function mutateQuestion(question: string, names: readonly string[], random: Random): MutatedQuestion[] {
  return Object.entries(MUTATIONS).flatMap(([kind, mutate]) => {
    const text = mutate(question, random, names);
    return text === null || text.toLowerCase() === question.toLowerCase() ? [] : [{ kind: kind as QuestionMutation, text }];
  });
}

function otherNumber(found: string, random: Random): string {
  const value = Number(found.replaceAll(",", ""));
  const step = value >= 1000 ? 10 ** (String(value).length - 1) : value >= 10 ? 10 : 1;
  const other = value + step * (1 + Math.floor(random() * 3));
  return found.includes(",") ? other.toLocaleString("en-US") : String(other);
}

/**
 * Finds a word in a question as a whole word; `null` if absent. Tests for the substring first, because most words are absent and compiling
 * a pattern is slow.
 * @param beside character class that must not be adjacent to the word
 */
function placeOf(question: string, word: string, beside: string): RegExpExecArray | null {
  if (!question.toLowerCase().includes(word.toLowerCase())) return null;
  return new RegExp(`(?<![${beside}])${literally(word)}(?![${beside}])`, "iu").exec(question);
}

/** Replaces one word of a group by a word of another group. */
function swap(question: string, random: Random, groups: readonly (readonly string[])[]): string | null {
  const said = groups.flatMap((group, at) =>
    group.flatMap((word) => {
      const match = placeOf(question, word, "\\p{L}\\p{N}-");
      return match === null ? [] : [{ at, start: match.index, end: match.index + match[0].length }];
    }),
  );
  // Replaces the longest match, because a shorter one may be only a part of a name.
  const chosen = said.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)[0];
  if (chosen === undefined) return null;
  const [other] =
    pick(
      groups.filter((_, at) => at !== chosen.at),
      random,
    ) ?? [];
  return other === undefined ? null : replaceRange(question, chosen, other);
}

function opposite(question: string, random: Random): string | null {
  const found = lists().opposites.flatMap(([one, other]) =>
    [
      [one, other],
      [other, one],
    ].flatMap(([from = "", to = ""]) => {
      const match = placeOf(question, from, "\\p{L}-");
      return match === null ? [] : [replaceAt(question, match, to)];
    }),
  );
  return pick(found, random);
}

const AUXILIARY = /\b(does|do|did|is|are|was|were|can|could|will|would|should|must)\s+((?:the\s+|my\s+|a\s+|an\s+)?[\p{L}'’-]+)\b/iu;
const DENIED = /\b(?:not|never|no|without|cannot)\b|n['’]t\b/iu;

/** Puts "not" after the first auxiliary and its subject; `null` for a question that is already negated. */
function deny(question: string): string | null {
  if (DENIED.test(question)) return null;
  const match = AUXILIARY.exec(question);
  if (match === null) return null;
  const end = match.index + match[0].length;
  return `${question.slice(0, end)} not${question.slice(end)}`;
}
