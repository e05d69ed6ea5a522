import type { TextRange } from "../../../src/shared/types.ts";
import type { Ask, Known } from "./ask.ts";
import { type MadeDocument, type Place, rangeIn } from "./documents.ts";
import { type Index, keyOf, unique, type Window } from "./search.ts";

/** Maximum number of candidates, besides labelled ones. */
const CANDIDATES = 18;
/** Numbers of labelled windows added if retrieval missed them: positives and negatives. */
const ADDED_GOLD = 3;
const ADDED_KNOWN = 3;
/** Share of the question's words from which an unlabelled passage that contains an answer text may answer too. */
const MAY_ANSWER_WORDING = 1 / 3;
/** The same if no answer text is known. */
const MAY_ANSWER_WORDS = 0.7;
/** Share of the shorter range from which a window counts as the passage. */
const SAME_PLACE = 0.6;

type Span = readonly [number, number];

export interface Labelled {
  readonly head: string;
  readonly text: string;
  /** `null`: not known. */
  readonly label: 0 | 1 | null;
  readonly spans: readonly Span[];
  readonly relevant: readonly Span[];
}

export interface Row {
  readonly answerable: boolean;
  readonly candidates: readonly Labelled[];
}

/** A label of a place in a document. */
interface Fact {
  readonly known: Known;
  readonly made: MadeDocument;
  readonly place: Place;
  readonly spans: readonly TextRange[];
}

/** Labels the candidates of a question; `null` if no candidate contains the answer or there is no negative. */
export function label(ask: Ask, found: readonly Window[], index: Index): Row | null {
  const facts = ask.known.flatMap((known): Fact[] =>
    index
      .placesOf(known.key)
      .map(({ made, place }) => ({ known, made, place, spans: known.spans.flatMap((span) => rangeIn(place, span) ?? []) })),
  );
  const golds = facts.filter(({ known }) => known.answers);
  const home = new Map(golds.map((fact) => [fact, homeOf(fact, index)]));
  const judge = (window: Window) => judgeWindow(window, ask, facts, home, index);

  const first = found.slice(0, CANDIDATES);
  const there = new Set(first.map(keyOf));
  const missed = (windows: Window[]) => windows.filter((window) => !there.has(keyOf(window)));
  const gold = missed(unique(golds.flatMap((fact) => goldWindows(fact, home, index)))).slice(0, ADDED_GOLD);
  const beside = facts.filter(({ known }) => !known.answers).flatMap(({ made, place }) => index.windowsAt(made, place));
  const known = missed(unique(beside))
    .filter((window) => !gold.some((one) => keyOf(one) === keyOf(window)))
    .slice(0, ADDED_KNOWN);
  const candidates = [...first, ...gold, ...known].map((window) => ({
    ...judge(window),
    head: index.headOf(window),
    text: textOf(window),
  }));
  const answerable = candidates.some((one) => one.label === 1);
  if (golds.length > 0 !== answerable || !candidates.some((one) => one.label === 0)) return null;
  return { answerable, candidates };
}

function goldWindows(fact: Fact, home: ReadonlyMap<Fact, Window | null>, index: Index): Window[] {
  if (fact.spans.length > 0) return fact.spans.flatMap((span) => index.windowsAt(fact.made, span));
  const window = home.get(fact);
  return window === null || window === undefined ? [] : [window];
}

/** Returns the window with most of a passage that has no annotated answer; for a whole section the first one. */
function homeOf({ known, made, place }: Fact, index: Index): Window | null {
  const windows = index.windowsAt(made, place);
  if (known.whole === true) return windows[0] ?? null;
  return windows.reduce<Window | null>((best, one) => (best === null || overlap(one, place) > overlap(best, place) ? one : best), null);
}

