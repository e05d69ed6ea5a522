import { once } from "../text/memo.ts";
import { type Alignment, alignTerms, type Entailment, LISTED, type SlotContext } from "./align-terms.ts";
import { isStated } from "./compare-values.ts";
import { type AskedKind, kindsAgree } from "./question.ts";
import { changesPlace, isExchanged, isOtherSubject, ownsOther } from "./question-shape.ts";
import { isAbroad } from "./slot-vocabulary.ts";
import type { Slots, SlotValue } from "./slots.ts";
import { daysOf, keyOf } from "./values.ts";

/** Reason why a stored answer is not served for another question. */
export type MissRule =
  | "codes"
  | "values"
  | "names"
  | "persons"
  | "branches"
  | "places"
  | "periods"
  | "polarity"
  | "opposites"
  | "direction"
  | "asked"
  | "contrast"
  | "questions"
  | "scope"
  | "condition"
  | "unknown";

export type SlotsVerdict =
  /** `rules`: entailments that the match relies on. */
  | { readonly same: true; readonly rules: readonly string[]; readonly alignment: Alignment }
  | {
      readonly same: false;
      readonly rule: MissRule;
      readonly detail: string;
      /**
       * True if only the wording differs and no exact value does. A model that compares both questions may then
       * overrule the miss.
       */
      readonly soft: boolean;
    };

/**
 * Minimum share of common words, in order, of two questions with the same wording. Any remaining difference is then
 * significant.
 */
const SAME_WORDING = 0.6;

/**
 * Rules that infer a difference from the wording: kind of answer, a condition in one question only, an unexplained
 * word. All other rules compare exact values.
 */
const SOFT: ReadonlySet<MissRule> = new Set(["asked", "condition", "unknown"]);

/**
 * Unmatched term weight on each side, about one content word, from which two questions ask for different things on one
 * topic.
 */
const UNKNOWN = 1;

/**
 * Unmatched term weight on each side from which questions differ even if the answer or the passages contain the words.
 * One page may describe both the board and the court, but what holds for one need not hold for the other.
 */
const UNRELATED = 2;

/** A difference between two questions. */
interface SlotMiss {
  readonly rule: MissRule;
  readonly detail: string;
}

/**
 * Decides whether two questions ask for the same thing, from their words. Every slot must be equal or follow by a
 * listed entailment. `judgeMatch` decides how much unexplained wording is acceptable, because it also knows the vector
 * similarity.
 */
export function compareSlots(asked: Slots, stored: Slots, context: SlotContext = {}): SlotsVerdict {
  const rules = new Set<Entailment>();
  const alignment = once(() => alignTerms(asked, stored, context));
  let first: SlotMiss | null = null;
  for (const miss of slotMisses(asked, stored, alignment, rules)) {
    first ??= miss;
    const isBare = miss.rule === "asked" && isBareTopic(asked, stored);
    if (!SOFT.has(miss.rule) || (alignment().wording >= SAME_WORDING && !isBare)) return { same: false, ...first, soft: false };
  }
  if (first !== null) return { same: false, ...first, soft: true };
  for (const rule of alignment().rules) rules.add(rule);
  return { same: true, rules: [...rules], alignment: alignment() };
}

/**
 * True if one question only names a topic and the other asks what it is, as "price of a card" and "what is the price of
 * a card?". Next to "where" or "why" a bare topic differs by its kind.
 */
function isBareTopic({ asks: one }: Slots, { asks: other }: Slots): boolean {
  return (one === "open" && WHAT.has(other)) || (other === "open" && WHAT.has(one));
}

const WHAT: ReadonlySet<AskedKind> = new Set(["thing", "definition"]);

