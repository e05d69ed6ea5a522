import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readLines } from "../../../src/grading/golden.ts";
import { locatePlaces, type Places } from "../../../src/grading/golden-places.ts";
import { findGoldenSets, type GoldenSet, readGoldenSet } from "../../../src/grading/golden-set.ts";
import { questionParts } from "../../../src/pipeline/follow-up.ts";
import type { StoredDocument, TextRange } from "../../../src/shared/types.ts";
import { toOriginal } from "../../../src/text/source-map.ts";
import { markedSchema, placeOf } from "../../runs/marked-words.ts";
import { toDocument } from "../../sets/extract-sets.ts";
import { type Pair, pairSchema } from "../../sets/pair.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { drawOf, pick } from "../reader/random.ts";

/** A collection of documents with questions, as the product reads its files. */
export interface WrittenSet {
  readonly name: string;
  readonly documents: readonly StoredDocument[];
  readonly questions: readonly WrittenQuestion[];
  /** Short documents, each with one question: somebody's note instead of a page. */
  readonly notes: readonly Note[];
  /** Follow-ups, questions with a story before them, and several at once. */
  readonly messages: readonly Message[];
}

export interface Message extends WrittenQuestion {
  /** The question that it leans on. */
  readonly first: string | null;
}

/** One to three paragraphs of a page, and a question that they answer or do not. */
export interface Note {
  readonly document: StoredDocument;
  readonly question: WrittenQuestion;
}

export interface WrittenQuestion {
  readonly question: string;
  /** "answerable", or why it is not. */
  readonly kind: string;
  /** Documents that answer. */
  readonly gold: ReadonlySet<string>;
  /** Does a range of a document's text share its half with a place that somebody marked? */
  answers(document: string, range: TextRange): boolean;
}

/** Of so many questions one is also asked of a note. */
const NOTE_OF = 4;
/** Paragraphs of a note at most. */
const NOTE_PARAGRAPHS = 3;

/** Questions of a collection with others that ask for the same, or for something else in nearly the same words. */
const PAIRS = "pairs-dev.jsonl";

/** What people write who ask on, or tell their case first, of all collections. */
const MESSAGES = "messages.jsonl";
/** What people write who ask several things at once, of all collections. */
const SEVERAL = "several.jsonl";

/** Any of which answers. */
const answersSchema = z.array(markedSchema);

const messageSchema = z.object({
  set: z.string(),
  kind: z.enum(["follow-up", "follow-up missing", "story", "story missing"]),
  first: z.string().optional(),
  question: z.string(),
  answers: answersSchema,
});
type MessageRow = z.infer<typeof messageSchema>;

const severalSchema = z.object({
  set: z.string(),
  question: z.string(),
  /** Words that ask each thing; without answers the pages do not say it. */
  parts: z.array(z.object({ asks: z.string(), answers: answersSchema })),
});
type SeveralRow = z.infer<typeof severalSchema>;

/** Every collection of a folder, with `messages.jsonl` and `several.jsonl` for all (`lab/sets/written/README.md`). */
export function readWrittenSets(packed: string): WrittenSet[] {
  const folder = unpackSets(packed);
  const bySet = <Row extends { set: string }>(file: string, schema: z.ZodType<Row>) =>
    Map.groupBy(existsSync(join(folder, file)) ? readLines(folder, file, schema) : [], ({ set }) => set);
  const messages = bySet(MESSAGES, messageSchema);
  const several = bySet(SEVERAL, severalSchema);
  return findGoldenSets(folder).map((folders) => {
    const { name } = folders;
    return toWritten(readGoldenSet(folders), [...(messages.get(name) ?? []), ...(several.get(name) ?? []).flatMap(asMessages)]);
  });
}

type AnyMessage = Omit<MessageRow, "set" | "kind"> & { readonly kind: string };

/** The message as a whole, and each of its parts as the product asks it, where it finds as many as were marked. */
function asMessages({ question, parts }: SeveralRow): AnyMessage[] {
  const found = questionParts(question);
  const whole = { kind: "several", question, answers: parts.flatMap(({ answers }) => answers) };
  const each = found.length === parts.length ? found : [];
  return [
    whole,
    ...each.map(({ resolved }, i) => {
      const { answers } = parts[i] as SeveralRow["parts"][number];
      return { kind: answers.length === 0 ? "part missing" : "part", question: resolved, answers };
    }),
  ];
}