function judgeWindow(
  window: Window,
  ask: Ask,
  facts: readonly Fact[],
  home: ReadonlyMap<Fact, Window | null>,
  index: Index,
): Pick<Labelled, "label" | "spans" | "relevant"> {
  const none = { spans: [], relevant: [] };
  const here = facts.filter(({ made, place }) => made === window.made && overlap(window, place) > 0);
  const golds = here.filter(({ known }) => known.answers);
  const spans = golds.flatMap((fact) =>
    fact.spans.flatMap((span) => (overlap(window, span) >= (span.end - span.start) / 2 ? [clip(span, window)] : [])),
  );
  if (spans.length > 0) return { label: 1, spans: spans.map((span) => toSpan(span, window)), relevant: sentencesOf(window, spans) };
  const whole = golds.find(({ known, place }) => known.whole === true && stands(window, place));
  if (whole !== undefined) {
    const part = clip(whole.place, window);
    const isEarly =
      overlap(window, whole.place) > 0 &&
      index
        .windowsAt(whole.made, whole.place)
        .slice(0, 2)
        .some((one) => keyOf(one) === keyOf(window));
    return isEarly ? { label: 1, spans: [], relevant: sentencesOf(window, [part]) } : { label: null, ...none };
  }
  const open = golds.filter(({ spans: marked, known }) => marked.length === 0 && known.whole !== true);
  if (open.some((fact) => sameWindow(home.get(fact), window) && stands(window, fact.place))) return { label: 1, ...none };
  if (golds.length > 0 && golds.some(({ place, spans: marked }) => marked.length === 0 && stands(window, place)))
    return { label: null, ...none };
  if (here.some(({ known, place }) => !known.answers && stands(window, place))) return { label: 0, ...none };
  return { label: mayAnswer(window, ask, facts, index) ? null : 0, ...none };
}

/** Tests whether an unlabelled passage may answer. */
function mayAnswer(window: Window, ask: Ask, facts: readonly Fact[], index: Index): boolean {
  const text = textOf(window).toLowerCase();
  const full = `${index.headOf(window).toLowerCase()}\n${text}`;
  if (ask.form === "twin") return full.includes((ask.twin ?? "").toLowerCase());
  const isMarked = (key: string) => index.placesOf(key).some(({ made, place }) => made === window.made && overlap(window, place) > 0);
  if (ask.maybe?.some(isMarked)) return true;
  const golds = facts.filter(({ known }) => known.answers);
  const wordings = ask.wordings.filter((one) => one.trim().length > 1);
  if (golds.some(({ spans }) => spans.length > 0) || wordings.some((one) => one.split(" ").length <= 12)) {
    const holds = wordings.some((one) => holdsWhole(text, one.toLowerCase()));
    return holds && index.coverage(ask, full) >= MAY_ANSWER_WORDING;
  }
  const isOfOther = golds.some(
    ({ made }) => made !== window.made && made.document.title !== "" && made.document.title === window.made.document.title,
  );
  const isBeside = facts.some(({ made }) => made === window.made);
  const isSection = golds.some(({ known }) => known.whole === true);
  if (isSection) return isOfOther || (isBeside && /› Overview$/.test(index.headOf(window)));
  if (golds.length > 0 && (isBeside || isOfOther)) return true;
  return index.coverage(ask, full) >= MAY_ANSWER_WORDS;
}

function holdsWhole(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    if (!/\w/.test(text[at - 1] ?? " ") && !/\w/.test(text[at + part.length] ?? " ")) return true;
  }
  return false;
}

/** Returns sentences, list items and rows of a window that overlap one of the ranges. */
function sentencesOf(window: Window, ranges: readonly TextRange[]): Span[] {
  return window.made.document.units
    .filter((unit) => unit.type !== "heading" && overlap(unit, window) > 0 && ranges.some((range) => overlap(unit, range) > 0))
    .map((unit) => toSpan(clip(unit, window), window));
}

function stands(window: TextRange, place: TextRange): boolean {
  return overlap(window, place) >= SAME_PLACE * Math.min(window.end - window.start, place.end - place.start);
}

function sameWindow(a: Window | null | undefined, b: Window): boolean {
  return a !== null && a !== undefined && keyOf(a) === keyOf(b);
}

function overlap(a: TextRange, b: TextRange): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));
}

function clip(range: TextRange, { start, end }: TextRange): TextRange {
  return { start: Math.max(range.start, start), end: Math.min(range.end, end) };
}

function toSpan({ start, end }: TextRange, window: TextRange): Span {
  return [start - window.start, end - window.start];
}

function textOf({ made: { document }, start, end }: Window): string {
  return document.text.slice(start, end);
}
