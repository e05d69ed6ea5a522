import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readGolden } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { createSlotVocabulary, type SlotSource, type SlotVocabulary } from "../../src/language/slot-vocabulary.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import { cosineOf } from "../judges/cosine.ts";
import { openDocuments, type Retrieved } from "./cache-documents.ts";
import { markdownFiles } from "./markdown-files.ts";
import { type RetrievalDocument, readRetrievalSet } from "./retrieval-sets.ts";
import { WORDINGS } from "./wordings.ts";

/** Sets of question pairs. `clinc150` and `banking77` have no documents, so there is no retrieval for them. */
export const CACHE_SETS = ["clinc150", "banking77", "covid-qa", "medquad", "headings", "written"] as const;
export type CacheSet = (typeof CACHE_SETS)[number];

/** A stored question and a later one. */
export interface CachePair {
  readonly set: CacheSet;
  /** Unit of the split: an intent, a question, a disease or a page. Each is in one part only. */
  readonly group: string;
  readonly stored: string;
  readonly asked: string;
  /** Whether they may share an answer. */
  readonly share: boolean;
  /** Cosine of the questions as written. */
  readonly cosine: number;
  /** Retrieval features; `null` for a set without documents. */
  readonly retrieved: Retrieved | null;
}

/** Half of the groups: for training weights, or for reporting. */
export type Part = "tuning" | "held-out";

export interface CachePairOptions {
  readonly encoder: EmbeddedEncoder;
  readonly part: Part;
  /** Maximum number of questions per set. */
  readonly questions: number;
  /** Folder with `pages/`, for `headings`. */
  readonly corpus?: string | undefined;
  /** Vocabulary of those pages. */
  readonly domain?: SlotSource | undefined;
}

/** The pairs of a set, and the vocabulary of its domain. */
export interface CacheSetPairs {
  readonly pairs: readonly CachePair[];
  readonly vocabulary: SlotVocabulary;
}

export function partOf(set: string, group: string): Part {
  return Number.parseInt(sha256Hex(`cache|${set}|${group}`).slice(0, 8), 16) % 2 === 0 ? "tuning" : "held-out";
}

/** Vocabulary that a domain pack would define: names that no English dictionary contains. */
const VOCABULARIES: Readonly<Partial<Record<CacheSet, SlotSource>>> = {
  "covid-qa": {
    abbreviations: {
      "COVID-19": [
        "coronavirus disease",
        "coronavirus",
        "corona virus",
        "corona",
        "covid",
        "covid 19",
        "sars-cov-2",
        "novel coronavirus",
        "new coronavirus",
      ],
      CDC: ["centers for disease control", "centers for disease control and prevention"],
      WHO: ["world health organization"],
      PPE: ["personal protective equipment"],
    },
    synonyms: [
      ["facemask", "face mask", "mask"],
      ["hand sanitizer", "sanitizer"],
    ],
  },
  banking77: { title: "bank app", names: ["atm", "gbp", "eur", "usd", "iban", "swift", "apple pay", "google pay", "visa", "mastercard"] },
};

/** @returns `null` if the set's folder is missing */
export async function readCachePairs(set: CacheSet, data: string, options: CachePairOptions): Promise<CacheSetPairs | null> {
  const folder = join(data, set);
  const vocabulary = createSlotVocabulary(set === "headings" || set === "written" ? options.domain : VOCABULARIES[set]);
  if (set === "headings" || set === "written") {
    if (options.corpus === undefined) return null;
    const read = set === "headings" ? headingPairs : writtenPairs;
    return { vocabulary, pairs: await read(options.corpus, vocabulary, options) };
  }
  if (!existsSync(folder)) return null;
  switch (set) {
    case "clinc150":
      return { vocabulary, pairs: intentPairs(set, readIntents(folder, "clinc150"), options) };
    case "banking77":
      return { vocabulary, pairs: intentPairs(set, readIntents(folder, "train"), options) };
    case "covid-qa":
      return { vocabulary, pairs: await covidPairs(data, folder, vocabulary, options) };
    case "medquad":
      return { vocabulary, pairs: await medicalPairs(folder, vocabulary, options) };
    default:
      return set satisfies never;
  }
}

interface Labelled {
  readonly text: string;
  readonly label: string;
}

/** Reads questions with their intents, without duplicates and out-of-scope questions. */
function readIntents(folder: string, prefix: string): Labelled[] {
  const rows = readGolden(folder, prefix, z.object({ text: z.string().min(1), intent: z.string() })).filter(
    ({ intent }) => intent !== "oos",
  );
  return [...new Map(rows.map(({ text, intent }) => [text.trim().toLowerCase(), { text, label: intent }])).values()];
}

