import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readGolden } from "../../../src/grading/golden.ts";
import { locatePlaces, type Places } from "../../../src/grading/golden-places.ts";
import { findGoldenSets, type GoldenSet, readGoldenSet } from "../../../src/grading/golden-set.ts";
import { questionParts } from "../../../src/pipeline/admit.ts";
import type { StoredDocument, TextRange } from "../../../src/shared/types.ts";
import { toOriginal } from "../../../src/text/source-map.ts";
import { markedSchema, placeOf } from "../../runs/marked-words.ts";
import { toDocument } from "../../sets/extract-sets.ts";
import { type Pair, pairSchema } from "../../sets/pair.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { drawOf, pick } from "../reader/random.ts";

/** A collection of documents with questions, parsed by the product. */
export interface WrittenSet {
  readonly name: string;
  readonly documents: readonly StoredDocument[];
  readonly questions: readonly WrittenQuestion[];
  /** Short documents with one question each, like a personal note. */
  readonly notes: readonly Note[];
  /** Follow-ups, questions after a story, and messages with several questions. */
  readonly messages: readonly Message[];
}

export interface Message extends WrittenQuestion {
  /** The question that it follows. */
  readonly first: string | null;
}

/** One to three paragraphs of a page, with a question they may answer. */
export interface Note {
  readonly document: StoredDocument;
  readonly question: WrittenQuestion;
}

export interface WrittenQuestion {
  readonly question: string;
  /** "answerable", or the kind of unanswerable question. */
  readonly kind: string;
  /** Documents that answer. */
  readonly gold: ReadonlySet<string>;
  /** Tests whether a range of a document shares half with an annotated range. */
  answers(document: string, range: TextRange): boolean;
}

/** Inverse of the share of questions also asked of a note. */
const NOTE_OF = 4;
/** Maximum number of paragraphs of a note. */
const NOTE_PARAGRAPHS = 3;

/** Paraphrases and hard negatives of a collection's questions. */
const PAIRS = "pairs-dev.jsonl";

/** Follow-ups and questions with a story, of all collections. */
const MESSAGES = "messages.jsonl";
/** Messages with several questions, of all collections. */
const SEVERAL = "several.jsonl";

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
  /** Words of each question; one without answers is not answered by the pages. */
  parts: z.array(z.object({ asks: z.string(), answers: answersSchema })),
});
type SeveralRow = z.infer<typeof severalSchema>;

/** Reads every collection of a folder, with `messages.jsonl` and `several.jsonl` for all (`lab/sets/written/README.md`). */
export function readWrittenSets(packed: string): WrittenSet[] {
  const folder = unpackSets(packed);
  const bySet = <Row extends { set: string }>(file: string, schema: z.ZodType<Row>) =>
    Map.groupBy(existsSync(join(folder, file)) ? readGolden(folder, file, schema) : [], ({ set }) => set);
  const messages = bySet(MESSAGES, messageSchema);
  const several = bySet(SEVERAL, severalSchema);
  return findGoldenSets(folder).map((folders) => {
    const { name } = folders;
    return toWritten(readGoldenSet(folders), [...(messages.get(name) ?? []), ...(several.get(name) ?? []).flatMap(asMessages)]);
  });
}

type AnyMessage = Omit<MessageRow, "set" | "kind"> & { readonly kind: string };

/** Returns the whole message, and its questions as the product splits it if their number is right. */
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
    // The text that contradicts a false premise is the right quote.
    ...unanswerable.map((one) => mark(one.question, one.kind, places.contradicting(one.id))),
  ];
  const answered = answerable.flatMap((one) => firstPlace(places.gold(one.id)) ?? []);
  const notes = questions
    .filter(({ question }) => drawOf(`note ${question}`) < 1 / NOTE_OF)
    .flatMap(({ question, kind }): Note[] => {
      const of = answerable.find((one) => one.question === question);
      // An unanswerable question gets a paragraph that answers another question.
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

/** Makes a note of the paragraph of a place and up to two following ones, with the page's first line as title. */
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

/** Returns the paraphrase pairs of a collection. */
function otherWordings(folder: string): readonly Pair[] {
  return existsSync(join(folder, PAIRS)) ? readGolden(folder, PAIRS, pairSchema).filter(({ same_answer: same }) => same) : [];
}

/** Tests whether two ranges share at least half of the shorter one. */
export function sharesHalf(piece: TextRange, answer: TextRange): boolean {
  const shared = Math.min(piece.end, answer.end) - Math.max(piece.start, answer.start);
  return shared > 0 && shared >= Math.min(answer.end - answer.start, piece.end - piece.start) / 2;
}
