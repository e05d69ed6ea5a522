import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GoldenSet } from "../../src/grading/golden-set.ts";
import type { Random } from "../../src/grading/metrics.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { toOriginal } from "../../src/text/source-map.ts";
import { countWords, FAITHFUL_RULES, MIN_WORDS } from "./faithful-rules.ts";
import { FAULT_RULES, namesIn } from "./fault-rules.ts";

/** A generated sentence about a page, true or with one fault. */
export interface MadeDraft {
  readonly question: string;
  /** `none`: faithful. */
  readonly fault: string;
  readonly rule: string;
  /** A sentence of a gold quote, or a person's answer from the quotes. */
  readonly from: "quote" | "answer";
  readonly text: string;
  /** The pages it cites. */
  readonly pages: readonly string[];
  /** The pages it was made from. */
  readonly sources: readonly string[];
  /** The sentence before the change. */
  readonly original: string;
}

/** Longer ones are usually lists or tables. */
const MAX_WORDS = 45;
/** Maximum number of sentences per question; some questions have ten gold quotes. */
const SENTENCES = 2;
/** An answer from more pages takes too little from each. */
const MAX_CITED = 3;
/** A page that shares more of the sentence's long words may support it, so citing it may not be a fault. */
const MAX_SHARED = 0.5;
const LONG_WORD = 5;

/**
 * Makes drafts from a golden set. For each question, takes up to two sentences that overlap a gold quote, and the person's answer if it is
 * one sentence. Applies every rule, and cites another page of the same folder that does not support the sentence. Skips titles, rows, list
 * items without a sentence, and texts with brackets.
 */
export function makeDrafts({ corpus, answerable }: GoldenSet, paths: readonly string[], random: Random): MadeDraft[] {
  const pages = createPages(corpus);
  const names = new Map(paths.map((path) => [path, [...new Set(namesIn(pages(path).text).map(([name]) => name))]]));
  return answerable.flatMap(({ question, gold_pages, gold_quotes, answer }) => {
    const held = gold_pages.filter((page) => paths.includes(page));
    const quoting = held.filter((page) => gold_quotes.some((quote) => pages(page).file.includes(quote)));
    const sentences = held.flatMap((page) => sentencesAt(pages(page), page, gold_quotes)).slice(0, SENTENCES);
    const origins: Origin[] = [
      ...sentences.map(({ text, page }) => ({ question, from: "quote" as const, original: text, sources: [page] })),
      ...(isWhole(answer) && splitSentences(answer).length === 1 && quoting.length > 0 && quoting.length <= MAX_CITED
        ? [{ question, from: "answer" as const, original: answer, sources: quoting }]
        : []),
    ];
    return origins.flatMap((origin) => draftsOf(origin, { paths, random, names, textOf: (path) => pages(path).text }));
  });
}

type Origin = Pick<MadeDraft, "question" | "from" | "original" | "sources">;

interface Corpus {
  readonly paths: readonly string[];
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly textOf: (path: string) => string;
  readonly random: Random;
}

function draftsOf(origin: Origin, { paths, names, textOf, random }: Corpus): MadeDraft[] {
  const { original, sources } = origin;
  const base = { ...origin, pages: sources };
  const text = sources.map(textOf).join("\n");
  const otherNames = [...new Set(paths.filter((path) => !sources.includes(path)).flatMap((path) => names.get(path) ?? []))];
  const faithful = Object.entries(FAITHFUL_RULES).flatMap(([rule, make]): MadeDraft[] => {
    const made = make(original);
    return made === null || countWords(made) < MIN_WORDS ? [] : [{ ...base, fault: "none", rule, text: made }];
  });
  const faulty = Object.entries(FAULT_RULES).flatMap(([fault, rules]) =>
    Object.entries(rules).flatMap(([rule, make]): MadeDraft[] => {
      const made = make(original, { page: text, otherNames, random });
      return made === null || holds(text, made) ? [] : [{ ...base, fault, rule, text: made }];
    }),
  );
  const other = otherPage(original, sources, paths, textOf, random);
  const moved: MadeDraft[] = other === null ? [] : [{ ...base, fault: "citation", rule: "moved", text: original, pages: [other] }];
  return [...faithful, ...faulty, ...moved];
}

/** Ignores case. */
function holds(text: string, sentence: string): boolean {
  return text.toLowerCase().includes(sentence.toLowerCase());
}

interface Page {
  readonly text: string;
  /** Sentences with their places in the file. */
  readonly sentences: readonly { readonly text: string; readonly start: number; readonly end: number }[];
  readonly file: string;
}

function createPages(corpus: string): (path: string) => Page {
  const known = new Map<string, Page>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const bytes = readFileSync(join(corpus, path));
    const [parsed] = parseFile({ path, bytes });
    const text = parsed?.text ?? "";
    const sentences = splitSentences(text).map((range) => ({
      text: text.slice(range.start, range.end),
      ...toOriginal(parsed?.sourceMap ?? [], range),
    }));
    const page = { text, sentences, file: bytes.toString("utf8") };
    known.set(path, page);
    return page;
  };
}

/** Returns sentences of a page of which at least half is in a gold quote. */
function sentencesAt({ sentences, file }: Page, page: string, quotes: readonly string[]): { text: string; page: string }[] {
  const ranges = quotes.flatMap((quote) => {
    const start = file.indexOf(quote);
    return start < 0 ? [] : [{ start, end: start + quote.length }];
  });
  return sentences.flatMap(({ text, start, end }) => {
    const shared = Math.max(0, ...ranges.map((range) => Math.min(end, range.end) - Math.max(start, range.start)));
    return isWhole(text) && 2 * shared >= end - start ? [{ text, page }] : [];
  });
}

function isWhole(text: string): boolean {
  const words = countWords(text);
  return words >= MIN_WORDS && words <= MAX_WORDS && /^\p{Lu}.*\p{Ll}.*\.$/su.test(text) && !/[[\]\n|]|\s{2}/.test(text);
}

/** Picks a page of the same folder, else of any, that shares few of the sentence's long words. */
function otherPage(
  sentence: string,
  sources: readonly string[],
  paths: readonly string[],
  textOf: (path: string) => string,
  random: Random,
): string | null {
  const words = [...new Set(sentence.toLowerCase().match(/\p{L}+/gu) ?? [])].filter((word) => word.length >= LONG_WORD);
  const [source = ""] = sources;
  const folder = source.slice(0, source.lastIndexOf("/"));
  const fits = (path: string) => {
    const text = textOf(path).toLowerCase();
    return !sources.includes(path) && text !== "" && words.filter((word) => text.includes(word)).length <= MAX_SHARED * words.length;
  };
  const near = paths.filter((path) => path.startsWith(`${folder}/`) && fits(path));
  const among = near.length > 0 ? near : paths.filter(fits);
  return among[Math.floor(random() * among.length)] ?? null;
}
