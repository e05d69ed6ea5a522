import type { TextRange } from "../shared/types.ts";
import { onceEach } from "../text/numbers.ts";
import { words } from "../text/tokens.ts";
import { LABELS, valuesIn } from "./values.ts";

/** Regular expression source for auxiliaries that open a yes/no question. */
export const AUXILIARY = "(?:can|could|may|must|should|shall|will|would|do|does|did|is|are|was|were|am|has|have)";
/** Regular expression source for conjunctions at the start of a clause. */
export const JOINED = String.raw`^\W*(?:(?:so|also|then|and|or|but|plus)\W+)*`;
const CLAUSE_SUBJECT = "(?:i|we|you|he|she|they|it|my|our|the|a|an|there|this|that)";
const FIRST = new RegExp(String.raw`${JOINED}(?:how|what|whats|when|where|who|whom|whose|which|why|${AUXILIARY})\b`, "i");
const LATER = new RegExp(
  String.raw`${JOINED}(?:(?:how|what|why)\b|(?:when|where|who|which)\s+(?:[a-z'’-]+\s+)?${AUXILIARY}\b|${AUXILIARY}\s+${CLAUSE_SUBJECT}\b)`,
  "i",
);
const BETWEEN = /[?!.;:]+(?=\s|$)|,|\b(?=(?:and|but|also|plus|or)\b)/giu;

/** A clause of a message, split at punctuation and conjunctions. */
export interface Clause extends TextRange {
  readonly text: string;
  /** True if the clause begins like a question. */
  readonly asks: boolean;
  /** Punctuation before and after the clause. */
  readonly before: string;
  readonly behind: string;
}

/** Returns the clauses of a message in order, without those that have no letter. */
export function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = [];
  let [start, before] = [0, ""];
  for (const { 0: mark, index: end } of [...text.matchAll(BETWEEN), { 0: "", index: text.length }]) {
    const clause = text.slice(start, end);
    const last = clauses.at(-1);
    if (/\p{L}/u.test(clause)) {
      const asks = (last === undefined ? FIRST : LATER).test(clause);
      clauses.push({ start, end, text: clause, asks, before, behind: mark });
      before = mark;
    } else {
      before += mark;
      if (last !== undefined) clauses[clauses.length - 1] = { ...last, behind: before };
    }
    start = end + mark.length;
  }
  return clauses;
}

