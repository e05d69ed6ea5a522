import { type Amount, compatible, sameAmount } from "../language/amounts.ts";
import type { ContentWord } from "../language/content-words.ts";
import type { Marker } from "../language/opposites.ts";
import type { Stance } from "../language/stances.ts";
import type { ConflictKind, TextRange } from "../types.ts";
import type { Fact } from "./facts.ts";

/** Two facts about the same thing: they differ in one point, or bear each other out. */
export type Comparison =
  | { readonly type: "differ"; readonly kind: ConflictKind; readonly certainty: number; readonly a: TextRange; readonly b: TextRange }
  | { readonly type: "agree"; readonly certainty: number };

/** Least share of each fact's words, by weight, that the other holds; and of both on average. */
const LEAST_SHARE = 0.42;
const ALIGNED = 0.6;
/** What only restates (a denial, an opposite) must be aligned better than what differs in a value. */
const ALIGNED_POLARITY = 0.62;
const ALIGNED_MARKER = 0.8;
const ALIGNED_WEAK_MARKER = 0.9;
const ALIGNED_STANCE = 0.5;
/** Identifiers differ because they name different things, unless everything else is the same. */
const ALIGNED_IDENTIFIER = 0.93;
/** Least weight of the words that both hold. */
const SHARED_WEIGHT = 1.7;
/** Where the other fact holds a word: itself, where it points back to, above it, beside it. */
const HELD = { own: 1, antecedent: 0.9, above: 0.75, beside: 0.6 } as const;
/** A word from this weight tells one subject from another. */
const TELLING = 0.62;
/** Subjects that differ by their titles, and values that only one of two sentences is limited to. */
const OTHER_SUBJECT = 0.6;
const QUALIFIED = 0.85;
const ONE_SIDED_NAME = 0.9;
/** Weight of shared words at which half of the certainty is reached. */
const HALF_CERTAIN = 2;
/** Share of a condition's words that the other fact must hold. */
const SAME_CONDITION = 0.5;
/** Share of the words that a denial or duty acts on. */
const SAME_SCOPE = 0.7;
const SAME_DUTY = 0.6;
/** Words on each side of a value that say what it is of, and the share of them that the other fact must hold. */
const LOCAL_WORDS = 3;
const LOCAL_SHARE = 0.45;

/**
 * Do two facts speak of the same thing, and if so, do they contradict each other? `null`: they speak of different things, or nothing in them
 * can be compared. Differences that have a reason are none: other years, persons, tiers, examples, bounds that allow each other.
 * @param strictness below 1 takes pairs that are less alike too: for a report that is read in order of certainty
 */