/** Yields the differences one by one, so that later checks run only if needed. */
function* slotMisses(asked: Slots, stored: Slots, aligned: () => Alignment, rules: Set<Entailment>): Generator<SlotMiss, void> {
  const miss = (rule: MissRule, detail: string): SlotMiss => ({ rule, detail });
  if (asked.codes.join() !== stored.codes.join()) yield miss("codes", `asked ${list(asked.codes)}, stored ${list(stored.codes)}`);
  const values = differingValues(asked.values, stored.values, rules);
  if (values !== null) yield miss("values", values);
  const persons = comparePersons(asked, stored, rules);
  if (persons !== null) yield miss("persons", persons);
  if (asked.branches.join() !== stored.branches.join())
    yield miss("branches", `asked ${list(asked.branches)}, stored ${list(stored.branches)}`);
  const places = comparePlaces(asked, stored, rules);
  if (places !== null) yield miss("places", places);
  if (asked.periods.join() !== stored.periods.join()) yield miss("periods", `asked ${list(asked.periods)}, stored ${list(stored.periods)}`);
  if (asked.negations > 0 !== stored.negations > 0) yield miss("polarity", "one of them denies");
  if (asked.negations % 2 !== stored.negations % 2) yield miss("polarity", "one of them denies what is denied");
  if (asked.shape.questions !== stored.shape.questions)
    yield miss("questions", `asked ${asked.shape.questions}, stored ${stored.shape.questions} in one`);
  if (!kindsAgree(asked.asks, stored.asks)) yield miss("asked", `asked ${asked.asks}, stored ${stored.asks}`);
  if (asked.shape.scopes.join() !== stored.shape.scopes.join())
    yield miss("scope", `asked ${list(asked.shape.scopes)}, stored ${list(stored.shape.scopes)}`);
  const [one, other] = [asked.shape.modality, stored.shape.modality];
  if (asked.asks === "fact" && stored.asks === "fact" && one !== null && other !== null && one !== other)
    yield miss("scope", `asked whether it ${one} be, stored whether it ${other} be`);
  if (isReversed(asked, stored)) yield miss("direction", "who and whom, or from and to, are exchanged");
  const alignment = aligned();
  if (alignment.opposites !== null) yield miss("opposites", alignment.opposites);
  if (alignment.polarity !== null) yield miss("polarity", alignment.polarity);
  if (alignment.names !== null) yield miss("names", alignment.names);
  const conditions = [...openConditions(alignment.asked, asked), ...openConditions(alignment.stored, stored)];
  if (conditions.length > 0) yield miss("condition", `a condition of one of them alone: ${list(conditions)}`);
  if (alignment.wording >= SAME_WORDING) {
    if (alignment.differing.length > 0) yield miss("contrast", `the wording is the same but for: ${list(alignment.differing)}`);
    if (asked.asks !== stored.asks) yield miss("asked", `in one wording, asked ${asked.asks}, stored ${stored.asks}`);
  }
  const { askedOpen, storedOpen, unmatchedAskedMass, unmatchedStoredMass } = alignment;
  if (Math.min(askedOpen, storedOpen) >= UNKNOWN || Math.min(unmatchedAskedMass, unmatchedStoredMass) >= UNRELATED) {
    const open = (terms: Alignment["asked"]) => list(terms.filter(({ match }) => match < LISTED).map(({ term }) => term.text));
    yield miss("unknown", `each says what the other does not: asked ${open(alignment.asked)}, stored ${open(alignment.stored)}`);
  }
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "nothing" : items.join(", ");
}

/** Every value needs an equal on the other side. Only the asked value may be narrower. */
function differingValues(asked: readonly SlotValue[], stored: readonly SlotValue[], rules: Set<Entailment>): string | null {
  const left = [...stored];
  for (const value of asked) {
    const at = left.findIndex((other) => sameValue(value, other));
    if (at >= 0) {
      left.splice(at, 1);
      continue;
    }
    const limit = left.findIndex((other) => liesBeyond(value, other));
    if (limit < 0) return `asked ${written(value)}, stored ${list(stored.map(written))}`;
    left.splice(limit, 1);
    rules.add("value-beyond");
  }
  // A repeated value is not another value.
  const open = left.filter((value) => !asked.some((other) => sameValue(other, value)));
  return open.length === 0 ? null : `stored ${list(open.map(written))}, not asked`;
}

function written({ side, ...value }: SlotValue): string {
  return `${side === "" ? "" : `${side} `}${keyOf(value)}`;
}

function sameValue(a: SlotValue, b: SlotValue): boolean {
  if (a.side !== b.side || a.bound !== b.bound) return false;
  if (a.kind === "date" && b.kind === "date") return a.low === b.low;
  return isStated(a, b) || isStated(b, a);
}

/** Checks whether a plain value lies wholly on the stored side of a limit. */
function liesBeyond(value: SlotValue, limit: SlotValue): boolean {
  if (limit.side === "" || value.side !== "" || value.bound !== "none") return false;
  if (value.kind === "date" || limit.kind === "date") {
    if (value.kind !== limit.kind || !isFullDate(value) || !isFullDate(limit)) return false;
    const [first, last] = firstAndLastDay(value);
    const [from, until] = firstAndLastDay(limit);
    return limit.side === "after" ? first > until : last < from;
  }
  const years = ({ kind, low }: SlotValue) => (kind === "age" || kind === "number" ? Number(low) : Number.NaN);
  const [one, other] = value.kind === limit.kind && PLAIN.has(value.kind) ? [daysOf(value), daysOf(limit)] : [years(value), years(limit)];
  return limit.side === "after" ? one > other : one < other;
}

const PLAIN: ReadonlySet<SlotValue["kind"]> = new Set(["percent", "duration", "age", "number", "length", "mass", "volume"]);

function isFullDate({ low }: SlotValue): boolean {
  return /^\d{4}(?:-\d{2}){0,2}$/.test(String(low));
}

/** First and last day of a year, month or day, as comparable strings. */
function firstAndLastDay({ low }: SlotValue): readonly [string, string] {
  const [year = "", month, day] = String(low).split("-");
  if (month === undefined) return [`${year}-01-01`, `${year}-12-31`];
  return day === undefined ? [`${year}-${month}-01`, `${year}-${month}-31`] : [String(low), String(low)];
}