/** Number of nearest stored questions that a cache considers. */
const CANDIDATES = 4;
/** Rank of an additional, less similar candidate. */
const MIDDLE = 30;

/** Simulates a cache with all questions of a set, and pairs each asked question with stored ones regardless of intent. */
function intentPairs(set: CacheSet, rows: readonly Labelled[], { encoder, part, questions }: CachePairOptions): CachePair[] {
  const ordered = [...rows].map((row) => ({ ...row, order: sha256Hex(row.text) })).sort((a, b) => (a.order < b.order ? -1 : 1));
  const vectors = encoder.embedSync(ordered.map(({ text }) => text));
  const asked = ordered.flatMap((row, i) => (partOf(set, row.label) === part ? [i] : [])).slice(0, questions);
  return asked.flatMap((i) => {
    const row = ordered[i] as (typeof ordered)[number];
    return candidatesOf(vectors, i, (j) => ordered[j]?.label === row.label).map((j): CachePair => {
      const other = ordered[j] as (typeof ordered)[number];
      const share = other.label === row.label;
      return {
        set,
        group: row.label,
        stored: other.text,
        asked: row.text,
        share,
        cosine: cosineOf(vectors[i], vectors[j]),
        retrieved: null,
      };
    });
  });
}

/** Returns the nearest questions, and per label the nearest and one of middle rank, so that similarity stays informative. */
function candidatesOf(vectors: readonly Float32Array[], of: number, isSame: (at: number) => boolean): number[] {
  const scores = vectors.map((vector) => cosineOf(vectors[of], vector));
  const others = vectors.map((_, j) => j).filter((j) => j !== of);
  others.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
  const [same, different] = [others.filter(isSame), others.filter((j) => !isSame(j))];
  const middle = (list: readonly number[]) => list[Math.min(list.length - 1, MIDDLE)];
  const picked = [...others.slice(0, CANDIDATES), same[0], different[0], middle(same), middle(different)];
  return [...new Set(picked.filter((at) => at !== undefined))];
}

/** Reads pairs labelled by people, over the articles of the set. */
async function covidPairs(
  data: string,
  folder: string,
  vocabulary: SlotVocabulary,
  { encoder, part }: CachePairOptions,
): Promise<CachePair[]> {
  const schema = z.object({ question_1: z.string(), question_2: z.string(), similar: z.union([z.literal(0), z.literal(1)]) });
  const retrieve = await openDocuments(readRetrievalSet("covid-qa", data)?.documents ?? [], encoder, vocabulary);
  const pairs: CachePair[] = [];
  for (const { question_1, question_2, similar } of readGolden(folder, "question_similarity", schema)) {
    if (partOf("covid-qa", question_1) !== part) continue;
    pairs.push(await pairOf("covid-qa", question_1, question_1, question_2, similar === 1, encoder, retrieve));
  }
  return pairs;
}

type Retrieve = Awaited<ReturnType<typeof openDocuments>>;

async function pairOf(
  set: CacheSet,
  group: string,
  stored: string,
  asked: string,
  share: boolean,
  encoder: EmbeddedEncoder,
  retrieve: Retrieve,
): Promise<CachePair> {
  const [a, b] = encoder.embedSync([stored, asked]);
  return { set, group, stored, asked, share, cosine: cosineOf(a, b), retrieved: await retrieve(stored, asked) };
}

/**
 * Makes pairs of questions about diseases with rephrased questions (`WORDINGS`). The same aspect of the same disease may share an answer;
 * another aspect, or the same aspect of the most similarly named disease, must not.
 */
