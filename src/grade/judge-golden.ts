import type { Answer, Citation } from "../types.ts";
import { readableText } from "../write/render.ts";
import { type GoldenPlaces, standsAt } from "./golden-places.ts";
import type { GoldenAnswerable, GoldenUnanswerable } from "./golden-set.ts";
import { holdsToken } from "./holds-token.ts";

/** What became of one golden question (definitions: DESIGN.md, section 10). */
export interface Judgement {
  /** An answer was shown. */
  readonly shown: boolean;
  /** Shown and right. A shown answer that is not right is wrong. `null`: the question has neither places nor values by which that could be told. */
  readonly right: boolean | null;
  /** Of a right answer to an answerable question: its first sentence quotes gold. `null`: no place is marked, or the answer is not right. */
  readonly first: boolean | null;
  /** A gold page is cited; `null`: there is none. */
  readonly page: boolean | null;
  /** A gold quote is quoted, or of a false premise what contradicts it. `null`: it is answerable, and no place is marked. */
  readonly quoted: boolean | null;
  /** Key values that the sentences and quotes which bear gold lack. */
  readonly lacks: readonly string[];
  /** What a right answer has no reason to hold, and this one does. */
  readonly holds: readonly string[];
}

/**
 * Right: a gold quote is quoted at any of its places, each key value stands in the sentences that quote gold, in those quotes or in the headings under which
 * they stand, and nothing stands in the answer that a right one has no reason to hold. A question without marked places is judged by its values alone, in the whole answer.
 */
export function judgeAnswerable(
  answer: Answer,
  { id, gold_pages, key_values, must_not }: Pick<GoldenAnswerable, "id" | "gold_pages" | "key_values" | "must_not">,
  places: GoldenPlaces,
): Judgement {
  const shown = answer.status === "ok";
  const gold = places.gold(id);
  const bearing = new Set(answer.citations.filter((citation) => standsAt(citation, gold)).map(({ n }) => n));
  const unplaced = gold.size === 0;
  const text = bearingText(answer, unplaced ? new Set(answer.citations.map(({ n }) => n)) : bearing);
  const written = answer.sentences.map((sentence) => readableText(sentence, answer.citations)).join("\n");
  const lacks = shown ? key_values.filter((value) => !holdsToken(text, value)) : [];
  const holds = shown ? must_not.filter((value) => holdsToken(written, value)) : [];
  const quoted = unplaced ? null : shown && bearing.size > 0;
  const untold = unplaced && key_values.length + must_not.length === 0;
  const right = untold ? null : (quoted ?? shown) && lacks.length === 0 && holds.length === 0;
  return {
    shown,
    right,
    first: right === true && !unplaced ? (answer.sentences[0]?.citations.some((n) => bearing.has(n)) ?? false) : null,
    page: gold_pages.length === 0 ? null : shown ? answer.citations.some(({ original }) => gold_pages.includes(original.path)) : false,
    quoted,
    lacks,
    holds,
  };
}

/** Right is a refusal; of a false premise also an answer that quotes what contradicts it. */
export function judgeUnanswerable(answer: Answer, { id }: Omit<GoldenUnanswerable, "tenant">, places: GoldenPlaces): Judgement {
  const shown = answer.status === "ok";
  const quoted = shown && answer.citations.some((citation) => standsAt(citation, places.contradicting(id)));
  return { shown, right: quoted, first: null, page: null, quoted, lacks: [], holds: [] };
}

/** Sentences that cite gold, those quotes, and the title, headings and table header above them. */
function bearingText({ sentences, citations }: Answer, bearing: ReadonlySet<number>): string {
  const cited = citations.filter(({ n }) => bearing.has(n));
  return [
    ...sentences.filter(({ citations: numbers }) => numbers.some((n) => bearing.has(n))).map((one) => readableText(one, citations)),
    ...cited.flatMap(quoteText),
  ].join("\n");
}

function quoteText({ title, headingPath, quote, row }: Citation): string[] {
  return [title, ...headingPath, quote, ...(row === undefined ? [] : [row.header.text])];
}