const SPOUSES: ReadonlySet<string> = new Set(["spouse", "surviving spouse"]);

/** Keys of words for marrying again. */
const REMARRIES = /^remarr|marri again$/;

function comparePersons(asked: Slots, stored: Slots, rules: Set<Entailment>): string | null {
  if (asked.persons.join() === stored.persons.join()) return null;
  const others = (persons: readonly string[]) => persons.filter((person) => !SPOUSES.has(person)).join();
  const remarries = ({ terms }: Slots) => terms.some(({ key }) => REMARRIES.test(key));
  if (others(asked.persons) === others(stored.persons) && remarries(asked) && remarries(stored)) {
    rules.add("spouse-remarrying");
    return null;
  }
  return `asked about ${list(asked.persons)}, stored about ${list(stored.persons)}`;
}

function comparePlaces(asked: Slots, stored: Slots, rules: Set<Entailment>): string | null {
  if (asked.places.join() === stored.places.join() && asked.abroad === stored.abroad) return null;
  if (stored.abroad && stored.places.length === 0 && asked.places.length > 0 && asked.places.every(isAbroad)) {
    rules.add("place-abroad");
    return null;
  }
  const shown = ({ places, abroad }: Slots) => list([...places, ...(abroad ? ["abroad"] : [])]);
  return `asked ${shown(asked)}, stored ${shown(stored)}`;
}

/**
 * Checks whether two questions hold the same values, codes, persons, branches, places, periods and negations.
 * Entailments do not apply.
 */
export function holdSameExact(one: Slots, other: Slots): boolean {
  const exact = ({ values, codes, persons, branches, places, abroad, periods, negations }: Slots) =>
    JSON.stringify([values, codes, persons, branches, places, abroad, periods, negations]);
  return one === other || exact(one) === exact(other);
}

/**
 * Counts the values, codes, places, persons and branches that both questions share (equal or by entailment), and all of
 * them.
 */
export function sharedSlots(asked: Slots, stored: Slots): { readonly shared: number; readonly all: number } {
  const rules = new Set<Entailment>();
  const values = asked.values.filter((value) => stored.values.some((other) => sameValue(value, other) || liesBeyond(value, other))).length;
  const places = comparePlaces(asked, stored, rules) === null ? placesOf(stored) : 0;
  const persons = comparePersons(asked, stored, rules) === null ? Math.max(asked.persons.length, stored.persons.length) : 0;
  const both = (one: readonly string[], other: readonly string[]) => one.filter((item) => other.includes(item)).length;
  const shared = values + places + persons + both(asked.codes, stored.codes) + both(asked.branches, stored.branches);
  const size = ({ values: own, codes, branches }: Slots) => own.length + codes.length + branches.length;
  const alone = (matched: number, pick: (slots: Slots) => number) => (matched > 0 ? matched * 2 : pick(asked) + pick(stored));
  const total = size(asked) + size(stored) + alone(places, placesOf) + alone(persons, (slots) => slots.persons.length);
  return { shared, all: total - shared };
}

function placesOf({ places, abroad }: Slots): number {
  return places.length + (abroad ? 1 : 0);
}

/**
 * Terms of a condition ("if", "after") without an equal in the other question. A mention in the other answer is not
 * enough.
 */
function openConditions(terms: Alignment["asked"], { shape }: Slots): string[] {
  const open = terms.filter(({ term, match }) => match < LISTED && term.weight >= UNKNOWN && shape.conditions.includes(term.key));
  return open.map(({ term }) => term.text);
}

/** Checks whether two questions name the same two parties in reverse roles. */
function isReversed(asked: Slots, stored: Slots): boolean {
  const things = new Set([...asked.terms.map(({ key }) => key), ...asked.persons]);
  const names = new Set([
    ...asked.terms.filter(({ kind, key }) => kind === "name" || /\d/.test(key)).map(({ key }) => key),
    ...asked.codes,
  ]);
  if (isOtherSubject(asked.shape, stored.shape) || ownsOther(asked.shape, stored.shape)) return true;
  if (isExchanged(asked.frame, stored.frame, things, names)) return true;
  if (changesPlace(asked.shape.places, stored.shape.places)) return true;
  return speakers(asked) !== "" && speakers(stored) !== "" && speakers(asked) !== speakers(stored);
}

/** Order of speaker and addressee: "iy" if the speaker comes first; empty if only one of them is named. */
function speakers({ frame }: Slots): "iy" | "yi" | "" {
  const [speaker, other] = [frame.findIndex((word) => SPEAKER.has(word)), frame.findIndex((word) => SPOKEN_TO.has(word))];
  return speaker < 0 || other < 0 ? "" : speaker < other ? "iy" : "yi";
}

const SPEAKER: ReadonlySet<string> = new Set(["i", "me", "my"]);

const SPOKEN_TO: ReadonlySet<string> = new Set(["you", "your"]);
