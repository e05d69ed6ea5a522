import { isStated } from "../language/compare-values.ts";
import type { ContentWord, Reading } from "../language/content-words.ts";
import { clausesOf } from "../language/question.ts";
import type { ValueKind } from "../language/units.ts";
import type { Value } from "../language/values.ts";
import type { CheckSettings } from "../profiles/profile.ts";
import type { TextRange } from "../shared/types.ts";
import { cellsOf } from "../text/units.ts";
import { checkCells, tablesOf } from "./cells.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";
import {
  type Alignment,
  align,
  doubtOf,
  excepts,
  isBound,
  isWithin,
  type Misplaced,
  negatorsIn,
  type Part,
  type Reader,
  type Statement,
  wholeOf,
  wordsOf,
} from "./statements.ts";
import { bears, checkValues, isSpelledCount, statedValues } from "./values.ts";

/** A claim aligned with its cited quotes. */
export type ClaimFacts = ReturnType<typeof alignClaim>;

/** Prepares a sentence for `checkClaim`: compares its words with those of the cited quotes. */
export function alignClaim(text: string, quotes: readonly CitedQuote[], question: string, settings: CheckSettings, reader: Reader) {
  const asked = reader.read(question);
  const statements = quotes.flatMap((quote) => reader.statements(quote));
  return {
    alignment: align(reader.read(text), statements, asked.roots),
    question: asked,
    /** Labels of the cited documents' host names: `www`, `va`, `gov` for `https://www.va.gov`. */
    publishers: new Set(quotes.flatMap(({ url }) => URL.parse(url ?? "")?.hostname.split(".") ?? [])),
    /** Tables with cited rows. */
    tables: tablesOf(quotes, reader),
    settings,
  };
}

/** Runs the checks of a claim that the profile asks for, in report order. Without citations, only the check of values runs. */
export function checkClaim({ alignment, question, publishers, tables, settings: { values, claims } }: ClaimFacts): Finding[] {
  const ofValues = values === "off" ? [] : [checkValues(alignment, question, values)];
  if (claims === "off" || alignment.statements.length === 0) return ofValues;
  const found = [checkCells(alignment, tables), checkPairing(alignment), checkEntities(alignment, publishers, claims)];
  return [...ofValues, ...found.filter((one) => one !== null)];
}

const FITS = 0.5;
/**
 * A name counts as misattributed only if a quoted sentence without the name covers the claim's words near the name
 * better than every quoted sentence with the name does, by at least this much.
 */
const MARGIN = 0.3;
/**
 * A name counts as correct if a quoted sentence with the name covers at least this share of the claim's words near the
 * name. Sentences without the name are then ignored.
 */
const UNFIT = 0.45;
/** Only claims with more different words than this show what a name is about. */
const FEWEST_WORDS = 3;

/**
 * Finds names that no cited quote contains, and names that the quotes connect with something else.
 * @param publishers labels of the cited host names, in lower case; pages of these sites may say "we" instead of the name
 */
function checkEntities(alignment: Alignment, publishers: ReadonlySet<string>, mode: "remove" | "warn"): Finding {
  const { claim } = alignment;
  const names = claim.words.filter(({ name, root, text }) => name && !alignment.given(root) && !publishers.has(text));
  const enough = claim.roots.size > FEWEST_WORDS;
  const absent = names.filter((word) => !alignment.knows(word.root) && !isShortOrLong(word, alignment));
  const displaced = enough ? names.filter((word) => alignment.knows(word.root) && isDisplaced(word, alignment, publishers)) : [];
  const all = [...absent, ...displaced];
  if (all.length === 0) return finding("entities", "pass", 1, "names what the cited quotes name");
  const listed = (words: readonly ContentWord[]) => [...new Set(words.map(({ text }) => text))].join(", ");
  const reasons = [
    absent.length === 0 ? null : `not in the cited quotes: ${listed(absent)}`,
    displaced.length === 0 ? null : `the cited quotes say this of something other than ${listed(displaced)}`,
  ].filter((reason) => reason !== null);
  return finding("entities", mode === "remove" ? "fail" : "warn", 0, reasons.join("; "), all);
}

/**
 * Returns whether a quoted sentence says the rest of the claim about another name, while the quoted sentences with this
 * name hardly cover that rest.
 */
