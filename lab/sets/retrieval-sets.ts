import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { answerableSchema, readGolden } from "../../src/grading/golden.ts";
import { parseFile } from "../../src/ingest/parse.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** A question with the documents that answer it. */
export interface RetrievalQuery {
  readonly text: string;
  readonly gold: ReadonlySet<string>;
  /** Restricts candidates to documents of this scope; `null`: the whole set. */
  readonly scope: string | null;
  readonly tag: string | null;
  /** Unit of the bootstrap: questions about one source are not independent. */
  readonly cluster: string;
}

export interface RetrievalDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly scope: string | null;
  readonly description?: string;
  /** Its extension selects the parser, for example to detect headings. @default "document.txt" */
  readonly path?: string;
}

/** Exposure of a set to the training of the shipped encoder (`lab/train/splits.json`), which determines the meaning of its figures. */
export const EXPOSURES = {
  unseen: "never trained on",
  "held-out": "held-out part of a trained set: no source document of it was trained on",
  "held-out-wordings":
    "held-out part of a trained set: no site of it was trained on, but the same wordings of questions were, on other sites",
  "held-out-questions":
    "held-out part of a trained set: no source of a question was trained on, but most documents that it is searched among were",
  "documents-seen": "its questions were never trained on; its documents were (titles, headings, sections)",
} as const;
export type Exposure = keyof typeof EXPOSURES;

export interface RetrievalSet {
  readonly name: string;
  readonly exposure: Exposure;
  readonly documents: readonly RetrievalDocument[];
  readonly queries: readonly RetrievalQuery[];
}

export const RETRIEVAL_SETS = ["va-golden", "policyqa", "medquad", "covid-qa", "fairytaleqa-story", "fairytaleqa-all", "clapnq"] as const;
export type RetrievalSetName = (typeof RETRIEVAL_SETS)[number];

/** Tests whether questions about this source document are used. */
type AsksAbout = (set: string, group: string) => boolean;

/** Maximum number of MedQuAD questions; they are templates, so that more add nothing. */
const MEDQUAD_QUESTIONS = 1000;

/**
 * Reads one set. For sets used in training, uses only documents outside the training part (`lab/train/splits.json`).
 * @param data folder of sets, one folder each
 * @param asks selects the source documents of training sets. @default the held-out ones
 * @returns `null` if the set's folder is missing
 * @throws RequestError `data_invalid` naming file and line
 */
export function readRetrievalSet(name: RetrievalSetName, data: string, asks: AsksAbout = isHeldOut): RetrievalSet | null {
  const folder = join(data, name.replace(/-(story|all)$/, ""));
  if (!existsSync(folder)) return null;
  switch (name) {
    case "va-golden":
      return vaGolden(data, folder);
    case "policyqa":
      return policyQa(folder, asks);
    case "medquad":
      return medQuad(folder, asks);
    case "covid-qa":
      return covidQa(folder);
    case "fairytaleqa-story":
    case "fairytaleqa-all":
      return fairytaleQa(folder, name === "fairytaleqa-story", asks);
    case "clapnq":
      return clapNq(folder);
    default:
      return name satisfies never;
  }
}

function vaGolden(data: string, folder: string): RetrievalSet | null {
  const root = join(data, "va-pages");
  if (!existsSync(root)) return null;
  const documents = filesBelow(join(root, "pages")).flatMap((path) =>
    parseFile({ path, bytes: readFileSync(join(root, "pages", path)) }).map(({ metadata, text }) => ({
      id: `pages/${path}`,
      title: [metadata.title, metadata.description].filter((one) => one !== null).join(". "),
      text,
      scope: null,
    })),
  );
  const queries = readGolden(folder, "va-answerable", answerableSchema).map(({ id, question, gold_pages, difficulty }) => ({
    text: question,
    gold: new Set(gold_pages),
    scope: null,
    tag: difficulty,
    cluster: id,
  }));
  return { name: "va-golden", exposure: "documents-seen", documents, queries };
}

function policyQa(folder: string, asks: AsksAbout): RetrievalSet {
  const passages = readGolden(folder, "passages", z.object({ passage_id: z.string(), site: z.string(), text: z.string() }));
  const asked = new Map<string, RetrievalQuery & { gold: Set<string> }>();
  for (const { site, question, passage_id } of readGolden(
    folder,
    "questions",
    z.object({ site: z.string(), question: z.string(), passage_id: z.string() }),
  )) {
    if (!asks("policyqa", site)) continue;
    const key = `${site}\n${question}`;
    const query = asked.get(key) ?? { text: question, gold: new Set(), scope: site, tag: null, cluster: site };
    query.gold.add(passage_id);
    asked.set(key, query);
  }
  const documents = passages
    .filter(({ site }) => asks("policyqa", site))
    .map(({ passage_id, site, text }) => ({ id: passage_id, title: "", text, scope: site }));
  return { name: "policyqa", exposure: "held-out-wordings", documents, queries: [...asked.values()] };
}