export function compareFacts(a: Fact, b: Fact, strictness = 1): Comparison | null {
  if (a.example || b.example) return null;
  if (a.piece.type === "table-row" || b.piece.type === "table-row") return compareRows(a, b);
  const [shareA, shareB] = [shareHeld(a, b), shareHeld(b, a)];
  const aligned = (shareA + shareB) / 2;
  const shared = sharedWeight(a, b);
  if (Math.min(shareA, shareB) < LEAST_SHARE * strictness || aligned < ALIGNED_STANCE * strictness) return null;
  if (shared < SHARED_WEIGHT * strictness) return null;
  if (
    otherNames(a, b) ||
    otherSubjects(a, b) ||
    otherModifiers(a, b) ||
    otherPersons(a, b) ||
    otherYears(a, b) ||
    otherSteps(a, b) ||
    isException(a, b) ||
    isException(b, a)
  )
    return null;
  const subject = subjectFactor(a, b);
  const certainty = (factor: number) => aligned * subject * factor * (shared / (shared + HALF_CERTAIN));
  const enough = (least: number, factor = 1) => aligned * subject * factor >= least * strictness;

  const negators = countNegators(a) - countNegators(b);
  const values = compareAmounts(a, b, aligned);
  if (values === "incomparable") return null;
  if (values !== null && values.type === "differ") {
    // "No time limit" denies by its value.
    return (negators === 0 || isUnlimited(values.a) !== isUnlimited(values.b)) && enough(ALIGNED, values.factor)
      ? { type: "differ", kind: values.kind, certainty: certainty(values.factor), a: values.a, b: values.b }
      : null;
  }
  const stance = turnedStance(a, b);
  if (stance !== null && negators === stance.negators && enough(ALIGNED_STANCE))
    return { type: "differ", kind: "condition", certainty: certainty(1), a: stance.a, b: stance.b };
  const conditions = sameConditions(a, b);
  const denied = conditions && Math.abs(negators) === 1 ? turnedDenial(a, b) : null;
  if (denied !== null && enough(ALIGNED_POLARITY)) return { type: "differ", kind: "polarity", certainty: certainty(1), ...denied };
  const marker = turnedMarker(a, b);
  if (marker !== null && enough(marker.strong ? ALIGNED_STANCE : ALIGNED_WEAK_MARKER))
    return { type: "differ", kind: "condition", certainty: certainty(1), a: marker.a, b: marker.b };
  if (denied !== null || stance !== null || marker !== null) return null;
  const says = values !== null || (aligned >= ALIGNED_MARKER && conditions);
  return says && enough(ALIGNED) ? { type: "agree", certainty: certainty(1) } : null;
}

/** Share of a fact's words, by weight, that the other holds in itself or around it. */
function shareHeld(fact: Fact, other: Fact): number {
  let all = 0;
  let held = 0;
  for (const [root, weight] of fact.own) {
    all += weight;
    held += weight * holds(other, root);
  }
  return all === 0 ? 0 : held / all;
}

function holds(fact: Fact, root: string): number {
  if (fact.own.has(root)) return HELD.own;
  if (fact.antecedent.has(root)) return HELD.antecedent;
  if (fact.above.has(root)) return HELD.above;
  return fact.beside.has(root) ? HELD.beside : 0;
}

function sharedWeight(a: Fact, b: Fact): number {
  let sum = 0;
  for (const [root, weight] of a.own) sum += weight * holds(b, root);
  return sum;
}

/** Each names something that the other does not. */
function otherNames(a: Fact, b: Fact): boolean {
  return strangeNames(a, b).length > 0 && strangeNames(b, a).length > 0;
}

function strangeNames(fact: Fact, other: Fact): ContentWord[] {
  return fact.words.filter(({ name, root }) => name && (fact.own.get(root) ?? 0) >= TELLING && holds(other, root) === 0);
}