function isDisplaced(word: ContentWord, alignment: Alignment, publishers: ReadonlySet<string>): boolean {
  const { near, close, statements, claim } = alignment;
  const scores = near(word);
  const closeScores = close(word);
  const holding = statements.flatMap(({ roots, above, beside }, i) =>
    [roots, above, beside].some((where) => where.has(word.root)) ? [i] : [],
  );
  const fit = Math.max(0, ...holding.map((i) => scores[i] as number));
  const closeFit = Math.max(0, ...holding.map((i) => closeScores[i] as number));
  if (fit >= UNFIT) return false;
  return statements.some((statement, i) => {
    const score = scores[i] as number;
    if (holding.includes(i) || score < FITS || score - fit < MARGIN || (closeScores[i] as number) < closeFit) return false;
    return statement.words.some(({ name, root }) => name && !claim.roots.has(root)) || (publishers.size > 0 && WE.test(statement.text));
  });
}

/** Matches words by which a site refers to itself. */
const WE = /\b(?:we|us|our)\b/i;

/** Returns whether the quotes contain the name in another form: spelled out, if it is an acronym such as "PMC", or else as an acronym. */
function isShortOrLong(word: ContentWord, { claim, statements }: Alignment): boolean {
  const written = claim.text.slice(word.start, word.end);
  if (/^\p{Lu}{2,8}s?$/u.test(written)) {
    const letters = written.replace(/s$/, "").toLowerCase();
    return statements.some((statement) => initialsOf(statement.words).includes(letters));
  }
  const run = nameRun(word, claim.words, claim.text);
  const initials = initialsOf(run);
  return run.length >= 2 && statements.some(({ words }) => words.some(({ text }) => text === initials));
}

function initialsOf(words: readonly ContentWord[]): string {
  return words.map(({ text }) => text.charAt(0)).join("");
}

