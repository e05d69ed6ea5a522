import type { TextRange } from "../shared/types.ts";
import { createStemmer, words } from "../text/tokens.ts";
import { isStated } from "./compare-values.ts";
import { type ContentWord, countNegators, createEnglishWords, createWordReader, type EnglishWords } from "./content-words.ts";
import { type Value, valuesIn } from "./values.ts";

/** Exact facts of a question. Two questions with a different fact have different answers. */
export type QuestionFacts = ReturnType<QuestionFactReader["read"]>;

interface Named {
  readonly text: string;
  /** Roots of the words of the name. Another question contains the name if it contains any of these roots. */
  readonly roots: readonly string[];
}

interface PackPhrase extends TextRange {
  readonly text: string;
  /** Indexes of the groups that contain the phrase. A group is an abbreviation with its long forms, or a list of synonyms. */
  readonly groups: readonly number[];
  /** True for an abbreviation, for its long forms, and for synonyms of either in the pack. */
  readonly isName: boolean;
  /** Roots of the content words of the phrase. */
  readonly roots: readonly string[];
}

/** The parts of a domain pack that decide which words have the same meaning. */
export interface FactSource {
  readonly title?: string;
  readonly hosts?: readonly string[];
  readonly abbreviations?: Readonly<Record<string, readonly string[]>>;
  readonly synonyms?: readonly (readonly string[])[];
  readonly entities?: readonly EntityPatterns[];
}

/** Patterns of an entity. Its value is `canonical` with `$&` replaced by the match, and `$1`–`$9` by groups of the pattern. */
export interface EntityPatterns {
  readonly type: string;
  readonly patterns: readonly string[];
  readonly canonical: string;
}

/** Returns a function that finds entities. @param spell changes the matched parts that a value contains */
export function createEntityReader(entities: readonly EntityPatterns[], spell = (part: string) => part) {
  const all = entities.flatMap(({ type, canonical, patterns }) =>
    patterns.map((source) => ({ type, canonical, pattern: new RegExp(source, "giu") })),
  );
  return (text: string) =>
    all.flatMap(({ type, canonical, pattern }) =>
      [...text.matchAll(pattern)].map((match) => ({
        ...{ type, text: match[0] },
        value: canonical.replaceAll(/\$([&1-9])/g, (_, n: string) => spell(n === "&" ? match[0] : (match[Number(n)] ?? ""))),
      })),
    );
}

export type QuestionFactReader = ReturnType<typeof createQuestionFactReader>;

/** Maximum number of characters to analyse. The rest of a longer question is ignored. */
const MAX_CHARACTERS = 1000;

/** Creates a reader of exact facts for a domain. */
export function createQuestionFactReader(source: FactSource = {}, english: EnglishWords = createEnglishWords()) {
  const readWords = createWordReader(english);
  const book = createPhraseBook(source);
  const readEntities = createEntityReader(source.entities ?? []);
  // Words of the title and of the host state the subject of the whole domain, so they do not distinguish questions.
  const shared = [source.title ?? "", ...(source.hosts ?? []).slice(0, 1).map((host) => host.split(".").at(-2) ?? "")].join(" ");
  const ownRoots = new Set(readWords(shared).map(({ root }) => root));
  const isNamed = ({ root }: ContentWord) => !ownRoots.has(root);
  return {
    read(asked: string) {
      const question = asked.slice(0, MAX_CHARACTERS);
      const all = readWords(question);
      const phrases = book.find(question).map((phrase): PackPhrase => {
        return { ...phrase, roots: all.filter((word) => overlaps(phrase, word)).map(({ root }) => root) };
      });
      const values = valuesIn(question).filter((value) => !phrases.some((phrase) => /\d/.test(phrase.text) && overlaps(phrase, value)));
      const free = all.filter((word) => ![...phrases, ...values].some((range) => overlaps(range, word)));
      const found = readEntities(question).filter(({ text }) => /\d/.test(text));
      const codes = found.map(({ type, value }) => `${type} ${value}`.toLowerCase());
      const digits = [...question.matchAll(/\p{N}+/gu)]
        .map(({ 0: text, index: start }) => ({ text, root: text, roots: [text], start, end: start + text.length }))
        .filter((run) => ![...phrases, ...values, ...all].some((range) => overlaps(range, run)));
      return {
        ...{ question, values, negators: countNegators(question) },
        /** Abbreviations and synonyms of the domain pack that the question contains, in order. */
        phrases,
        /** Matches of the domain's entity patterns that contain a digit, as type and value, sorted: `va_form 21-526ez`. */
        codes: [...new Set(codes)].sort(),
        /** Proper names outside the phrases, and digits outside every value. */
        names: [...namesIn(all, new Set(free.filter(isNamed))), ...digits.map(({ text, roots }): Named => ({ text, roots }))],
        /** Lower-case words outside the phrases that are in no dictionary: names, abbreviations or misspellings. */
        unknown: free
          .filter((word) => isNamed(word) && !word.name && !isWord(word.text, english))
          .map(({ text, root }): Named => ({ text, roots: [root] })),
        /** Roots of all content words. Used to find a name of the other question, also if this one writes it in lower case. */
        roots: new Set([...all, ...digits].map(({ root }) => root)),
        /** Roots of the content words outside phrases and values. */
        freeRoots: new Set(free.map(({ root }) => root)),
        /** Content words outside phrases and values, in lower case, by root. */
        forms: new Map(free.map(({ root, text }) => [root, text.toLowerCase()])),
      };
    },
    /** Returns the question with every abbreviation of the pack in its long form. */
    spellOut: (question: string): string =>
      replaceRanges(question, book.find(question), ({ groups: [group = -1], isName }) => (isName ? book.longForm(group) : undefined)),
  };
}

