import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { locatePlaces, type Places } from "../../../src/grade/golden-places.ts";
import { findGoldenSets, type GoldenSet, readGoldenSet } from "../../../src/grade/golden-set.ts";
import { readLines } from "../../../src/grade/read-lines.ts";
import { toOriginal } from "../../../src/text/source-map.ts";
import type { StoredDocument, TextRange } from "../../../src/types.ts";
import { toDocument } from "../../sets/extract-sets.ts";
import { type Pair, pairSchema } from "../../sets/pair.ts";

/** A collection of documents with questions, as the product reads its files. */
export interface WrittenSet {
  readonly name: string;
  readonly documents: readonly StoredDocument[];
  readonly questions: readonly WrittenQuestion[];
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

/** Questions of a collection with others that ask for the same, or for something else in nearly the same words. */
const PAIRS = "pairs-dev.jsonl";

/** Every collection below a folder: `NAME/pages/*.md` with `NAME/answerable-dev.jsonl` and `NAME/unanswerable-dev.jsonl` (`lab/sets/written/README.md`). */
export function readWrittenSets(folder: string): WrittenSet[] {
  return findGoldenSets(folder).map((folders) => toWritten(readGoldenSet(folders)));
}

function toWritten(set: GoldenSet): WrittenSet {
  const { name, corpus, answerable, unanswerable } = set;
  const files = readdirSync(join(corpus, "pages"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const pages = files.sort().map((file) => `pages/${file}`);
  const documents = pages.map((page) => toDocument({ id: page, scope: null, path: page, text: readFileSync(join(corpus, page), "utf8") }));
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
  return { name, documents, questions };
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