function toWritten(set: GoldenSet, rows: readonly AnyMessage[]): WrittenSet {
  const { name, corpus, answerable, unanswerable } = set;
  const files = readdirSync(join(corpus, "pages"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const pages = files.sort().map((file) => `pages/${file}`);
  const textOf = (page: string) => readFileSync(join(corpus, page), "utf8");
  const documents = pages.map((page) => toDocument({ id: page, scope: null, path: page, text: textOf(page) }));
  const byId = new Map(documents.map((document) => [document.id, document]));
  const places = locatePlaces(set, pages);
  const mark = (question: string, kind: string, marked: Places): WrittenQuestion => ({
    ...{ question, kind },
    gold: new Set(marked.keys()),
    answers: (id, range) => {
      const document = byId.get(id);
      return document !== undefined && (marked.get(id) ?? []).some((place) => sharesHalf(toOriginal(document.sourceMap, range), place));
    },
  });
  const gold = new Map(answerable.map((one) => [one.question, places.gold(one.id)]));
  const questions = [
    ...answerable.map((one) => mark(one.question, "answerable", places.gold(one.id))),
    ...otherWordings(corpus).flatMap(({ a, b }) => {
      const marked = gold.get(a);
      return marked === undefined ? [] : [mark(b, "reworded", marked)];
    }),
    // What contradicts a false premise is the right thing to quote.
    ...unanswerable.map((one) => mark(one.question, one.kind, places.contradicting(one.id))),
  ];
  const answered = answerable.flatMap((one) => firstPlace(places.gold(one.id)) ?? []);
  const notes = questions
    .filter(({ question }) => drawOf(`note ${question}`) < 1 / NOTE_OF)
    .flatMap(({ question, kind }): Note[] => {
      const of = answerable.find((one) => one.question === question);
      // What nothing answers is asked of a paragraph that answers something else.
      const place = of === undefined ? pick(answered, `note of ${question}`) : firstPlace(places.gold(of.id));
      if ((of === undefined) !== (kind !== "answerable") || place === undefined || kind === "false-premise") return [];
      return [noteOf({ question, kind }, place, textOf(place.page))];
    });
  const messages = rows.map(({ kind, first, question, answers }) => {
    const marked = answers.map((one) => placeOf(one, textOf(one.page)));
    const ranges = new Map([...Map.groupBy(marked, ({ page }) => page)]);
    return { ...mark(question, kind, ranges), first: first ?? null };
  });
  return { name, documents, questions, notes, messages };
}

interface PagePlace extends TextRange {
  readonly page: string;
}

function firstPlace(places: Places): PagePlace | undefined {
  for (const [page, [range]] of places) if (range !== undefined) return { page, ...range };
  return undefined;
}

/** The paragraph of a place with up to two that follow it, below the page's first line. */
function noteOf({ question, kind }: Pick<WrittenQuestion, "question" | "kind">, place: PagePlace, text: string): Note {
  const start = text.lastIndexOf("\n\n", place.start) + 1;
  const count = 1 + Math.floor(drawOf(`paragraphs ${question}`) * NOTE_PARAGRAPHS);
  const end = Array.from({ length: count }).reduce<number>((at) => endOfParagraph(text, at + 2), place.end - 2);
  const title = text.slice(0, Math.max(0, text.indexOf("\n")));
  const cut = start === 0 ? text.slice(0, end) : `${title}\n${text.slice(start, end)}`;
  const shift = start === 0 ? 0 : title.length + 1 - start;
  const document = toDocument({ id: "note.md", scope: null, path: "note.md", text: cut });
  const marked = { start: place.start + shift, end: place.end + shift };
  const answers = (_: string, range: TextRange) => kind === "answerable" && sharesHalf(toOriginal(document.sourceMap, range), marked);
  return { document, question: { question, kind, gold: new Set(kind === "answerable" ? [document.id] : []), answers } };
}

function endOfParagraph(text: string, from: number): number {
  const end = text.indexOf("\n\n", from);
  return end < 0 ? text.length : end;
}

/** Of the pairs beside a collection those that ask for the same. */
function otherWordings(folder: string): readonly Pair[] {
  return existsSync(join(folder, PAIRS)) ? readLines(folder, PAIRS, pairSchema).filter(({ same_answer: same }) => same) : [];
}

/** Do two ranges share at least half of the shorter one? */
export function sharesHalf(piece: TextRange, answer: TextRange): boolean {
  const shared = Math.min(piece.end, answer.end) - Math.max(piece.start, answer.start);
  return shared > 0 && shared >= Math.min(answer.end - answer.start, piece.end - piece.start) / 2;
}