/** Question types with their patterns. The first match wins, so narrower types come first. */
const TYPES = [
  ["which-form", /\b(?:(?:which|what)(?:\s+[\p{L}-]+){0,3}\s+forms?|forms?\s+number|(?:which|what)\s+paperwork)\b/iu],
  [
    "how-long",
    /\bhow\s+(?:long|soon|(?:many|much)\s+(?:\w+\s+)?(?:days?|weeks?|months?|years?|hours?|minutes?|time))\b|\b(?:deadline|time\s+limit)\b/iu,
  ],
  ["how-many", /\bhow\s+(?:many|often|old|far)\b/iu],
  [
    "how-much",
    /\bhow\s+much\b|\bwhat(?:'s|\s+is|\s+are)?\s+the\s+(?:cost|price|amount|rate|maximum|max|most|percentage)\b|\bwhat\s+(?:percent|rating)/iu,
  ],
  ["how-do-i", /\bhow\s+(?:do|can|could|should|would|to|does\s+(?:one|someone|a))\b|\b(?:steps|way)\s+to\b/iu],
  [
    "list",
    /\b(?:list|name)\s+(?:of|all|the|every)\b|\bwhat\s+are\s+(?:all|the|some)\b|\bwhich\s+\p{L}+s\b|\bwhat\s+(?:kinds?|types?|sorts?)\s+of\b/iu,
  ],
  ["when", /\b(?:when|what\s+(?:date|day|month|year|time))\b/iu],
  ["where", /\bwhere\b|\bwhat\s+(?:address|place)\b/iu],
  ["who", /\b(?:who|whom|whose)\b/iu],
  ["why", /\b(?:why|how\s+come|what\s+for)\b/iu],
  [
    "can-i",
    /(?:^|[,.;:!?]\s*|\b(?:so|and|but|or)\s+)(?:can|could|may|am|are|is|do|does|did|will|would|should|has|have|must)\s+(?!you\s+(?:tell|explain|help|list))[\p{L}']+/iu,
  ],
  [
    "definition",
    /\b(?:define|definition\s+of|meaning\s+of)\b|\bwhat\s+(?:does|do)\s+.{1,200}?\s(?:mean|stand\s+for)\b|^\W*what(?:'s|\s+(?:is|are))\s+(?:an?\s+)?(?!the\b|my\b|your\b|their\b)[\p{L}\d'&-]+(?:\s+[\p{L}\d'&-]+){0,2}\W*$/iu,
  ],
  ["what", /\b(?:what|which)\b/iu],
] as const;

/** Kind of answer that a question asks for; `other` if no pattern matches. */
export type QuestionType = (typeof TYPES)[number][0] | "other";

const SUBJECT = "(?:i|we|he|she|they|you|one|someone|somebody|people)";

/** Matches question phrases that name no topic, such as "how long" and "does": "how long does the review take" → "the review take". */
const FRAMES = new RegExp(
  [
    String.raw`\bhow\s+(?:long|much|many|often|soon|old|far|come)\b`,
    String.raw`\bhow\s+(?:do|can|could|should|would|does|did|will|to|is|are)\s+(?:${SUBJECT}\b)?(?:\s+(?:need|have)\s+to\b)?(?:\s+go\s+about\b)?`,
    String.raw`\b(?:what|who|where|when|why|which)(?:'s|\s+(?:is|are|was|were))?\b(?:\s+the\s+(?:best|easiest|right|quickest)\s+way\s+to\b)?`,
    String.raw`\b(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:tell|explain|show|help|give|list|say|clarify)\b(?:\s+(?:to\s+)?(?:me|us)\b)?`,
    String.raw`\b(?:please\s+)?(?:tell|show)\s+(?:me|us)\b(?:\s+(?:more|everything|something|all))?(?:\s+about\b)?`,
    String.raw`\b(?:please\s+)?give\s+me\b(?:\s+(?:information|info|details)\b)?(?:\s+(?:about|on)\b)?`,
    String.raw`\b(?:can|could|may|should|must|will|would|do|does|did|am|are|is)\s+${SUBJECT}\b(?:\s+(?:still|just|even|also|really)\b)?(?:\s+(?:need|have|get|hypothetical|allowed|able)\s+to\b)?`,
    String.raw`\b(?:does|did)\b`,
    String.raw`\b(?:have|has|need|needs)\s+to\b`,
    String.raw`\bis\s+(?:it\s+possible|there\s+(?:a|any)\s+way)\b(?:\s+(?:to|for|that)\b)?`,
    String.raw`\b${SUBJECT}(?:\s+am|'m|\s+was)?\s+(?:just\s+)?(?:wondering|curious|asking)\b(?:\s+(?:if|about|whether))?`,
    String.raw`\b${SUBJECT}(?:\s+would|'d)?\s+(?:want|like|need)\s+to\s+(?:know|find\s+out|understand|ask)\b(?:\s+(?:if|about|whether))?`,
    String.raw`\b(?:do|does)\s+(?:anyone|anybody|someone|you)\s+know\b(?:\s+(?:if|whether))?`,
    String.raw`\b(?:help\s+me|please|thanks|thank\s+you|hello|hi\s+there|hey|roughly\s+how|any\s+idea)\b`,
  ].join("|"),
  "giu",
);

const APOSTROPHES = /[’‘ʼ]/g;
const HAS_WORD = /[\p{L}\p{N}]/u;

/**
 * Returns the kind of answer that a question asks for, and the content of the question. The content is the text without
 * the phrases of `FRAMES`, or the whole question if no word would remain. Time is linear in the length of the question.
 */
export function readQuestion(text: string) {
  const plain = text.replaceAll(APOSTROPHES, "'");
  const type: QuestionType = TYPES.find(([, pattern]) => pattern.test(plain))?.[0] ?? "other";
  const content = plain.replaceAll(FRAMES, " ").replaceAll(/\s+/g, " ").trim();
  return { type, content: HAS_WORD.test(content) ? content : text };
}

/** Kinds of value, one bit each, so that one number can represent several kinds. */
export const VALUE_KINDS = {
  money: 1,
  percent: 2,
  duration: 4,
  date: 8,
  number: 16,
  form: 32,
  phone: 64,
  address: 128,
  name: 256,
} as const;

const { money, percent, duration, date, number, form, phone, address, name } = VALUE_KINDS;
const SPAN = "(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|decades?)";

/**
 * Phrases of questions, each with the kinds of value that it asks for. A value of any one of these kinds answers it.
 * Several rows may match one question: "what percent, and for how long".
 */
const ASKED: readonly (readonly [RegExp, number])[] = [
  [/\b(?:which|what)\s+(?:[\p{L}\d-]+\s+){0,3}(?:forms?|paperwork)\b|\bforms?\s+number\b/iu, form],
  [new RegExp(String.raw`\bhow\s+long\b|\bhow\s+(?:many|much)\s+(?:\w+\s+)?(?:${SPAN}|time)\b`, "iu"), duration],
  [/\bhow\s+(?:soon|quickly|fast)\b|\b(?:deadline|time\s+(?:limit|frame))\b/iu, duration | date],
  [/\bhow\s+much(?!\s+(?:\w+\s+)?(?:time|longer|days|months|years|weeks|hours)\b)/iu, money | percent | number],
  [
    /^(?!.*\b(?:when|where|who|whom|why|how\s+(?:long|soon|do|can|should|to))\b).*\b(?:costs?|price|fees?|copay|premiums?|payouts?|salary|wages?|allowance|stipend|payments?)\b|\b(?:what(?:'s|\s+is|\s+are|\s+was|\s+were)?|which)\s+(?:\S+\s+){0,3}(?:amounts?|costs?|price|rates?|fees?|maximum|max|most|limit|salary|revenue|total)\b|\bmax(?:imum)?\b|\brange\b/iu,
    money | percent | number,
  ],
  [/\bpercent(?:age)?s?\b|\bwhat\s+rating\b|\brating\s+(?:for|does|would|will|do)\b/iu, percent | number],
  [new RegExp(String.raw`\bhow\s+(?:many|far|big|large|tall)\b(?!\s+(?:\w+\s+)?${SPAN}\b)`, "iu"), number],
  [/\bhow\s+(?:old|often)\b/iu, number | duration],
  [
    /\bwhen(?:'s|\s+(?:is|are|was|were|do|does|did|will|would|can|could|should|must|to|has|have|had))\b|\bwhen\W*$|\bwhat\s+(?:date|day|month|year|time)\b/iu,
    date | duration,
  ],
  // The words "phone" and "address" alone do not match: "cancel over the phone" asks for no number, and "report a new
  // address" asks for no address.
  [/\b(?:tele)?phone\s+(?:numbers?|no\.)|\b(?:what|which)\s+number\b|\bwho(?:m)?\s+(?:do|can|should)\s+(?:i|we)\s+call\b/iu, phone],
  [
    /\b(?:what|which)(?:'s)?\s+(?:[^\s?]+\s+){0,3}(?<!(?:web|e-?mail)\s+)address\b|^\W*(?:postal\s+|mailing\s+)?address\s+(?:of|for)\b|\bwhere\s+(?:do|can|should|to)\s+(?:i\s+|we\s+)?(?:mail|send|fax|write)\b/iu,
    address,
  ],
  [/\b(?:who|whom|whose)\b/iu, name],
];

/**
 * Returns the kinds of value that a question asks for, as groups of bits. An answer needs a value of one kind from each
 * group. The result is empty if no phrase of `ASKED` matches. Time is linear in the length of the question.
 */
export function askedValues(question: string): number[] {
  const asked = question.slice(0, MAX_READ).replaceAll(/[’‘ʼ]/g, "'");
  return [...new Set(ASKED.filter(([pattern]) => pattern.test(asked)).map(([, kinds]) => kinds))];
}

const IN_WORDS: Readonly<Record<keyof typeof VALUE_KINDS, string>> = {
  money: "an amount of money",
  percent: "a percentage",
  duration: "a length of time",
  date: "a date",
  number: "a number",
  form: "a form's number",
  phone: "a phone number",
  address: "an address",
  name: "a name",
};

/** Describes a group of value kinds for display: "an amount of money, a percentage or a number". */
export function labelKinds(kinds: number): string {
  const all = Object.keys(VALUE_KINDS) as (keyof typeof VALUE_KINDS)[];
  const names = all.filter((kind) => (kinds & VALUE_KINDS[kind]) !== 0).map((kind) => IN_WORDS[kind]);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Maximum number of characters to analyse. No answering sentence is longer. */
const MAX_READ = 4_000;
/** Patterns of values that `valuesIn` does not find. */
const HELD: readonly (readonly [RegExp, number])[] = [
  [/\b(?:free|no\s+(?:cost|charge|fee))\b/i, money],
  [/\bpercent\b/i, percent],
  [new RegExp(String.raw`\b(?:an?|several|few)\s(?:\w{1,12}\s)?${SPAN}\b|\b(?:lifetime|permanent(?:ly)?|indefinitely)\b`, "i"), duration],
  [/\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i, date],
  [/(?:\b1[-. ])?\(?\b\d{3}\)?[-. ]\d{3}[-. ]\d{4}\b|\b\d{3}-\d{4}\b|\b911\b|(?<!\w)(?:\+|0)\d[\d ()-]{5,16}\d\b/, phone],
  [
    /\bp\.?\s?o\.?\s+box\s+\d|\b[A-Z]{2},?\s+\d{5}\b|\b\d{1,5}\s+(?:\p{L}+\s+){1,3}(?:street|st|avenue|ave|road|rd|drive|dr|boulevard|blvd|way|lane|nw|ne|sw|se)\b/iu,
    address,
  ],
  [/[\p{Ll},;:]["'”’)]?\s+["'“‘(]?\p{Lu}\p{Ll}/u, name],
];

/**
 * Returns the kinds of value that a text contains, as bits of `VALUE_KINDS`. The result is a hint for ranking, and may be
 * wrong. Time is linear in the length of the text.
 */
export function heldValues(text: string): number {
  const read = text.slice(0, MAX_READ);
  const kinds = HELD.reduce((sum, [pattern, kind]) => (pattern.test(read) ? sum | kind : sum), 0);
  const bits: Readonly<Partial<Record<string, number>>> = VALUE_KINDS;
  // Kinds without a bit of their own, such as lengths and times, count as numbers.
  return valuesIn(read).reduce((sum, { kind }) => sum | (bits[kind] ?? number), kinds);
}

/** Functions of the index that `askedWords` needs. */
export interface AskedWordsIndex {
  tokens(text: string): string[];
  /** Returns the tokens of a question without phrases that name no topic, such as "how do I". */
  questionTokens(question: string): string[];
}

/** A content word of a question as the user wrote it. */
export interface AskedWord {
  readonly word: string;
  readonly tokens: readonly string[];
}

/**
 * Checks whether a text contains a word of a question. The text needs one token of the word, or all tokens of a compound
 * such as "E-077".
 * @param has checks whether the text contains a token
 */
export function holdsWord({ word, tokens }: AskedWord, has: (token: string) => boolean): boolean {
  return words(word).length > 1 ? tokens.every(has) : tokens.some(has);
}

/**
 * Returns the content words of a question as written, with their tokens. If a word occurs several times, also in other
 * inflections, only its first occurrence is returned.
 */
export function askedWords(question: string, index: AskedWordsIndex): AskedWord[] {
  const asked = new Set(index.questionTokens(question));
  const found = question.split(/\s+/).map((word) => ({
    word: word.replaceAll(/^[^\p{L}\p{N}$]+|[^\p{L}\p{N}%]+$/gu, ""),
    tokens: index.tokens(word).filter((token) => asked.has(token)),
  }));
  const content = found.filter(({ word, tokens }) => word !== "" && tokens.length > 0);
  return onceEach(content, ({ tokens }) => tokens.join(" "));
}

/** Pattern of the number of a part of a document, as in "step 4", "clause 2.3", "section 5(b)" or "rule (d)". */
const PART_NUMBER = String.raw`\d{1,3}(?:\.\d{1,3})*(?:\s?\([\da-z]{1,4}\))*|\([\da-z]{1,4}\)`;
const NAMED = new RegExp(String.raw`(?<![\p{L}\p{N}$€£.,-])(?:(\p{L}+)\s+|§+\s?)?(${PART_NUMBER})(?![\p{L}\p{N}%]|[-.,]\p{N})`, "giu");
/** Matches the number at the start of a text: "4. Wait", "(b) A candidate", "2.3 The tenant", "Step 4: Wait", "Section 5(b)". */
const OPENING = new RegExp(
  // A single number without a sign after it is a quantity: "4 dogs".
  String.raw`^(?:\p{L}+\s|§+\s?)?(?:((?!\d+\s)${PART_NUMBER})(?=[\s.:–—]|$)|(\d{1,3}|[a-z]{1,4})(?=[.):]|\s?[–—]|$))`,
  "iu",
);

/** Matches names of numbered parts. A plain number refers to a part only after such a name: "step 4", but not "after 4 days". */
const PART_NAME = new RegExp(`^(?:${LABELS}|rule|clause|paragraph|item|(?:foot)?note)s?$`, "i");

/** Matches a question that is answered by yes or no. */
const ASKS_WHETHER = new RegExp(String.raw`${JOINED}${AUXILIARY}\b`, "i");

/** A part of a document that a question names by its number. */
export type AskedPart = NonNullable<ReturnType<typeof askedPart>>;

/** Returns the part of a document that a question names by its number; `null` if it names none or several. */
export function askedPart(question: string) {
  const found = [...question.matchAll(NAMED)].filter(
    // A plain number after any other word may be an amount or belong to a name: "keep data 2 years", "Basecamp 4".
    ([, word = "", number = ""]) => /\D/.test(number) || PART_NAME.test(word),
  );
  const [named] = found;
  if (named === undefined || found.length > 1) return null;
  const { 0: whole, 1: name = "", 2: number = "", index } = named;
  const [before, behind] = [question.slice(0, index), question.slice(index + whole.length)];
  const isVerb = !ASKS_WHETHER.test(before) && /^\s+\p{L}+[\s?.]*$/u.test(behind);
  return {
    /** Numbers of the enclosing parts, outermost first, then of the part itself: `["5", "b"]` for "section 5(b)". */
    numbers: numbersIn(number),
    /** The word before the number, such as "step"; empty without one. */
    name,
    /**
     * The question without the reference to the part ("clause 2.3"). If only a verb follows the reference, it is removed
     * too: "What does" for "What does clause 2.3 say?".
     */
    rest: isVerb ? before : before + behind,
  };
}

/**
 * Checks whether a candidate is the part that a question names. Compares the last numbers of the candidate, with and
 * without the numbers above it. For example, "(b) A tenant" below "Section 5" is the part `["5", "b"]`.
 * @param above headings and other texts above the candidate, outermost first
 * @param text the candidate
 */
export function isPart({ numbers }: AskedPart, above: readonly string[], text: string): boolean {
  const own = openingNumbers(text);
  const path = [...above.flatMap(openingNumbers), ...own];
  // An unnumbered text directly below a numbered heading belongs to the part with that number.
  const isNumbered = own.length > 0 || openingNumbers(above.at(-1) ?? "").length > 0;
  const shown = [path, own].map((one) => one.slice(-numbers.length));
  return isNumbered && shown.some((one) => one.length === numbers.length && one.every((number, i) => number === numbers[i]));
}

function openingNumbers(text: string): string[] {
  const [, levels, single] = OPENING.exec(text) ?? [];
  return numbersIn(levels ?? single ?? "");
}

/** Splits the number of a part into its levels: "5(b)" → `["5", "b"]`. A number with points is one level: "2.3" → `["2.3"]`. */
function numbersIn(text: string): string[] {
  return text.toLowerCase().match(/\d+(?:\.\d+)*|[a-z]+/g) ?? [];
}
