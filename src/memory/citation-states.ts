import type { Citation, Scope, StoredDocument, TextRange } from "../shared/types.ts";
import type { DocumentStore } from "../store/documents.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { unitsIn } from "../text/units.ts";

/**
 * State of a quote in the current documents. `same`: the same characters are at the same place. `moved`: the same characters
 * are elsewhere in its document or in another one. `changed`: a sentence with similar words is there instead. `gone`: none
 * of these.
 */
export type CitationState = "same" | "moved" | "changed" | "gone";

/** Current state of a citation of a stored answer. */
export interface CitationStanding {
  readonly n: number;
  readonly state: CitationState;
  /**
   * Share of the quote's words that the current text (`now`) contains, weighted by their rarity. It is 1 for `same` and
   * `moved`, below 1 for `changed`, and 0 for `gone`.
   */
  readonly likeness: number;
  /** The quote, or the sentence that replaces it, in the current documents; `null` if gone. */
  readonly now: StandingQuote | null;
}

/** A quoted range in the current version of a document. `quote === document.text.slice(start, end)`. */
export type StandingQuote = ReturnType<typeof standingAt>;

/**
 * Minimum share of a quote's words that a changed sentence must contain. If no sentence does, the quote is `gone`. Chosen
 * on 215 sentences of the documents of the bundled packs. With a word or number replaced, a clause added, or a third of the
 * words left out, 644 of 645 sentences reach this share. For 202 removed sentences, no other sentence reaches it. The
 * tests verify this.
 */
export const CHANGED_LIKENESS = 0.45;
/**
 * Minimum length in characters of a quote that is searched in other documents. Shorter texts, such as table cells, occur in
 * many documents.
 */
export const MOVED_CHARACTERS = 40;
/** Maximum number of other documents in which a quote is located. */
const ELSEWHERE = 3;
/** Maximum number of occurrences of a quote whose context is compared. */
const PLACES = 1_000;

/** Returns the current state of each citation. Documents that `scope` may not see are treated as deleted. */
export async function citationStates(
  citations: readonly Citation[],
  scope: Scope,
  documents: Pick<DocumentStore, "load" | "holding">,
): Promise<CitationStanding[]> {
  const loaded = await documents.load(scope, [...new Set(citations.map(({ documentId }) => documentId))]);
  const states: CitationStanding[] = [];
  for (const citation of citations) {
    const own = loaded.get(citation.documentId);
    const inOwn = own === undefined ? null : standingIn(citation, own);
    states.push(inOwn ?? (await standingElsewhere(citation, scope, documents)) ?? { n: citation.n, state: "gone", likeness: 0, now: null });
  }
  return states;
}

/**
 * Returns the state of a quote in `document`, the current version of its own or another document. Returns `null` if it
 * contains neither the quote nor a similar sentence.
 */
export function standingIn(citation: Citation, document: StoredDocument): CitationStanding | null {
  const { n, quote } = citation;
  const place = placeOf(citation, document);
  if (place !== null) {
    const state = place === citation.start && document.id === citation.documentId ? "same" : "moved";
    return { n, state, likeness: 1, now: standingAt(document, { start: place, end: place + quote.length }) };
  }
  const nearest = nearestWording(quote, document.text, citation.start);
  if (nearest === null || nearest.likeness < CHANGED_LIKENESS) return null;
  const units = unitsIn(document, nearest);
  const whole = document.units.filter(({ start, end }) => start < nearest.end && end > nearest.start);
  const range = units.length === 0 ? nearest : { start: whole[0]?.start ?? nearest.start, end: whole.at(-1)?.end ?? nearest.end };
  return { n, state: "changed", likeness: Math.min(0.99, nearest.likeness), now: standingAt(document, range) };
}

async function standingElsewhere(citation: Citation, scope: Scope, documents: Pick<DocumentStore, "load" | "holding">) {
  if (citation.quote.length < MOVED_CHARACTERS) return null;
  const ids = (await documents.holding(scope, citation.quote, ELSEWHERE + 1)).filter((id) => id !== citation.documentId);
  const loaded = await documents.load(scope, ids.slice(0, ELSEWHERE));
  const found = [...loaded.values()].map((document) => ({ document, standing: standingIn(citation, document) }));
  const byTitle = ({ document }: { document: StoredDocument }) => (document.title === citation.title ? 0 : 1);
  found.sort((a, b) => byTitle(a) - byTitle(b) || (a.document.path < b.document.path ? -1 : 1));
  return found[0]?.standing ?? null;
}