function medQuad(folder: string, asks: AsksAbout): RetrievalSet {
  const rows = readGolden(
    folder,
    "medquad",
    z.object({ id: z.string(), collection: z.string(), focus: z.string().nullable(), question: z.string(), answer: z.string() }),
  ).filter(({ focus }) => asks("medquad", (focus ?? "").toLowerCase()));
  const asked = new Map<string, { gold: Set<string>; cluster: string }>();
  const documents = rows.map(({ id, collection, focus, question, answer }) => {
    const document = `${collection}/${id}`;
    const text = question.replaceAll(/\s+/g, " ").trim();
    const query = asked.get(text) ?? { gold: new Set(), cluster: (focus ?? "").toLowerCase() };
    query.gold.add(document);
    asked.set(text, query);
    return { id: document, title: "", text: answer, scope: null };
  });
  const queries = [...asked]
    .map(([text, { gold, cluster }]) => ({ text, gold, scope: null, tag: null, cluster, order: sha256(text) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, MEDQUAD_QUESTIONS);
  return { name: "medquad", exposure: "held-out", documents, queries };
}

/** Articles are long, so the gold document is the part of about 130 words that contains the answer. */
function covidQa(folder: string): RetrievalSet {
  const documents: RetrievalDocument[] = [];
  const partsOf = new Map<number, { start: number; end: number; id: string }[]>();
  for (const { document_id, text } of readGolden(folder, "docs", z.object({ document_id: z.number(), text: z.string() }))) {
    const parts = cutWords(text, COVID_PART_WORDS).map(({ start, end }, i) => ({ start, end, id: `${document_id}#${i}` }));
    partsOf.set(document_id, parts);
    for (const { start, end, id } of parts) documents.push({ id, title: "", text: text.slice(start, end), scope: null });
  }
  const schema = z.object({
    document_id: z.number(),
    question: z.string(),
    answer: z.string(),
    answer_start: z.number().nullable(),
    offset_ok: z.boolean(),
  });
  const queries = readGolden(folder, "questions", schema).flatMap(({ document_id, question, answer, answer_start, offset_ok }) => {
    if (!offset_ok || answer_start === null) return [];
    const gold = (partsOf.get(document_id) ?? []).filter(({ start, end }) => start < answer_start + answer.length && answer_start < end);
    if (gold.length === 0) return [];
    return [{ text: question, gold: new Set(gold.map(({ id }) => id)), scope: null, tag: null, cluster: String(document_id) }];
  });
  return { name: "covid-qa", exposure: "unseen", documents, queries };
}

const COVID_PART_WORDS = 130;

function fairytaleQa(folder: string, withinStory: boolean, asks: AsksAbout): RetrievalSet {
  const sections = readGolden(folder, "sections", z.object({ story: z.string(), section: z.number(), text: z.string() }));
  const questions = readGolden(folder, "questions", z.object({ story: z.string(), sections: z.array(z.number()), question: z.string() }));
  const documents = sections
    .filter(({ story }) => !withinStory || asks("fairytaleqa", story))
    .map(({ story, section, text }) => ({ id: `${story}#${section}`, title: "", text, scope: withinStory ? story : null }));
  const queries = questions
    .filter(({ story }) => asks("fairytaleqa", story))
    .map(({ story, sections: gold, question }) => ({
      text: question,
      gold: new Set(gold.map((section) => `${story}#${section}`)),
      scope: withinStory ? story : null,
      tag: null,
      cluster: story,
    }));
  return withinStory
    ? { name: "fairytaleqa-story", exposure: "held-out", documents, queries }
    : { name: "fairytaleqa-all", exposure: "held-out-questions", documents, queries };
}

function clapNq(folder: string): RetrievalSet {
  const rows = readGolden(
    folder,
    "clapnq",
    z.object({ id: z.string(), question: z.string(), answerable: z.boolean(), title: z.string(), passage: z.string() }),
  );
  return {
    name: "clapnq",
    exposure: "unseen",
    documents: rows.map(({ id, title, passage }) => ({ id, title, text: passage, scope: null })),
    queries: rows
      .filter(({ answerable }) => answerable)
      .map(({ id, question, title }) => ({ text: question, gold: new Set([id]), scope: null, tag: null, cluster: title })),
  };
}

const splitsSchema = z
  .object({ encoder: z.object({ sets: z.record(z.string(), z.object({ folds: z.array(z.number()) }).loose()) }).loose() })
  .loose();

/** Tests whether a source document is in the held-out folds (`lab/train/splits.json`). */
export function isHeldOut(set: string, group: string): boolean {
  const path = join(PACKAGE_ROOT, "lab", "train", "splits.json");
  if (!existsSync(path)) return true;
  const folds = splits(path)[set]?.folds;
  return folds === undefined || folds.includes(foldOf(set, group));
}

/** Returns the fold of a source document: the first 8 hex digits of sha256("set|group"), mod 10 (`lab/train/splits.json`). */
export function foldOf(set: string, group: string): number {
  return Number.parseInt(sha256(`${set}|${group}`).slice(0, 8), 16) % 10;
}

function splits(path: string): Record<string, { folds: number[] }> {
  return splitsSchema.parse(JSON.parse(readFileSync(path, "utf8"))).encoder.sets;
}

/** Cuts a text into parts of at most `size` words, after a sentence if one ends in the second half. */
export function cutWords(text: string, size: number): { start: number; end: number }[] {
  const found = [...text.matchAll(/\S+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    closes: /[.?!:;]$/.test(match[0]),
  }));
  const parts: { start: number; end: number }[] = [];
  for (let at = 0; at < found.length; ) {
    let end = Math.min(at + size, found.length);
    if (end < found.length) {
      for (let cut = end; cut > at + size / 2; cut--) {
        if (found[cut - 1]?.closes === true) {
          end = cut;
          break;
        }
      }
    }
    parts.push({ start: (found[at] as { start: number }).start, end: (found[end - 1] as { end: number }).end });
    at = end;
  }
  return parts;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|html)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
