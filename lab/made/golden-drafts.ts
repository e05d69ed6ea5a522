import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GoldenSet } from "../../src/grade/golden-set.ts";
import type { Random } from "../../src/grade/random.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { toOriginal } from "../../src/text/source-map.ts";
import { countWords, FAITHFUL_RULES, MIN_WORDS } from "./faithful-rules.ts";
import { FAULT_RULES, namesIn } from "./fault-rules.ts";

/** A sentence as somebody might have written it about a page, true or wrong in one place. */
export interface MadeDraft {
  readonly question: string;
  /** `none`: faithful. */
  readonly fault: string;
  readonly rule: string;
  readonly text: string;
  /** The page that it cites. */
  readonly page: string;
  /** The page that it was taken from. */
  readonly source: string;
  /** The sentence of the page. */
  readonly original: string;
}

/** Longer ones are lists or tables in disguise. */
const MAX_WORDS = 45;
/** Sentences of one question's gold quotes: some questions have ten. */
const SENTENCES = 2;
/** A page that shares more of the sentence's long words may say the same: a citation of it may be no fault. */
const MAX_SHARED = 0.5;
const LONG_WORD = 5;

/**
 * Drafts from the gold quotes of a set: for each question up to two sentences of its pages that a gold quote stands in, each by every rule that applies, and
 * citing another page of the same folder that does not say it. Titles, rows and list items that are no sentences are left out, and so is what holds brackets
 * of citations.
 */
export function makeDrafts({ corpus, answerable }: GoldenSet, paths: readonly string[], random: Random): MadeDraft[] {
  const pages = createPages(corpus);
  const names = new Map(paths.map((path) => [path, [...new Set(namesIn(pages(path).text).map(([name]) => name))]]));
  return answerable.flatMap(({ question, gold_pages, gold_quotes }) => {
    const sentences = gold_pages.filter((page) => paths.includes(page)).flatMap((page) => sentencesAt(pages(page), page, gold_quotes));
    return sentences.slice(0, SENTENCES).flatMap(({ text: original, page: source }) => {
      const base = { question, source, original };
      const text = pages(source).text;
      const otherNames = [...new Set(paths.filter((path) => path !== source).flatMap((path) => names.get(path) ?? []))];
      const faithful = Object.entries(FAITHFUL_RULES).flatMap(([rule, make]): MadeDraft[] => {
        const made = make(original);
        return made === null || countWords(made) < MIN_WORDS ? [] : [{ ...base, fault: "none", rule, text: made, page: source }];
      });
      const faulty = Object.entries(FAULT_RULES).flatMap(([fault, rules]) =>
        Object.entries(rules).flatMap(([rule, make]): MadeDraft[] => {
          const made = make(original, { page: text, otherNames, random });
          return made === null || text.includes(made) ? [] : [{ ...base, fault, rule, text: made, page: source }];
        }),
      );
      const other = otherPage(original, source, paths, (path) => pages(path).text, random);
      const moved: MadeDraft[] = other === null ? [] : [{ ...base, fault: "citation", rule: "moved", text: original, page: other }];
      return [...faithful, ...faulty, ...moved];
    });
  });
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

/** Whole sentences of a page that hold at least half of themselves in a gold quote. */
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

/** A page of the same folder, else any, that neither holds the sentence nor many of its long words. */
function otherPage(
  sentence: string,
  source: string,
  paths: readonly string[],
  textOf: (path: string) => string,
  random: Random,
): string | null {
  const words = [...new Set(sentence.toLowerCase().match(/\p{L}+/gu) ?? [])].filter((word) => word.length >= LONG_WORD);
  const folder = source.slice(0, source.lastIndexOf("/"));
  const fits = (path: string) => {
    const text = textOf(path).toLowerCase();
    return path !== source && text !== "" && words.filter((word) => text.includes(word)).length <= MAX_SHARED * words.length;
  };
  const near = paths.filter((path) => path.startsWith(`${folder}/`) && fits(path));
  const among = near.length > 0 ? near : paths.filter(fits);
  return among[Math.floor(random() * among.length)] ?? null;
}