/**
 * Returns the offset of the exact quote in the document, or `null`. If it occurs several times, the occurrence with the most
 * similar context wins, then the one nearest to the old offset.
 */
function placeOf({ quote, context, quoteStart, start }: Citation, { text }: StoredDocument): number | null {
  if (quote === "") return null;
  const before = context.slice(0, quoteStart);
  const after = context.slice(quoteStart + quote.length);
  let best: { at: number; around: number } | null = null;
  let seen = 0;
  for (let at = text.indexOf(quote); at >= 0 && seen < PLACES; at = text.indexOf(quote, at + 1), seen++) {
    const around = sharedCharacters(before, text.slice(0, at), "end") + sharedCharacters(after, text.slice(at + quote.length), "start");
    const isNearer = best !== null && around === best.around && Math.abs(at - start) < Math.abs(best.at - start);
    if (best === null || around > best.around || isNearer) best = { at, around };
  }
  return best?.at ?? null;
}

/** Returns the number of equal characters at the start or end of two texts. */
function sharedCharacters(a: string, b: string, side: "start" | "end"): number {
  const at = (text: string, n: number) => text[side === "start" ? n : text.length - 1 - n];
  let n = 0;
  while (n < a.length && at(a, n) === at(b, n)) n++;
  return n;
}

function standingAt(document: StoredDocument, range: TextRange) {
  const { id, version, title, url, text } = document;
  const unit = unitsIn(document, range)[0];
  return {
    ...{ documentId: id, documentVersion: version, title, url, start: range.start, end: range.end },
    quote: text.slice(range.start, range.end),
    /** Headings above the quote, outermost first. */
    headingPath: unit?.headingPath ?? [],
    /** Page on which the quote begins, from 1; `null` if the document has no pages. */
    page: unit?.page ?? null,
    original: originalPlaceOf(document, range),
  };
}

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Finds the part of a text that is most similar to `wording`. Moves a window with as many words as `wording` through the
 * text. The window that shares most words with `wording` wins, weighted by their rarity in the text; on ties, the one
 * nearest to `near`. Returns the range from its first to its last shared word, and the weighted share of the words that it
 * contains (`likeness`); `null` if no word is shared. Takes time linear in the length of the text.
 * @param near previous offset of the wording
 */
function nearestWording(wording: string, text: string, near: number) {
  const keys = [...wording.matchAll(WORD)].map(([word]) => word.toLowerCase());
  const size = keys.length;
  const sought = countEach(keys);
  const words = [...text.matchAll(WORD)].map((match) => ({ key: match[0].toLowerCase(), start: match.index, length: match[0].length }));
  if (size === 0 || words.length === 0) return null;
  const counts = countEach(words.flatMap(({ key }) => (sought.has(key) ? [key] : [])));
  const weightOf = (key: string) => 1 / Math.log2(2 + (counts.get(key) ?? 0));
  const most = [...sought].reduce((sum, [key, count]) => sum + count * weightOf(key), 0);
  const left = new Map(sought);
  let shared = 0;
  let best: { at: number; shared: number } | null = null;
  const isBetter = (at: number) => {
    if (best === null || shared > best.shared + 1e-9) return shared > 1e-9;
    const away = (index: number) => Math.abs((words[index]?.start ?? 0) - near);
    return shared > best.shared - 1e-9 && away(at) < away(best.at);
  };
  for (let end = 0; end < words.length; end++) {
    const entering = words[end]?.key ?? "";
    const rest = left.get(entering);
    if (rest !== undefined) {
      if (rest > 0) shared += weightOf(entering);
      left.set(entering, rest - 1);
    }
    const leaving = words[end - size]?.key;
    const owed = leaving === undefined ? undefined : left.get(leaving);
    if (leaving !== undefined && owed !== undefined) {
      left.set(leaving, owed + 1);
      if (owed >= 0) shared -= weightOf(leaving);
    }
    const at = Math.max(0, end - size + 1);
    if (isBetter(at)) best = { at, shared };
  }
  if (best === null) return null;
  const inside = words.slice(best.at, best.at + size);
  const first = inside.find(({ key }) => sought.has(key));
  const last = inside.findLast(({ key }) => sought.has(key));
  if (first === undefined || last === undefined) return null;
  return { start: first.start, end: last.start + last.length, likeness: Math.min(1, best.shared / most) };
}

function countEach(keys: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]));
}