const VERB = /\b(?:is|are|was|were|can|may|must|will|should|has|have|had|does|do|did)\b|n['’]t\b/i;

/** What stands before the verb of each has no word in common, and each has one that the other lacks: "a chronic disease is …", "sclerosis is …". */
function otherSubjects(a: Fact, b: Fact): boolean {
  const [ofA, ofB] = [subjectWords(a), subjectWords(b)];
  const strange = (subject: readonly ContentWord[], fact: Fact, other: Fact) =>
    subject.some(({ root }) => (fact.own.get(root) ?? 0) >= TELLING && holds(other, root) === 0);
  return !ofA.some(({ root }) => ofB.some((word) => word.root === root)) && strange(ofA, a, b) && strange(ofB, b, a);
}

function subjectWords({ reading, words, antecedent }: Fact): ContentWord[] {
  const verb = reading.text.search(VERB);
  return verb < 0 || antecedent.size > 0 ? [] : words.filter(({ end }) => end <= verb);
}

const ADJACENT = /^[\s-]$/;

/** "Court Appeal" and "Board Appeal": the same word behind two names. */
function otherModifiers(a: Fact, b: Fact): boolean {
  return a.words.some((word, i) => {
    const before = a.words[i - 1];
    if (before === undefined || !before.name || b.own.has(before.root) || !ADJACENT.test(a.reading.text.slice(before.end, word.start)))
      return false;
    const same = b.words.flatMap(({ root, start }, j) => {
      const other = b.words[j - 1];
      return root === word.root && other !== undefined && ADJACENT.test(b.reading.text.slice(other.end, start)) ? [other] : [];
    });
    return same.length > 0 && same.every(({ name, root }) => name && !a.own.has(root));
  });
}

const NEGATOR = /\b(?:not|no|never|none|neither|nor|without|cannot|non(?=-)|unable|in?eligible(?<=ineligible))\b|n['’]t\b/giu;

/** "At least as likely as not", "whether or not" deny nothing. */
const NO_DENIAL = /\b(?:as likely as|whether or|or) not\b/giu;

/** Two denials in one sentence may cancel out: "an illness that's not on the list, … you need not". */
function countNegators({ reading }: Fact): number {
  return reading.text.replaceAll(NO_DENIAL, "").match(NEGATOR)?.length ?? 0;
}

function isUnlimited({ low }: Amount): boolean {
  return low === Number.POSITIVE_INFINITY;
}

/** Words that limit what is said to a part or a circumstance; what only one of two facts is limited to, the other need not deny. */
const LIMITS: readonly RegExp[] = [
  /\bat the same time\b|\bin a row\b|\bboth\b|\btogether\b/i,
  /\b(?:other|another|different|additional)\b(?! than (?:dis)?honorable)/i,
  /\b(?:some|certain|selected)\b/i,
  /\b(?:online|by mail|in person|by phone)\b/i,
  /\b(?:yet|until|right away|immediately|automatically)\b/i,
  /\b(?:normally|usually|generally|typically|often|sometimes|always|necessarily)\b/i,
];

function withinLimits(denying: Fact, other: Fact): boolean {
  return LIMITS.every((pattern) => !pattern.test(denying.reading.text) || pattern.test(other.reading.text));
}

const EXCEPTS = /\b(?:unless|except(?:ing)?|other than (?!(?:dis)?honorable)|apart from)\b/i;

/** "… unless you have a multiple-party claim": what is said of multiple-party claims is the exception, no contradiction. */
function isException(general: Fact, special: Fact): boolean {
  const from = general.reading.text.search(EXCEPTS);
  if (from < 0) return false;
  const named = general.words.filter(({ start, root }) => start >= from && (general.own.get(root) ?? 0) >= TELLING);
  return named.some(({ root }) => special.above.has(root) || special.own.has(root)) && !EXCEPTS.test(special.reading.text);
}

/** "The first 6 months", "the rest": steps of one rule. */
const STEP = /\b(?:first|second|third|fourth|fifth|sixth|last|next|rest|initial|subsequent|additional|each|every|\d+(?:st|nd|rd|th))\b/gi;

function otherSteps(a: Fact, b: Fact): boolean {
  const stepsOf = ({ piece }: Fact) => new Set(piece.text.toLowerCase().match(STEP) ?? []);
  const [one, other] = [stepsOf(a), stepsOf(b)];
  return one.size > 0 && other.size > 0 && ![...one].some((step) => other.has(step));
}

/** One is about a spouse, a child …, the other is not. */
function otherPersons(a: Fact, b: Fact): boolean {
  const strange = (one: Fact, other: Fact) =>
    [...one.persons].some((person) => !other.persons.has(person) && !other.personsAround.has(person));
  const [over, under] = [a.personsAbove, b.personsAbove];
  const apart = over.size > 0 && under.size > 0 && ![...over].some((person) => under.has(person));
  return apart || strange(a, b) || strange(b, a);
}

/** Titles or headings give different years or other values: the tables of two years, two tiers. */
function otherYears(a: Fact, b: Fact): boolean {
  const strange = (one: readonly Amount[], other: Fact) =>
    one.some((amount) => ![...other.amounts, ...other.amountsAbove, ...other.amountsAround].some((mine) => sameAmount(amount, mine)));
  return a.amountsAbove.length > 0 && b.amountsAbove.length > 0 && strange(a.amountsAbove, b) && strange(b.amountsAbove, a);
}

/** Below 1 if what stands above each names a subject that the other does not speak of, and no name in both says that it is the same. */
function subjectFactor(a: Fact, b: Fact): number {
  if (!strangeAbove(a, b, TELLING) || !strangeAbove(b, a, TELLING)) return 1;
  const named = a.words.some(
    ({ name, root }) => name && (a.own.get(root) ?? 0) >= TELLING && b.own.has(root) && !(a.above.has(root) && b.above.has(root)),
  );
  return named ? 1 : OTHER_SUBJECT;
}

/** Does a word of this weight stand above one fact that the other does not have at all? */
function strangeAbove(fact: Fact, other: Fact, weight: number): boolean {
  return [...fact.above].some(([root, own]) => own >= weight && holds(other, root) === 0 && !fact.own.has(root));
}

interface ValueDifference {
  readonly type: "differ";
  readonly kind: "value" | "date";
  readonly a: Amount;
  readonly b: Amount;
  readonly factor: number;
}

/** `incomparable`: they give values for different cases. `null`: no values of one kind. */
function compareAmounts(a: Fact, b: Fact, aligned: number): ValueDifference | { type: "agree" } | "incomparable" | null {
  const kinds = new Set(a.amounts.map(({ kind }) => kind).filter((kind) => b.amounts.some((other) => other.kind === kind)));
  const differing: { a: Amount; b: Amount }[] = [];
  let agreeing = 0;
  // A sentence beside may give the value for the same, unless this one is surely the counterpart.
  const isBeside = (one: Amount, other: Fact) => aligned < ALIGNED_MARKER && other.amountsAround.some((mine) => sameAmount(one, mine));
  for (const kind of kinds) {
    const ofA = a.amounts.filter((one) => one.kind === kind && isComparable(one, a));
    const ofB = b.amounts.filter((one) => one.kind === kind && isComparable(one, b));
    const leftA = ofA.filter((one) => !ofB.some((other) => matches(one, other, a, b)) && !isBeside(one, b));
    const leftB = ofB.filter((one) => !ofA.some((other) => matches(one, other, a, b)) && !isBeside(one, a));
    agreeing += ofA.length - leftA.length;
    if (leftA.length === 0 || leftB.length === 0) continue;
    if (leftA.length > 1 || leftB.length > 1) {
      const pair = bestPair(leftA, leftB, a, b);
      if (pair === null || aligned < ALIGNED_MARKER) return "incomparable";
      differing.push(pair);
    } else differing.push({ a: leftA[0] as Amount, b: leftB[0] as Amount });
  }
  const [first, ...more] = differing;
  if (more.length > 0) return "incomparable";
  if (first === undefined) return agreeing > 0 ? { type: "agree" } : null;
  if (!sameSlot(first.a, a, b) || !sameSlot(first.b, b, a) || first.a.per !== first.b.per) return "incomparable";
  if (otherSides(a, b)) return "incomparable";
  const { kind } = first.a;
  if (kind === "count" && countedBy(first.a, a) !== countedBy(first.b, b)) return "incomparable";
  if (kind === "percent" && shareOf(first.a, a) !== shareOf(first.b, b)) return "incomparable";
  const apart = strangeAbove(a, b, 0) && strangeAbove(b, a, 0);
  if (IDENTIFIERS.has(kind) && (aligned < ALIGNED_IDENTIFIER || apart)) return "incomparable";
  const [ownOfA, ownOfB] = [strangeAmounts(a, b), strangeAmounts(b, a)].map(
    (list) => list.filter((one) => IDENTIFIERS.has(one.kind)).length,
  );
  if (
    !IDENTIFIERS.has(kind) &&
    (kind === "time"
      ? (ownOfA ?? 0) + (ownOfB ?? 0) > 0 || aligned < ALIGNED_MARKER || (apart && !sharesIdentifier(a, b))
      : ownOfA && ownOfB)
  )
    return "incomparable";
  const qualified = [...strangeAmounts(a, b), ...strangeAmounts(b, a)].filter((one) => one !== first.a && one !== first.b).length;
  const named = strangeNames(a, b).length + strangeNames(b, a).length > 0 ? ONE_SIDED_NAME : 1;
  return { type: "differ", kind: kind === "date" ? "date" : "value", ...first, factor: QUALIFIED ** qualified * named };
}

/** Names of desks, forms and rules written as numbers. */
const NEVER_DIFFER: ReadonlySet<Amount["kind"]> = new Set(["code", "form"]);
const IDENTIFIERS: ReadonlySet<Amount["kind"]> = new Set(["code", "form", "phone"]);

const PLACE = /\b(?:outside|abroad|overseas|without)\b/i;

/** One holds before a date and the other after it, or one inside and the other outside: two cases of one rule. */
function otherSides(a: Fact, b: Fact): boolean {
  if (PLACE.test(a.reading.text) !== PLACE.test(b.reading.text)) return true;
  const [ofA, ofB] = [a, b].map(({ amounts }) => amounts.filter(({ kind, bound }) => kind === "date" && bound !== "none"));
  if (ofA === undefined || ofB === undefined || ofA.length === 0 || ofB.length === 0) return false;
  return !ofA.some((one) => ofB.some((other) => one.bound === other.bound));
}

/** "60% of the fees": of what; empty if it does not say. */
function shareOf({ end }: Amount, { reading, words }: Fact): string {
  if (!/^\sof\b/.test(reading.text.slice(end))) return "";
  return words.find(({ start }) => start >= end)?.root ?? "";
}

function sharesIdentifier(a: Fact, b: Fact): boolean {
  return a.amounts.some((one) => IDENTIFIERS.has(one.kind) && b.amounts.some((other) => sameAmount(one, other)));
}

/** A bare number counts something, or says nothing that can be compared. */
function isComparable(amount: Amount, fact: Fact): boolean {
  return !NEVER_DIFFER.has(amount.kind) && (amount.kind !== "count" || countedBy(amount, fact) !== null);
}

function matches(one: Amount, other: Amount, a: Fact, b: Fact): boolean {
  if (one.kind === "count" && countedBy(one, a) !== countedBy(other, b)) return false;
  return compatible(one, other);
}

const COUNTED_REACH = 16;

function countedBy({ start, end, bound }: Amount, { reading }: Fact): string | null {
  const word = reading.words.find((one) => one.start >= end);
  if (word !== undefined && word.start - end <= COUNTED_REACH) return word.root;
  // "Children under 13" counts nothing behind it; a number without a bound may be an address.
  if (bound === "none") return null;
  const before = reading.words.findLast((one) => one.end <= start);
  return before === undefined || start - before.end > COUNTED_REACH ? null : `before ${before.root}`;
}

/** Values that only one of two facts is limited to. */
function strangeAmounts(fact: Fact, other: Fact): Amount[] {
  const known = [...other.amounts, ...other.amountsAround, ...other.amountsAbove];
  return fact.amounts.filter((one) => !known.some((mine) => mine.kind === one.kind && compatible(one, mine)));
}

function aroundAmount({ start, end }: Amount, { words }: Fact): ContentWord[] {
  return [
    ...words.filter((word) => word.end <= start).slice(-LOCAL_WORDS),
    ...words.filter((word) => word.start >= end).slice(0, LOCAL_WORDS),
  ];
}

/** Are the words around a value those that the other fact speaks of? */
function sameSlot(amount: Amount, fact: Fact, other: Fact): boolean {
  const around = aroundAmount(amount, fact);
  let all = 0;
  let held = 0;
  for (const { root } of around) {
    const weight = fact.own.get(root) ?? 0;
    all += weight;
    held += weight * holds(other, root);
  }
  return all > 0 && held / all >= LOCAL_SHARE;
}

/** Of several values left on both sides the two whose surroundings are most alike, if no other two are as alike. */
function bestPair(leftA: readonly Amount[], leftB: readonly Amount[], a: Fact, b: Fact): { a: Amount; b: Amount } | null {
  if (leftA.length > 1 && leftB.length > 1) return null;
  const scored = leftA.flatMap((one) =>
    leftB.map((other) => ({ a: one, b: other, score: alike(aroundAmount(one, a), aroundAmount(other, b)) })),
  );
  scored.sort((x, y) => y.score - x.score);
  const [best, second] = scored;
  return best !== undefined && (second === undefined || best.score > second.score) ? best : null;
}

function alike(a: readonly ContentWord[], b: readonly ContentWord[]): number {
  return a.filter(({ root }) => b.some((other) => other.root === root)).length;
}

/** What only holds under a condition does not contradict what holds under another one. */
function sameConditions(a: Fact, b: Fact): boolean {
  const shared = (one: Fact, other: Fact) => {
    let all = 0;
    let held = 0;
    for (const { supposed, root } of one.words) {
      if (!supposed) continue;
      const weight = one.own.get(root) ?? 0;
      all += weight;
      held += weight * holds(other, root);
    }
    return all === 0 || held / all >= SAME_CONDITION;
  };
  const unless = (one: Fact) =>
    /\b(?:unless|except|other than|until)\b/i.test(one.reading.text.replaceAll(/other than (?:dis)?honorable/gi, ""));
  if (unless(a) !== unless(b)) return false;
  if (otherAmounts(a, b)) return false;
  return shared(a, b) && shared(b, a) && strangeAmounts(a, b).length + strangeAmounts(b, a).length === 0;
}

/** Both give values of one kind, and none of them is the same. */
function otherAmounts(a: Fact, b: Fact): boolean {
  return a.amounts.some(({ kind }) => {
    const others = b.amounts.filter((other) => other.kind === kind);
    return others.length > 0 && !a.amounts.some((one) => one.kind === kind && others.some((other) => compatible(one, other)));
  });
}

/** A word that one fact denies and the other affirms. */
function turnedDenial(a: Fact, b: Fact): { a: TextRange; b: TextRange } | null {
  return deniedIn(a, b) ?? swap(deniedIn(b, a));
}

/** A bare name or heading affirms nothing. */
const IS_SENTENCE =
  /\b(?:you|we|they|it|he|she|who|is|are|was|were|be|can|may|must|will|should|has|have|had|do|does|did)\b|['’](?:ll|re|ve)\b/i;

function deniedIn(denying: Fact, other: Fact): { a: TextRange; b: TextRange } | null {
  for (const word of denying.words) {
    if (!word.denied || word.supposed || !isDenied(word, denying) || !withinLimits(denying, other)) continue;
    if (scopeHeld(word.start, denying, other) < SAME_SCOPE) continue;
    const same = other.words.filter(({ root }) => root === word.root);
    const affirmed = same.find(({ negated, supposed }) => !negated && !supposed);
    if (!IS_SENTENCE.test(other.piece.text)) continue;
    if (affirmed === undefined || !affirmsAlike(word, denying, affirmed, other)) continue;
    if (same.some(({ negated }) => negated)) continue;
    if (denying.words.some(({ root, negated, supposed }) => root === word.root && !negated && !supposed)) continue;
    return { a: word, b: affirmed };
  }
  return null;
}

const LAST_NEGATOR =
  /(\b(?:not|no|never|none|neither|nor|without|cannot|unable)\b|n['’]t\b)(?!.*(?:\b(?:not|no|never|none|neither|nor|without|cannot|unable)\b|n['’]t\b))/iu;
const NEGATOR_REACH = 48;

/** Does the negation act on this word: not on a duty ("needn't"), not on a thing further ahead ("no income who meet …")? */
function isDenied({ start }: ContentWord, { reading, stances }: Fact): boolean {
  const before = reading.text.slice(Math.max(0, start - NEGATOR_REACH), start);
  const match = LAST_NEGATOR.exec(before);
  if (match === null) return false;
  const at = start - before.length + match.index;
  if (stances.some(({ start: from, end }) => at >= from && at < end)) return false;
  if (/\b(?:likely as|or)\s+$/i.test(before.slice(0, match.index))) return false;
  const between = before.slice(match.index + match[0].length);
  if (/^(?:no|none|without)$/i.test(match[0])) return /^\s*$/.test(between) && !/\bor\s+$/i.test(before.slice(0, match.index));
  return !/\b(?:that|which|who|before|after|if|when|because)\b/i.test(between);
}

const IDENTITY = /\b(?:is|are|was|were)(?:n['’]t|\s+not)\s+(?:a|an|the)\s+(?:\S+\s+){0,3}$/i;
const IS_A = /\b(?:is|are|was|were)\s+(?:a|an|the)\s+(?:\S+\s+){0,3}$/i;
const MAY_NOT = /(?<!\b(?:you|we|they) )\b(?:may|might) not\s+(?:\S+\s+){0,2}$/i;
const MAY = /\b(?:may|might)\s+(?:\S+\s+){0,2}$/i;

/** "Is no claim exam" contradicts "is a claim exam", not a mention of claim exams; what may not be may be all the same. */
function affirmsAlike(denied: ContentWord, denying: Fact, affirmed: ContentWord, other: Fact): boolean {
  const before = denying.reading.text.slice(0, denied.start);
  const instead = other.reading.text.slice(0, affirmed.start);
  if (IDENTITY.test(before) && !IS_A.test(instead)) return false;
  return !(MAY_NOT.test(before) && MAY.test(instead));
}

/** Are the words behind a place, to the end of the clause, those of the other fact: is it denied of the same? */
function scopeHeld(from: number, fact: Fact, other: Fact): number {
  const behind = fact.reading.text.slice(from);
  const stop = /[;.!?](?:\s|$)|,\s(?:but|because|if|unless|which|and)\b/.exec(behind);
  const to = from + (stop?.index ?? behind.length);
  let all = 0;
  let held = 0;
  for (const { root, start } of fact.words) {
    if (start < from || start >= to) continue;
    const weight = fact.own.get(root) ?? 0;
    all += weight;
    held += weight * holds(other, root);
  }
  return all === 0 ? 1 : held / all;
}

function swap<T>(pair: { a: T; b: T } | null): { a: T; b: T } | null {
  return pair === null ? null : { a: pair.b, b: pair.a };
}

/** "only if" against "even if" is a contradiction by itself; "before" against "after" often tells two cases apart. */
const STRONG_PAIRS: ReadonlySet<string> = new Set([
  "only if",
  "only when",
  "even if",
  "even when",
  "even though",
  "regardless of",
  "always",
  "never",
]);
const SAME_OBJECT = 2;

function turnedMarker(a: Fact, b: Fact): { a: TextRange; b: TextRange; strong: boolean } | null {
  for (const one of a.reading.markers) {
    const others = b.reading.markers.filter((other) => anchoredAlike(one, other));
    const turned = others.find(({ side }) => side !== one.side);
    if (turned === undefined || others.some(({ side }) => side === one.side)) continue;
    const strong = [a.reading.text.slice(one.start, one.end), b.reading.text.slice(turned.start, turned.end)].every((text) =>
      STRONG_PAIRS.has(text.toLowerCase()),
    );
    return { a: one, b: turned, strong };
  }
  return null;
}

function anchoredAlike(one: Marker, other: Marker): boolean {
  if (one.pair !== other.pair) return false;
  // "Before 2018 …" and "after 2018 …" tell two cases apart.
  if (one.quantity !== null || other.quantity !== null) return false;
  return one.roots.filter((root) => other.roots.includes(root)).length >= Math.min(SAME_OBJECT, one.roots.length, other.roots.length);
}

const EXCLUDE: readonly (readonly [string, string])[] = [
  ["must", "free"],
  ["down", "same"],
  ["up", "same"],
  ["up", "down"],
  ["once", "often"],
];

/** "must" against "need not", "goes down" against "stays the same", of the same. */
function turnedStance(a: Fact, b: Fact): { a: TextRange; b: TextRange; negators: number } | null {
  for (const one of a.stances) {
    const others = b.stances.filter((other) => other.family === one.family && actsAlike(one, a, other, b));
    const turned = others.find((other) =>
      EXCLUDE.some((pair) => pair.includes(one.side) && pair.includes(other.side) && one.side !== other.side),
    );
    if (turned === undefined || others.some(({ side }) => side === one.side)) continue;
    if (one.family === "duty") {
      const held = [scopeHeld(one.end, a, b), scopeHeld(turned.end, b, a)];
      const free = one.side === "free" ? a : b;
      if (Math.max(...held) < SAME_SCOPE || Math.min(...held) < SAME_DUTY || !withinLimits(free, free === a ? b : a)) continue;
    }
    const negatorsOf = (fact: Fact, { start, end }: Stance) => fact.reading.text.slice(start, end).match(NEGATOR)?.length ?? 0;
    return { a: one, b: turned, negators: negatorsOf(a, one) - negatorsOf(b, turned) };
  }
  return null;
}

function actsAlike(one: Stance, a: Fact, other: Stance, b: Fact): boolean {
  const wordOf = ({ start, end }: Stance, { words }: Fact, before: boolean) =>
    before ? words.filter((word) => word.end <= start).at(-1)?.root : words.find((word) => word.start >= end)?.root;
  if (one.family === "repetition") return true;
  const before = one.family === "change";
  const [x, y] = [wordOf(one, a, before), wordOf(other, b, before)];
  return x !== undefined && x === y;
}

/** Rows contradict each other when header and all cells but one are the same. */
function compareRows(a: Fact, b: Fact): Comparison | null {
  if (a.piece.type !== b.piece.type || a.piece.above.at(-1) !== b.piece.above.at(-1)) return null;
  if (otherYears(a, b) || (strangeAbove(a, b, 0) && strangeAbove(b, a, 0))) return null;
  const [cellsA, cellsB] = [a.piece.text.split("|"), b.piece.text.split("|")];
  if (cellsA.length !== cellsB.length || cellsA[0]?.trim() !== cellsB[0]?.trim()) return null;
  const at = cellsA.flatMap((cell, i) => (cell.trim() === cellsB[i]?.trim() ? [] : [i]));
  const column = at[0];
  if (column === undefined) return { type: "agree", certainty: 1 };
  if (at.length > 1) return null;
  const [rangeA, rangeB] = [cellRange(cellsA, column), cellRange(cellsB, column)];
  const inside = (fact: Fact, { start, end }: TextRange) => fact.amounts.filter((one) => one.start >= start && one.end <= end);
  const [ofA, ofB] = [inside(a, rangeA), inside(b, rangeB)];
  const [one, other] = [ofA[0], ofB[0]];
  if (one === undefined || other === undefined || ofA.length > 1 || ofB.length > 1 || one.kind !== other.kind || compatible(one, other))
    return null;
  return { type: "differ", kind: one.kind === "date" ? "date" : "value", certainty: 0.7, a: one, b: other };
}

function cellRange(cells: readonly string[], column: number): TextRange {
  const start = cells.slice(0, column).reduce((sum, cell) => sum + cell.length + 1, 0);
  return { start, end: start + (cells[column] ?? "").length };
}