/** Returns the full name that a word belongs to: adjacent name words, with only blanks or small words such as "of" between. */
function nameRun(word: ContentWord, words: readonly ContentWord[], text: string): ContentWord[] {
  const at = words.indexOf(word);
  let from = at;
  let to = at;
  const joined = (a: number, b: number) => /^(?:\s|of|for|and|the|'s|’s)*$/.test(text.slice(words[a]?.end, words[b]?.start));
  while (words[from - 1]?.name === true && joined(from - 1, from)) from--;
  while (words[to + 1]?.name === true && joined(to, to + 1)) to++;
  return words.slice(from, to + 1);
}

/**
 * Part of a quoted sentence that is about one of several things: "children pay 4 euros" in "Adults pay 9 euros and
 * children pay 4 euros".
 */
type Segment = ReturnType<typeof segmentOf>;

const DELIMITER = /[,;:](?=\s)|—|\s–\s|\b(?:and|but|or|while|whereas)\b/giu;
/** Matches a relative clause, which continues with the same subject: "3,310 lamps, of which 2,640 went home repaired". */
const RELATES = /^\s*(?:\p{L}+\s+){0,2}(?:which|whom|who|whose)\b/iu;
/** Matches text between a value and its reference unit, such as "a" in "$2 a day". */
const JOINS_UNIT = /^\s*(?:an?|per|each|every|\/)\s*$/iu;

/**
 * Splits a sentence at punctuation or conjunctions between two values of one kind, if a content word is between them
 * too. Returns an empty list if nothing is split.
 */
function segmentsOf(sentence: Reading, kind: ValueKind): Segment[] {
  // Skip spelled numbers, because they rarely distinguish two things: "the boundary between the two".
  const values = statedValues(sentence).filter((value) => value.kind === kind && !isSpelledCount(value, sentence.text));
  const cuts = values.slice(1).flatMap((next, i) => cutBetween(values[i] as Value, next, sentence) ?? []);
  if (cuts.length === 0) return [];
  const ranges = [...cuts, { start: sentence.text.length, end: 0 }].map(({ start }, i) => ({ start: cuts[i - 1]?.end ?? 0, end: start }));
  return ranges.map((range) => segmentOf(range, values, sentence));
}

/**
 * Returns the range from the first to the last delimiter between two values; `null` if the values stay in one segment.
 * The words inside that range may belong to either value, so no segment gets them.
 */
function cutBetween(one: Value, next: Value, { text, words }: Reading): TextRange | null {
  const between = { start: one.end, end: next.start };
  if (!words.some((word) => isWithin(word, between))) return null;
  const found = [...text.slice(between.start, between.end).matchAll(DELIMITER)];
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return null;
  const end = between.start + last.index + last[0].length;
  return RELATES.test(text.slice(end, between.end)) ? null : { start: between.start + first.index, end };
}

function segmentOf(range: TextRange, all: readonly Value[], sentence: Reading) {
  const { words, text } = sentence;
  /** Values in this segment, of the kind at which the sentence is split. */
  const values = all.filter((value) => isWithin(value, range));
  const [first, last] = [values[0] as Value, values.at(-1) as Value];
  const isAlone = ({ root }: ContentWord) => words.every((word) => word.root !== root || isWithin(word, range));
  const isOfValue = (word: ContentWord) =>
    values.some(({ start, end }) => (word.start < end && word.end > start) || JOINS_UNIT.test(text.slice(end, Math.max(end, word.start))));
  /** Words that occur in no other segment and belong to no value. */
  const own = words.filter((word) => isWithin(word, range) && isAlone(word) && !isOfValue(word));
  const before = own.filter(({ end }) => end <= first.start).slice(-1);
  const behind = own.filter(({ start }) => start >= last.end).slice(0, 1);
  const between = own.filter(({ start, end }) => start >= first.end && end <= last.start);
  /** Values of other kinds that no other part of the sentence contains. */
  const valuesBesides = sentence.values.filter(
    (value) => isWithin(value, range) && !all.includes(value) && sentence.values.every((one) => one === value || !isStated(one, value)),
  );
  // `beside`: words next to the segment's values or between them.
  return { ...range, values, valuesBesides, own, beside: [...before, ...behind, ...between] };
}

/** A value that the claim gives to the subject of another segment. */
interface Mispaired extends Misplaced {
  /** The segment to whose subject the claim gives the value. */
  readonly other: Segment;
  readonly spans: readonly Value[];
  /** Word roots that name the subject of `other`. A quoted sentence that contains one of them and the value supports the claim. */
  readonly telling: readonly string[];
}

/** Matches a full stop at the end of a sentence, except that of "p.m.". */
const CLOSES = /(?<!\.\p{L})\.$/u;
const COMPARES = /\bthan\b/iu;

/**
 * Checks whether a claim combines a value with the wrong part of a cited sentence: "adults pay 4 euros" from "Adults
 * pay 9 euros and children pay 4 euros". Splits the cited sentence into segments, each with its own value. Reports a
 * value if the claim shares no word with that value's segment, but shares words with another segment whose value it
 * omits. Skips negations, comparisons, exceptions, values with another bound, and claims that another cited sentence
 * supports.
 */
function checkPairing({ claim, given, statements }: Pick<Alignment, "claim" | "given" | "statements">): Finding | null {
  if (statedValues(claim).length === 0) return null;
  const found = excepts(claim) ? [] : statements.map((statement) => mispairedBy(statement, claim, given));
  // A quoted sentence whose values the claim pairs wrongly cannot support the claim, so leave it out.
  const others = statements.filter((_, i) => found[i]?.length === 0);
  const doubted = found.flat().filter((one) => !others.some((statement) => saysTheSame(statement, one, claim)));
  return doubtOf("pairing", doubted) ?? finding("pairing", "pass", 1, "pairs no value with another part of a cited sentence");
}

function saysTheSame(statement: Statement, { spans, telling }: Mispaired, claim: Reading): boolean {
  const { values, valuesAbove, roots, above } = statement;
  const isSaid = (value: Value) =>
    values.some((one) => bears(one, value, claim, statement)) || valuesAbove.some((one) => bears(one, value, claim, null));
  return spans.every(isSaid) && telling.some((root) => roots.has(root) || above.has(root));
}

function mispairedBy(statement: Statement, claim: Reading, given: Alignment["given"]): Mispaired[] {
  const { values, text } = statement;
  const shared = values.filter((stated) => claim.values.some((one) => isStated(one, stated)));
  if (values.length < 2 || shared.length === 0 || cellsOf(text).length > 1) return [];
  return [...new Set(shared.map(({ kind }) => kind))].flatMap((kind) => {
    const segments = segmentsOf(statement, kind);
    if (segments.length < 2) return [];
    const valuesIn = ({ range }: Part) => statedValues(claim).filter((value) => value.kind === kind && isWithin(value, range));
    const parts = partsOf(claim, segments, valuesIn).map((part) => {
      const said = valuesIn(part);
      return { said, found: said.length === 0 ? [] : mispairedIn(part, said, statement, segments, given) };
    });
    // A segment whose value another clause gives correctly belongs to that clause: "rest eight weeks before and twelve weeks
    // after a birth".
    const isStatedRightly = ({ values }: Segment) =>
      parts.some(({ said, found }) => found.length === 0 && said.some((one) => values.some((value) => isStated(one, value))));
    return parts.flatMap(({ found }) => found.filter(({ other }) => !isStatedRightly(other)));
  });
}

/**
 * Splits a claim into its clauses with values. Each of these must contain an own word of a segment, and no other clause
 * may. Otherwise, or if only one clause has values, returns the whole sentence as one part.
 */
function partsOf(claim: Reading, segments: readonly Segment[], valuesIn: (part: Part) => readonly Value[]): Part[] {
  const namesAny = (part: Part) => wordsOf(part).some((root) => segments.some(({ own }) => own.some((word) => word.root === root)));
  const clauses = clausesOf(claim.text).map((range) => ({ part: { claim, range }, names: namesAny({ claim, range }) }));
  const saying = clauses.filter(({ part }) => valuesIn(part).length > 0);
  const isParted = saying.length > 1 && clauses.every((clause) => clause.names === saying.includes(clause));
  return isParted ? saying.map(({ part }) => part) : [wholeOf(claim)];
}

/** Finds words of one segment that the claim combines with the values of another segment. */
function mispairedIn(
  part: Part,
  said: readonly Value[],
  statement: Statement,
  segments: readonly Segment[],
  given: Alignment["given"],
): Mispaired[] {
  const { claim, range } = part;
  if (negatorsIn(part) > 0 || COMPARES.test(claim.text.slice(range.start, range.end))) return [];
  const holds = ({ values }: Segment, one: Value) =>
    values.some((value) => isStated(one, value) && isBound(one, value) && bears(value, one, claim, statement));
  const holding = segments.filter((segment) => said.some((one) => holds(segment, one)));
  const [own] = holding;
  if (own === undefined || holding.length > 1 || !said.every((one) => holds(own, one))) return [];
  const roots = new Set(wordsOf(part));
  // Report nothing if the part may be about something that only the question names.
  if (own.own.length === 0 || own.own.some(({ root }) => !roots.has(root) && given(root))) return [];
  if (own.valuesBesides.some((value) => claim.values.some((one) => isWithin(one, range) && isStated(one, value)))) return [];
  const isSilentOfOwn = !own.own.some(({ root }) => roots.has(root));
  // A word that the quoted sentence lacks may paraphrase a word of the value's segment: "in winter" for October to March,
  // "kids" for children. Then report nothing.
  if ([...roots].some((root) => !statement.roots.has(root) && !statement.above.has(root))) return [];
  // The claim may also swap some of the first segment's own words for those of another: claim "DVDs cost $1", source
  // "Books cost $1, DVDs $2". Words kept from the first segment ("cost") then count as shared.
  const isSwapped = own === segments[0] && own.own.some(({ root }) => !roots.has(root));
  return segments.flatMap((other): Mispaired[] => {
    if (other === own) return [];
    // Words of the first segment may be the subject of all segments. Of these words, only those next to its value
    // surely belong to it alone.
    const naming = (other === segments[0] ? other.beside : other.own).filter(({ root }) => roots.has(root));
    if (naming.length === 0 || !(isSilentOfOwn || (isSwapped && other.own.every(({ root }) => roots.has(root))))) return [];
    const reason = reasonOf(own, other, naming as [ContentWord], statement);
    return [{ other, spans: said, reason, telling: naming.map(({ root }) => root) }];
  });
}

function reasonOf(own: Segment, other: Segment, [name]: readonly [ContentWord], { text, words }: Statement): string {
  const written = ({ start, end }: TextRange) => text.slice(start, end).replace(CLOSES, "");
  const valuesOf = ({ values }: Segment) => {
    const range = { start: (values[0] as Value).start, end: (values.at(-1) as Value).end };
    const isOfNone = (word: ContentWord) => values.every(({ start, end }) => word.end <= start || word.start >= end);
    return words.some((word) => isWithin(word, range) && isOfNone(word)) ? values.map(written).join(", ") : written(range);
  };
  const [beside] = own.beside;
  const at = beside === undefined ? "elsewhere" : `with "${written(beside)}"`;
  return `"${valuesOf(own)}" stands ${at} in the cited sentence; with "${written(name)}" stands "${valuesOf(other)}"`;
}
