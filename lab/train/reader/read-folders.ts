import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { splitSentences } from "../../../src/text/sentences.ts";
import type { Ask, Known, ReadSet, SetDocument } from "./ask.ts";
import type { Piece } from "./documents.ts";
import { drawOf, groupOf, splitOf } from "./random.ts";

/** Further sets from which lists are made. */
export const FOLDER_SETS = ["policyqa", "fairytaleqa", "tatqa", "medquad"] as const;

export function readFolderSet(name: (typeof FOLDER_SETS)[number], data: string): ReadSet {
  return { policyqa: readPolicies, fairytaleqa: readStories, tatqa: readReports, medquad: readHealthPages }[name](data);
}

/** Reads privacy policies: one document per site with its segments in order; questions search only their site. */
function readPolicies(data: string): ReadSet {
  const passages = lines(
    join(data, "policyqa/passages_dev.jsonl"),
    z.object({ passage_id: z.string(), site: z.string(), text: z.string() }),
  );
  const bySite = groupBy(passages, ({ site }) => site);
  const documents = [...bySite].map(([site, segments]) => ({
    ...{ id: `policyqa/${site}`, title: titleOfSite(site), scope: site },
    pieces: segments.map(({ passage_id, text }): Piece => ({ type: "passage", key: passage_id, text })),
  }));
  const answer = z.object({ text: z.string(), answer_start: z.number() });
  const schema = z.object({ passage_id: z.string(), site: z.string(), question: z.string(), type: z.string(), answers: z.array(answer) });
  const questions = lines(join(data, "policyqa/questions_dev.jsonl"), schema);
  const practice = ({ site, type }: { site: string; type: string }) => `${site} ${type.split("|||")[0]}`;
  const ofPractice = groupBy(questions, practice);
  const asks = [...groupBy(questions, ({ site, question }) => `${site} ${question}`).values()].map((rows): Ask => {
    // Segments on the same practice may answer too, because annotators marked only some of them.
    const maybe = [...new Set(rows.flatMap((row) => (ofPractice.get(practice(row)) ?? []).map(({ passage_id }) => passage_id)))];
    const { site, question } = rows[0] as (typeof rows)[number];
    const known = [...groupBy(rows, ({ passage_id }) => passage_id)].map(
      ([key, same]): Known => ({
        ...{ key, answers: true },
        spans: same.flatMap(({ answers }) => answers.map(({ text, answer_start }) => [answer_start, answer_start + text.length] as const)),
      }),
    );
    const wordings = rows.flatMap(({ answers }) => answers.map(({ text }) => text));
    return { ...namesOf("policyqa", site), question, scope: site, known, maybe, wordings, form: "plain" };
  });
  return { name: "policyqa", documents, asks };
}

function titleOfSite(site: string): string {
  return `${site} privacy policy`;
}

/** Reads stories: one document each with its sections in order; questions search only their story. */
function readStories(data: string): ReadSet {
  const section = z.object({ story: z.string(), section: z.number(), text: z.string() });
  // Line breaks of the printed book are not paragraphs.
  const sections = lines(join(data, "fairytaleqa/sections.jsonl"), section).map((one) => ({
    ...one,
    text: one.text.replaceAll("\n", " "),
  }));
  const textOf = new Map(sections.map((one) => [`${one.story}#${one.section}`, one.text]));
  const documents = [...groupBy(sections, ({ story }) => story)].map(([story, parts]): SetDocument => {
    const title = story.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());
    const pieces = parts
      .sort((a, b) => a.section - b.section)
      .map(({ section: number, text }): Piece => ({ type: "passage", key: `${story}#${number}`, text }));
    return { id: `fairytaleqa/${story}`, title, scope: story, pieces };
  });
  const schema = z.object({ story: z.string(), question: z.string(), sections: z.array(z.number()), answers: z.array(z.string()) });
  const questions = lines(join(data, "fairytaleqa/questions.jsonl"), schema);
  const asks = [...groupBy(questions, ({ story, question }) => `${story} ${question}`).values()].map((rows): Ask => {
    const { story, question } = rows[0] as (typeof rows)[number];
    const answers = rows.flatMap((row) => row.answers);
    const known = [...new Set(rows.flatMap((row) => row.sections))].flatMap((number): Known[] => {
      const key = `${story}#${number}`;
      const text = textOf.get(key);
      return text === undefined ? [] : [{ key, answers: true, spans: placesOf(answers, text, question) }];
    });
    // If some sections contain the answer text, only they answer.
    const found = known.filter(({ spans }) => spans.length > 0);
    return {
      ...namesOf("fairytaleqa", story),
      ...{ question: question.trim(), scope: story, known: found.length > 0 ? found : known, wordings: answers, form: "plain" },
    };
  });
  return { name: "fairytaleqa", documents, asks };
}