async function medicalPairs(
  folder: string,
  vocabulary: SlotVocabulary,
  { encoder, part, questions }: CachePairOptions,
): Promise<CachePair[]> {
  const schema = z.object({
    id: z.string(),
    collection: z.string(),
    focus: z.string().nullable(),
    question_type: z.string(),
    question: z.string(),
    answer: z.string(),
  });
  const rows = readGolden(folder, "medquad", schema).flatMap(({ focus, ...row }) =>
    focus === null || WORDINGS[row.question_type] === undefined || row.answer.length < SHORTEST_ANSWER ? [] : [{ ...row, focus }],
  );
  const order = (text: string) => sha256Hex(`medquad|${text}`);
  const topics = [...Map.groupBy(rows, ({ focus }) => focus.toLowerCase())]
    .filter(([focus, group]) => partOf("medquad", focus) === part && new Set(group.map(({ question_type }) => question_type)).size > 2)
    .sort(([a], [b]) => (order(a) < order(b) ? -1 : 1))
    .slice(0, Math.ceil(questions / 3));
  const retrieve = await openDocuments(
    rows.map(({ collection, id, answer }) => ({ id: `${collection}/${id}`, title: "", text: answer, scope: null })),
    encoder,
    vocabulary,
  );
  const names = encoder.embedSync(topics.map(([focus]) => focus));
  const nearness = (a: number, b: number) => cosineOf(names[a], names[b]);
  const pairs: CachePair[] = [];
  for (const [at, [focus, group]] of topics.entries()) {
    const random = createRandom(Number.parseInt(order(focus).slice(0, 8), 16));
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const row = pick(group);
    if (row === undefined) continue;
    const ask = async (type: string, name: string, share: boolean) => {
      const text = (pick(WORDINGS[type] ?? []) ?? "").replace("$", () => name);
      pairs.push(await pairOf("medquad", focus, row.question, text, share, encoder, retrieve));
    };
    await ask(row.question_type, row.focus, true);
    const other = pick(group.filter(({ question_type }) => question_type !== row.question_type));
    if (other !== undefined) await ask(other.question_type, row.focus, false);
    const nearest = topics
      .map((_, j) => j)
      .reduce((best, j) => (j !== at && (best < 0 || nearness(at, j) > nearness(at, best)) ? j : best), -1);
    const next = topics[nearest]?.[1].find(({ question_type }) => question_type === row.question_type);
    if (next !== undefined) await ask(row.question_type, next.focus, false);
  }
  return pairs;
}

const SHORTEST_ANSWER = 40;

const QUESTION_HEADING = /^#{1,5}\s+(.{8,120}\?)\s*$/gm;

/** Returns headings that are questions and occur on one page only. */
function headingsOf(documents: readonly RetrievalDocument[]): { id: string; text: string }[] {
  const headings = documents.flatMap(({ id, text }) =>
    [...text.matchAll(QUESTION_HEADING)].map((match) => ({ id, text: match[1] as string })),
  );
  return [...Map.groupBy(headings, ({ text }) => text.toLowerCase()).values()].flatMap((group) => (group.length === 1 ? group : []));
}

/** Returns question headings of held-out pages. */
export function questionHeadings(corpus: string): string[] {
  return headingsOf(readPages(corpus)).flatMap(({ id, text }) => (partOf("headings", id) === "held-out" ? [text] : []));
}

/**
 * Pairs question headings. Two headings of one page have different answers, as have similar headings of other pages, so no pair may share
 * an answer. They measure false positives of a threshold in the domain itself.
 */
async function headingPairs(
  corpus: string,
  vocabulary: SlotVocabulary,
  { encoder, part, questions }: CachePairOptions,
): Promise<CachePair[]> {
  const documents = readPages(corpus);
  const retrieve = await openDocuments(documents, encoder, vocabulary);
  const asked = headingsOf(documents)
    .map((row) => ({ ...row, order: sha256Hex(`${row.id}|${row.text}`) }))
    .filter(({ id }) => partOf("headings", id) === part)
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  const unique = asked.slice(0, questions);
  const vectors = encoder.embedSync(unique.map(({ text }) => text));
  const pairs: CachePair[] = [];
  for (const [i, { id, text }] of unique.entries()) {
    for (const j of candidatesOf(vectors, i, (at) => unique[at]?.id === id)) {
      const other = unique[j];
      if (other !== undefined) pairs.push(await pairOf("headings", id, other.text, text, false, encoder, retrieve));
    }
  }
  return pairs;
}

/** Reads pairs written by hand for training, about the subject of the pages. */
async function writtenPairs(corpus: string, vocabulary: SlotVocabulary, { encoder, part }: CachePairOptions): Promise<CachePair[]> {
  const schema = z.object({ stored: z.string(), asked: z.string(), share: z.boolean() });
  const rows = readGolden(join(PACKAGE_ROOT, "lab", "train", "cache"), "veterans-pairs", schema);
  const retrieve = await openDocuments(readPages(corpus), encoder, vocabulary);
  const pairs: CachePair[] = [];
  for (const { stored, asked, share } of rows) {
    if (partOf("written", stored) === part) pairs.push(await pairOf("written", stored, stored, asked, share, encoder, retrieve));
  }
  return pairs;
}

function readPages(corpus: string): RetrievalDocument[] {
  const folder = join(corpus, "pages");
  return markdownFiles(folder).map((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const title = /^title:\s*"?(.+?)"?\s*$/m.exec(text)?.[1] ?? "";
    return { id: name, title, text, scope: null, path: name };
  });
}
