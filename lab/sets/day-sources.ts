import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { answerableSchema, readGolden } from "../../src/grading/golden.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import type { DaySources } from "../made/replayed-day.ts";
import { readGoldenPairs } from "../runs/cache-va.ts";
import { markdownFiles } from "./markdown-files.ts";

export interface DaySourceOptions {
  /** Folder with `va-pairs*.jsonl` and optionally `va-answerable*.jsonl`. */
  readonly golden: string;
  /** Folder with `pages/`. */
  readonly corpus: string;
  /** Folder of further sets. Questions of covid-qa (held-out half) and banking77 make the day long enough. */
  readonly data?: string | undefined;
  /** Names that replace each other in hard negatives: the abbreviations of a domain pack. */
  readonly names: readonly string[];
}

/** Maximum number of questions from one further set. */
const FURTHER = 1000;

/** Reads the sources of a replayed day. @throws RequestError if the golden folder or the corpus is missing */
export function readDaySources({ golden, corpus, data, names }: DaySourceOptions): DaySources {
  const pages = join(corpus, "pages");
  if (!existsSync(pages))
    throw new RequestError("corpus_missing", `There is no folder ${pages}. Give a folder with \`pages/\` with --corpus DIR.`);
  const pairs = readGoldenPairs(golden).map(({ a, b, same_answer }) => ({ stored: a, asked: b, same_answer }));
  const hasAnswerable = readdirSync(golden).some((name) => name.startsWith("va-answerable"));
  const covid = data === undefined ? [] : covidPairs(join(data, "covid-qa"));
  return {
    paraphrases: [...pairs.filter(({ same_answer }) => same_answer), ...covid].map(({ stored, asked }) => ({ stored, asked })),
    lookAlikes: pairs.filter(({ same_answer }) => !same_answer).map(({ stored, asked }) => ({ stored, asked })),
    questions: [
      ...(hasAnswerable ? readGolden(golden, "va-answerable", answerableSchema).map(({ question }) => question) : []),
      ...questionHeadings(pages),
      ...(data === undefined ? [] : bankQuestions(join(data, "banking77"))),
    ],
    documents: markdownFiles(pages).map((name) => `pages/${name}`),
    names,
  };
}

function covidPairs(folder: string): { stored: string; asked: string }[] {
  if (!existsSync(folder)) return [];
  const schema = z.object({ question_1: z.string(), question_2: z.string(), similar: z.number() });
  return readGolden(folder, "question_similarity", schema).flatMap(({ question_1, question_2, similar }) =>
    similar === 1 && isDrawn("covid-qa", question_1) ? [{ stored: question_1, asked: question_2 }] : [],
  );
}

/** Draws half of a set by hash. */
function isDrawn(set: string, group: string): boolean {
  return Number.parseInt(sha256Hex(`cache|${set}|${group}`).slice(0, 8), 16) % 2 === 1;
}

const QUESTION_HEADING = /^#{1,5}\s+(.{8,120}\?)\s*$/gm;

/** Returns headings of half of the pages that are questions and occur on one page only. */
function questionHeadings(pages: string): string[] {
  const headings = markdownFiles(pages).flatMap((id) =>
    [...readFileSync(join(pages, id), "utf8").matchAll(QUESTION_HEADING)].map((match) => ({ id, text: match[1] as string })),
  );
  const single = [...Map.groupBy(headings, ({ text }) => text.toLowerCase()).values()].filter((group) => group.length === 1).flat();
  return single.flatMap(({ id, text }) => (isDrawn("headings", id) ? [text] : []));
}

function bankQuestions(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const rows = readGolden(folder, "train", z.object({ text: z.string().min(1) }));
  // Takes rows at even intervals, because the file is sorted by intent.
  const step = Math.max(1, Math.floor(rows.length / FURTHER));
  return rows.filter((_, i) => i % step === 0).map(({ text }) => text);
}

/** Returns a pack's abbreviations without synonyms of earlier ones: replacing a name by its synonym would not make a hard negative. */
export function differentNames(abbreviations: Readonly<Record<string, readonly string[]>>): string[] {
  const known = new Set<string>();
  return Object.entries(abbreviations).flatMap(([name, expansions]) => {
    const spellings = [name, ...expansions].map((one) => one.toLowerCase().replaceAll(/[^\p{L}\p{N}]|\band\b/gu, ""));
    const isKnown = spellings.some((one) => known.has(one));
    for (const one of spellings) known.add(one);
    return isKnown ? [] : [name];
  });
}