/** Locates every verbatim answer; of several places, takes the one whose line or sentence shares most words with the question. */
function placesOf(answers: readonly string[], text: string, question: string): [number, number][] {
  const lower = text.toLowerCase();
  const asked = new Set(question.toLowerCase().match(/[\p{L}\d]{3,}/gu));
  const shared = (at: number, end: number) => {
    const from = Math.max(lower.lastIndexOf("\n", at), lower.lastIndexOf(". ", at), 0);
    const stops = [lower.indexOf("\n", end), lower.indexOf(". ", end)].filter((stop) => stop >= 0);
    const words = new Set(lower.slice(from, Math.min(lower.length, ...stops)).match(/[\p{L}\d]{3,}/gu));
    return [...asked].filter((word) => words.has(word)).length;
  };
  const wanted = new Set(
    answers.map((answer) =>
      answer
        .trim()
        .replace(/[.\s]+$/, "")
        .toLowerCase(),
    ),
  );
  return [...wanted].flatMap((answer): [number, number][] => {
    if (answer.length < 2) return [];
    const places: [number, number][] = [];
    for (let at = lower.indexOf(answer); at >= 0; at = lower.indexOf(answer, at + 1)) {
      const isWhole = !/\w/.test(lower[at - 1] ?? " ") && !/\w/.test(lower[at + answer.length] ?? " ");
      if (isWhole) places.push([at, at + answer.length]);
    }
    const best = places.toSorted(([a, b], [c, d]) => shared(c, d) - shared(a, b) || a - c)[0];
    return best === undefined ? [] : [best];
  });
}

/** Reads company reports: a table with its paragraphs is one document. */
function readReports(data: string): ReadSet {
  const question = z.object({
    question: z.string(),
    answer: z.union([z.array(z.string()), z.string(), z.number()]),
    answer_type: z.string(),
    answer_from: z.string(),
    rel_paragraphs: z.array(z.union([z.string(), z.number()])),
  });
  const schema = z.object({
    table: z.object({ uid: z.string(), table: z.array(z.array(z.string())) }),
    paragraphs: z.array(z.object({ order: z.number(), text: z.string() })),
    questions: z.array(question),
  });
  const documents: SetDocument[] = [];
  const asks: Ask[] = [];
  for (const { table, paragraphs, questions } of lines(join(data, "tatqa/tatqa_dev.jsonl"), schema)) {
    const tableKey = `${table.uid}#table`;
    const rows = table.table.map((row) => row.map((cell) => cell.replaceAll(/\s+/g, " ").trim()));
    const pieces = paragraphs.map(({ order, text }): Piece => ({ type: "passage", key: `${table.uid}#${order}`, text }));
    pieces.splice(1, 0, { type: "table", key: tableKey, rows });
    documents.push({ id: `tatqa/${table.uid}`, title: "", scope: null, pieces });
    const textOf = new Map(paragraphs.map(({ order, text }) => [String(order), text]));
    const tableText = rows
      .filter((row) => row.some((cell) => cell !== ""))
      .map((row) => row.join(" | "))
      .join("\n");
    for (const one of questions) {
      const answers = Array.isArray(one.answer) ? one.answer : [String(one.answer)];
      const wordings = answers.filter((answer) => answer.trim() !== "");
      const known = one.rel_paragraphs.map(String).flatMap((order): Known[] => {
        const text = textOf.get(order);
        if (text === undefined) return [];
        return [{ key: `${table.uid}#${order}`, answers: true, spans: placesOf(wordings, text, one.question) }];
      });
      const isSpan = one.answer_type === "span" || one.answer_type === "multi-span";
      if (one.answer_from !== "text")
        known.push({ key: tableKey, answers: true, spans: isSpan ? placesOf(wordings, tableText, one.question) : [] });
      if (known.length > 0)
        asks.push({ ...namesOf("tatqa", table.uid), question: one.question, scope: null, known, wordings, form: "plain" });
    }
  }
  return { name: "tatqa", documents, asks };
}

/** Share of MedQuAD documents used; the questions are templates, so that more add little. */
const HEALTH_SHARE = 0.55;
/** Maximum characters of an answer; the rest is cut. */
const HEALTH_ANSWER_CHARS = 3_500;

/** Maximum share of a document's sentences that may occur on a golden page. */
const MAX_GOLDEN_SENTENCES = 0.1;