/** Joins adjacent words of a proper name into one name. */
function namesIn(all: readonly ContentWord[], chosen: ReadonlySet<ContentWord>): Named[] {
  const found: { text: string; roots: string[] }[] = [];
  const isOfName = (word: ContentWord | undefined) => word?.name === true && chosen.has(word);
  for (const [at, word] of all.entries()) {
    if (!isOfName(word)) continue;
    const before = isOfName(all[at - 1]) ? found.pop() : undefined;
    found.push({ text: before === undefined ? word.text : `${before.text} ${word.text}`, roots: [...(before?.roots ?? []), word.root] });
  }
  return found;
}

/** Checks whether the dictionary contains the word. Ignores apostrophes ("whats") and a plural "s". */
function isWord(text: string, { isEnglish }: EnglishWords): boolean {
  const bare = text.replace(/'(?:s|d|ll|re|ve|m)?$/, "");
  return isEnglish(bare) || isEnglish(bare.replaceAll("'", "")) || (bare.endsWith("s") && isEnglish(bare.slice(0, -1)));
}

function overlaps(one: TextRange, other: TextRange): boolean {
  return one.start < other.end && other.start < one.end;
}

function replaceRanges<Range extends TextRange>(text: string, ranges: readonly Range[], by: (range: Range) => string | undefined): string {
  let written = "";
  let last = 0;
  for (const range of ranges) {
    written += text.slice(last, range.start) + (by(range) ?? text.slice(range.start, range.end));
    last = range.end;
  }
  return written + text.slice(last);
}

/** Matches a word between spaces, without the punctuation at its ends. */
const WORD = /[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/gu;

/** Finds the phrases of a pack in any inflection, the longest one at each position. */
function createPhraseBook({ abbreviations = {}, synonyms = [] }: FactSource) {
  const stem = createStemmer();
  const keysOf = (text: string) => words(text).map(({ text: word, code }) => (code ? word : stem(word)));
  const groups = [...Object.entries(abbreviations).map(([short, long]) => [...long, short]), ...synonyms];
  const nameGroups = Object.keys(abbreviations).length;
  const entries = new Map<string, Set<number>>();
  let longest = 0;
  groups.forEach((group, at) => {
    for (const phrase of group) {
      const keys = keysOf(phrase);
      longest = Math.max(longest, keys.length);
      const key = keys.join(" ");
      entries.set(key, (entries.get(key) ?? new Set()).add(at));
    }
  });
  // For each group, the abbreviations that share a phrase with it. A synonym of an abbreviation is treated like it.
  const namesOf = groups.map((group) =>
    group.flatMap((phrase) => [...(entries.get(keysOf(phrase).join(" ")) ?? [])].filter((at) => at < nameGroups)),
  );
  return {
    longForm: (group: number): string | undefined => groups[group]?.[0],
    find(text: string): Omit<PackPhrase, "roots">[] {
      const tokens = [...text.matchAll(WORD)].map(({ 0: word, index: start }) => ({ start, end: start + word.length, keys: keysOf(word) }));
      const found: Omit<PackPhrase, "roots">[] = [];
      for (let at = 0; at < tokens.length; at++) {
        for (let length = Math.min(longest, tokens.length - at); length > 0; length--) {
          const said = tokens.slice(at, at + length);
          const own = entries.get(said.flatMap(({ keys }) => keys).join(" "));
          if (own === undefined) continue;
          const all = [...new Set([...own].flatMap((group) => [...(namesOf[group] ?? []), group]))].sort((a, b) => a - b);
          const [start, end] = [(said[0] as TextRange).start, (said.at(-1) as TextRange).end];
          found.push({ start, end, text: text.slice(start, end), groups: all, isName: all.some((group) => group < nameGroups) });
          at += length - 1;
          break;
        }
      }
      return found;
    },
  };
}

/** A difference between two questions. */
export interface FactConflict {
  readonly rule: "values" | "codes" | "names" | "polarity" | "contrast";
  readonly detail: string;
}

/** Returns the first exact difference between two questions, or `null`. The order of the questions does not matter. */
export function findFactConflict(asked: QuestionFacts, stored: QuestionFacts): FactConflict | null {
  const textsOf = (items: readonly { readonly text: string }[]) =>
    items.length === 0 ? "nothing" : items.map(({ text }) => text).join(", ");
  const valuesOf = ({ question, values }: QuestionFacts) => values.map(({ start, end }) => ({ text: question.slice(start, end) }));
  const differ = (rule: "codes" | "values", one: string, other: string) => {
    return { rule, detail: `${rule} of this question: ${one}; ${rule} of the stored question: ${other}` };
  };
  if (asked.codes.join() !== stored.codes.join())
    return differ("codes", asked.codes.join(", ") || "none", stored.codes.join(", ") || "none");
  if (!holdSameValues(asked, stored)) return differ("values", textsOf(valuesOf(asked)), textsOf(valuesOf(stored)));
  if (asked.negators % 2 !== stored.negators % 2) return { rule: "polarity", detail: "only one of the questions is negated" };
  const [one, other] = [missing(asked, stored), missing(stored, asked)];
  // An unknown word in only one of the questions may be a misspelling or slang. It alone is no conflict.
  if ([...one, ...other].some(({ isNamed }) => isNamed) || (one.length > 0 && other.length > 0))
    return { rule: "names", detail: `named only in this question: ${textsOf(one)}; named only in the stored question: ${textsOf(other)}` };
  return findContrast(asked, stored);
}

/** Number of content words that two questions must share before one different word in each counts as a contrast. */
const SAME_WORDING = 2;

/**
 * Returns a contrast if two words with the same root are different words (`isFormOf`), or if the questions differ in only
 * one content word: "What day do they meet?", "What time do they meet?". The cross-encoder misses many such differences
 * (lab/train/cache/README.md).
 */
function findContrast(asked: QuestionFacts, stored: QuestionFacts): FactConflict | null {
  for (const [root, text] of asked.forms) {
    const its = stored.forms.get(root);
    if (its !== undefined && !isFormOf(text, its))
      return { rule: "contrast", detail: `this question says "${text}", the stored question says "${its}"` };
  }
  const common = [...asked.roots].filter((root) => stored.roots.has(root)).length;
  const [one, other] = [wordsMissing(asked, stored), wordsMissing(stored, asked)];
  if (common < SAME_WORDING || one.length !== 1 || other.length !== 1) return null;
  return { rule: "contrast", detail: `the questions differ in one word: "${one.join()}" here, "${other.join()}" in the stored one` };
}

/**
 * Minimum number of shared leading letters for a comparison of the endings. Two words with equal roots that share fewer
 * letters ("feet", "foot") count as forms of one word.
 */
const COMMON_START = 4;
/** `ADDED` matches endings that inflection adds to a word, `INSTEAD` endings of which one replaces another ("y" and "ies"). */
const ADDED = /^(?:e?s|e?d|ing|ren)?$/;
const INSTEAD = /^(?:e?s|e?d|ing|e|y|ies|ied)$/;

/**
 * Checks whether two words with the same root are inflected forms of one word: "card" and "cards". Many words with the
 * same root are different words: silicon and silicone, clarinet and clarinettist.
 */
function isFormOf(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  if (a === b || start < COMMON_START) return true;
  // A doubled letter is not part of the ending: "planning" ends in "ing", not "ning".
  const endOf = (word: string) =>
    word.slice(start + (word.length > start + 1 && word[start] === word[start - 1] ? 1 : 0)).replaceAll("'", "");
  const [one, other] = [endOf(a), endOf(b)];
  return one === "" || other === "" ? ADDED.test(one + other) : INSTEAD.test(one) && INSTEAD.test(other);
}

/** Returns the roots and pack phrases of question `of` that question `other` does not contain. */
function wordsMissing(of: QuestionFacts, other: QuestionFacts): string[] {
  const said = new Set(other.phrases.flatMap(({ groups }) => groups));
  const phrases = of.phrases.filter(
    ({ groups, roots }) => !groups.some((group) => said.has(group)) && !roots.every((root) => other.roots.has(root)),
  );
  return [...[...of.freeRoots].filter((root) => !other.roots.has(root)), ...phrases.map(({ text }) => text)];
}

/** Checks whether two questions have the same values, codes and number of negators. Ignores names. */
export function holdSameFacts(one: QuestionFacts, other: QuestionFacts): boolean {
  return one.codes.join() === other.codes.join() && one.negators === other.negators && holdSameValues(one, other);
}

function holdSameValues({ values: one }: QuestionFacts, { values: other }: QuestionFacts): boolean {
  const hold = (some: readonly Value[], all: readonly Value[]) => all.every((value) => some.some((own) => isSameValue(own, value)));
  return hold(one, other) && hold(other, one);
}

function isSameValue(a: Value, b: Value): boolean {
  if (a.bound !== b.bound) return false;
  return a.kind === "date" && b.kind === "date" ? a.low === b.low && a.high === b.high : isStated(a, b) || isStated(b, a);
}

/** Returns the names (`isNamed`) and unknown words of a question that the other does not contain. */
function missing(of: QuestionFacts, other: QuestionFacts) {
  const said = new Set(other.phrases.flatMap(({ groups }) => groups));
  const isMissing = ({ roots }: Named) => !roots.some((root) => other.roots.has(root));
  const phrases = of.phrases.filter(({ isName, groups }) => isName && !groups.some((group) => said.has(group)));
  return [
    ...[...phrases, ...of.names.filter(isMissing)].map(({ text }) => ({ text, isNamed: true })),
    ...of.unknown.filter(isMissing).map(({ text }) => ({ text, isNamed: false })),
  ];
}

/** Returns the Jaccard index of the values, codes and names of two questions; 1 if neither has any. */
export function entityJaccard(one: QuestionFacts, other: QuestionFacts): number {
  const alone = (a: QuestionFacts, b: QuestionFacts) =>
    missing(a, b).length +
    a.codes.filter((code) => !b.codes.includes(code)).length +
    a.values.filter((value) => !b.values.some((its) => isSameValue(value, its))).length;
  const size = ({ values, codes, names, unknown, phrases }: QuestionFacts) =>
    values.length + codes.length + names.length + unknown.length + phrases.filter(({ isName }) => isName).length;
  const [left, right] = [alone(one, other), alone(other, one)];
  const shared = Math.min(size(one) - left, size(other) - right);
  return shared + left + right === 0 ? 1 : shared / (shared + left + right);
}

/**
 * Returns the asked question with the synonyms of the stored one: where the two use different phrases of one group of the
 * domain pack, it takes the stored question's phrase.
 */
export function inWordsOf(stored: QuestionFacts, asked: QuestionFacts): string {
  return replaceRanges(
    asked.question,
    asked.phrases,
    ({ groups }) => stored.phrases.find((phrase) => phrase.groups.some((group) => groups.includes(group)))?.text,
  );
}