/** Reads patient pages: one document each, a section per answer. Excludes documents of the golden set and of the same diseases. */
function readHealthPages(data: string): ReadSet {
  const schema = z.object({
    ...{ collection: z.string(), document_id: z.string(), url: z.string(), focus: z.string(), source: z.string() },
    ...{ question_type: z.string(), question: z.string(), answer: z.string() },
  });
  const golden = goldenPages(join(data, "golden/medquad/pages"));
  const rows = lines(join(data, "medquad/medquad.jsonl"), schema);
  const byDocument = groupBy(rows, ({ collection, document_id }) => `${collection}/${document_id}`);
  const kept = [...byDocument].filter(([id, sections]) => {
    const [first] = sections;
    if (first === undefined || drawOf(`medquad ${id}`) >= HEALTH_SHARE) return false;
    // Related diseases share whole paragraphs under different titles.
    const all = sections.flatMap(({ answer }) => sentencesOf(answer));
    if (all.filter((one) => golden.sentences.has(one)).length > MAX_GOLDEN_SENTENCES * all.length) return false;
    return !golden.urls.has(first.url) && !golden.titles.has(plain(first.focus));
  });
  const documents: SetDocument[] = [];
  const asks: Ask[] = [];
  for (const [id, sections] of kept) {
    const focus = (sections[0] as (typeof sections)[number]).focus.trim();
    const pieces: Piece[] = [];
    for (const [i, section] of sections.entries()) {
      const text = section.answer
        .slice(0, HEALTH_ANSWER_CHARS)
        .replaceAll(/ *\n[ \n]*/g, "\n")
        .trim();
      if (golden.texts.has(plain(text).slice(0, 200))) continue;
      const key = `${id}#${i}`;
      const question = tidy(section.question);
      // Headings as on real pages: a word, or the question itself. The cross-encoder must not learn to find the question in the heading.
      const word = section.question_type.replace(/^./, (letter) => letter.toUpperCase());
      const heading = drawOf(`heading ${id}`) < 0.25 ? question : section.question_type === "information" ? "Overview" : word;
      pieces.push({ type: "heading", level: 2, text: heading }, { type: "passage", key, text });
      const known = [{ key, answers: true, spans: [], whole: true }];
      asks.push({ ...namesOf("medquad", `${plain(focus)}`), question, scope: null, known, wordings: [], form: "plain" });
    }
    documents.push({ id: `medquad/${id}`, title: focus, scope: null, pieces });
  }
  return { name: "medquad", documents, asks: mergeAsks(asks) };
}

function tidy(question: string): string {
  return question
    .replace(/\bWhat is \(are\)/, "What is")
    .replaceAll(/[\s?]+$/g, "?")
    .trim();
}

/** Returns normalised sentences of at least eight words. */
function sentencesOf(text: string): string[] {
  return splitSentences(text)
    .map(({ start, end }) => plain(text.slice(start, end)))
    .filter((sentence) => sentence.split(" ").length >= 8);
}

function goldenPages(folder: string): { urls: Set<string>; titles: Set<string>; texts: Set<string>; sentences: Set<string> } {
  const pagesOf = new Map<string, number>();
  const urls = new Set<string>();
  const titles = new Set<string>();
  const texts = new Set<string>();
  if (!existsSync(folder)) throw new Error(`${folder} is not there: without it pages of the golden set cannot be left out`);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    for (const [, url = ""] of text.matchAll(/^url:\s*"(.+)"/gm)) urls.add(url);
    for (const [, title = ""] of text.matchAll(/^title:\s*"(.+)"/gm)) titles.add(plain(title));
    for (const sentence of new Set(sentencesOf(text))) pagesOf.set(sentence, (pagesOf.get(sentence) ?? 0) + 1);
    for (const part of text.split(/^#+ .*$/m)) if (part.trim().length > 50) texts.add(plain(part).slice(0, 200));
  }
  // Sentences on three or more pages are boilerplate.
  const sentences = new Set([...pagesOf].filter(([, pages]) => pages < 3).map(([sentence]) => sentence));
  return { urls, titles, texts, sentences };
}

/** Merges equal questions, because pages on the same disease give the same answer. */
function mergeAsks(asks: readonly Ask[]): Ask[] {
  return [...groupBy(asks, ({ question }) => plain(question)).values()].map((same) => ({
    ...(same[0] as Ask),
    known: same.flatMap(({ known }) => known),
  }));
}

function namesOf(set: string, source: string): Pick<Ask, "set" | "group" | "split"> {
  const group = groupOf(`${set}/${source}`);
  return { set, group, split: splitOf(group) };
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function lines<T>(file: string, schema: z.ZodType<T>): T[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}
