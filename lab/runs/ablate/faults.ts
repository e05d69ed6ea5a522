import type { Random } from "../../../src/grading/metrics.ts";
import type { TextRange } from "../../../src/shared/types.ts";
import { splitSentences } from "../../../src/text/sentences.ts";

/** Categories in which the source design counts fabrications. */
export const FAULT_CATEGORIES = ["hallucination", "number", "citation", "url"] as const;
export type FaultCategory = (typeof FAULT_CATEGORIES)[number];

/** A fault with the data to recognise it in a shown answer. */
export type Fault =
  /** An invented claim, a changed negation, name or number. `key`: the changed words with their neighbours, normalised by `plainWords`. */
  | { readonly type: "claim" | "negation" | "entity" | "number"; readonly key: string }
  /** `key`: host and path in lower case. */
  | { readonly type: "url"; readonly key: string }
  /** A citation number without a quote. */
  | { readonly type: "nowhere"; readonly number: number }
  /** A citation of another quote, which does not support the sentence. */
  | { readonly type: "swapped"; readonly instead: string };

/** A sentence of the scripted model with its ground truth. */
export interface WrittenSentence {
  /** Without citation markers. */
  readonly text: string;
  readonly cites: readonly number[];
  /** The quote (by number) and its sentence that the text was taken from; `null`: invented. */
  readonly from: { readonly quote: number; readonly statement: string } | null;
  /** The fault; `null`: faithful. */
  readonly fault: Fault | null;
}

export function categoryOf({ type }: Fault): FaultCategory {
  if (type === "number" || type === "url") return type;
  return type === "nowhere" || type === "swapped" ? "citation" : "hallucination";
}

/** Reduces a text to its words and figures. */
export function plainWords(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^\p{L}\p{N}%$]+/gu, " ")
    .trim();
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** A changed sentence and the range of the change. */
interface Changed {
  readonly text: string;
  readonly at: TextRange;
}

/** Number of words on each side of a change that identify it. */
const WINDOW = 3;
/** Share of a sentence's words in another quote from which that quote may support it. */
const SAME_MATTER = 0.4;

/** Claims that are plausible in any answer and in no document. */
const CLAIMS = [
  "Your local office can waive this requirement on request.",
  "You can appoint a second representative at no cost.",
  "Payments go on without a break while a review is pending.",
  "You may apply again as often as you like, and no new evidence is needed.",
  "An online chat with a claims specialist is open around the clock for this.",
  "Your spouse can sign the form for you without a power of attorney.",
  "Most people who ask for this are approved at the first attempt.",
  "A phone call is enough to stop the deadline from running.",
];
const CLAUSES = [
  ", and no proof is needed for this",
  ", even if the deadline has passed",
  ", and your parents can get the same",
  ", which a caseworker will fill in for you",
  ", unless you live outside the state",
  ", and this never affects other payments",
];
const NUMBER_CLAIMS: readonly ((random: Random) => string)[] = [
  (random) => `The payment for this is $${1 + Math.floor(random() * 8)},${100 + Math.floor(random() * 900)} a month.`,
  (random) => `A decision takes ${21 + Math.floor(random() * 160)} days on average.`,
  (random) => `The usual rating for this is ${10 * (1 + Math.floor(random() * 9))}%.`,
  (random) => `You must apply within ${2 + Math.floor(random() * 9)} years.`,
];
const NAMES = ["the Social Security Administration", "Medicare", "the Department of Labor", "the Coast Guard Reserve"];
const PATHS = ["benefits/fast-track", "claims/quick-form", "apply/online-guide", "rates/current-table", "help/checklist"];
const FOREIGN_HOSTS = ["www.claims-help.example.org", "benefits-guide.example.com", "www.official-forms.example.net"];

/** Makes one fault of a category in a faithful sentence, else adds a faulty one; returns the draft unchanged if neither is possible. */
export function inject(
  category: FaultCategory,
  draft: readonly WrittenSentence[],
  quotes: readonly string[],
  host: string,
  random: Random,
): WrittenSentence[] {
  const around = { quotes, known: quotes.map(plainWords).join(" | "), host, random };
  const places = shuffled(
    draft.flatMap((sentence, at) => (sentence.fault === null && sentence.from !== null ? [{ sentence, at }] : [])),
    random,
  );
  for (const make of attemptsAt(category, random)) {
    for (const { sentence, at } of places) {
      const faulty = make(sentence, around);
      if (faulty !== null && splitSentences(faulty.text).length === 1) return draft.with(at, faulty);
    }
  }
  const added = addSentence(category, around);
  const at = 1 + Math.floor(random() * draft.length);
  return added === null ? [...draft] : [...draft.slice(0, at), added, ...draft.slice(at)];
}

interface Surroundings {
  readonly quotes: readonly string[];
  /** Normalised words of all quotes; text found there is not a fabrication. */
  readonly known: string;
  readonly host: string;
  readonly random: Random;
}
type MakeFault = (sentence: WrittenSentence, around: Surroundings) => WrittenSentence | null;

/** Share of hallucinations added as a separate sentence. */
const OWN_STATEMENT = 0.25;

/** Returns the fault makers to try, in this order, on each faithful sentence. */
function attemptsAt(category: FaultCategory, random: Random): readonly MakeFault[] {
  if (category !== "hallucination") return [FAULTS[category]];
  return random() < OWN_STATEMENT ? [] : shuffled(HALLUCINATIONS, random);
}

const HALLUCINATIONS: readonly MakeFault[] = [
  (sentence, { known, random }) => changed("claim", sentence, appendClause(sentence.text, random), known),
  (sentence, { known, random }) => changed("negation", sentence, turnNegation(sentence.text, random), known),
  (sentence, around) => changed("entity", sentence, swapName(sentence.text, around), around.known),
];

const FAULTS: Readonly<Record<Exclude<FaultCategory, "hallucination">, MakeFault>> = {
  number: (sentence, around) => changed("number", sentence, changeNumber(sentence.text, around), around.known),
  url: addUrl,
  citation: miscite,
};

function addSentence(category: FaultCategory, { quotes, known, host, random }: Surroundings): WrittenSentence | null {
  const cites = [1 + Math.floor(random() * quotes.length)];
  if (category === "citation") return null;
  if (category === "url") {
    const { written, key } = falseAddress(host, random);
    return { text: `The details are at ${written}.`, cites, from: null, fault: { type: "url", key } };
  }
  const text = category === "number" ? pick(NUMBER_CLAIMS, random)(random) : pick(CLAIMS, random);
  const key = plainWords(text);
  return known.includes(key) ? null : { text, cites, from: null, fault: { type: category === "number" ? "number" : "claim", key } };
}

/** Returns the changed sentence; `null` if the changed words occur in a quote. */
function changed(
  type: "claim" | "negation" | "entity" | "number",
  sentence: WrittenSentence,
  change: Changed | null,
  known: string,
): WrittenSentence | null {
  if (change === null) return null;
  const key = windowAround(change);
  return known.includes(key) ? null : { ...sentence, text: change.text, fault: { type, key } };
}

function windowAround({ text, at }: Changed): string {
  const before = plainWords(text.slice(0, at.start)).split(" ").slice(-WINDOW);
  const after = plainWords(text.slice(at.end)).split(" ").slice(0, WINDOW);
  return plainWords([...before, text.slice(at.start, at.end), ...after].join(" "));
}

function replace(text: string, { start, end }: TextRange, instead: string): Changed {
  return { text: text.slice(0, start) + instead + text.slice(end), at: { start, end: start + instead.length } };
}

function appendClause(text: string, random: Random): Changed {
  const end = text.length - 1;
  return replace(text, { start: end, end }, pick(CLAUSES, random));
}

const VERB = /\b(?:is|are|can|will|must|should|may)\b(?!\s+(?:not|no|never|also)\b|n['’]t)/g;
const NEGATED = /\b(?:(?:is|are|do|does|should|must)(?:n['’]t| not)|can['’]t|cannot|won['’]t)\b/gi;

function turnNegation(text: string, random: Random): Changed | null {
  const negated = [...text.matchAll(NEGATED)];
  const verbs = [...text.matchAll(VERB)];
  const found = negated.length > 0 ? pick(negated, random) : verbs.length > 0 ? pick(verbs, random) : null;
  if (found === null) return null;
  const [verb] = found;
  const range = { start: found.index, end: found.index + verb.length };
  const turned = negated.length === 0 ? `${verb} not` : verb.replace(/^won['’]t$/i, "will").replace(/^can['’]?t$|^cannot$/i, "can");
  return replace(text, range, negated.length === 0 ? turned : turned.replace(/(?:n['’]t| not)$/i, ""));
}

/** Matches capitalised words inside a sentence, except its first word. */
const NAME = /(?<=[\p{Ll}\p{N}] )\p{Lu}[\p{L}-]*\p{L}(?: (?:of |and )?\p{Lu}[\p{L}-]*\p{L})*(?![\p{L}\p{N}-])/gu;

/** Matches words that are capitalised only because lists were joined, and are not names. */
const NO_NAME =
  /^(?:You|Your|They|Their|He|She|It|Its|We|Our|I|A|An|The|This|That|These|Those|Or|And|But|If|When|While|To|For|In|At|On|By|Of|As|Both|Each|Any|All|No|Not|Be|Have|Are|Is|Find|Learn|Get|Note|See|Call|Click|Download|Example|Log|Since|Before|After|Where|How|What|Who|Which|Please|Also)\b/;

function swapName(text: string, { quotes, random }: Surroundings): Changed | null {
  const names = namesIn(text);
  if (names.length === 0) return null;
  const own = pick(names, random);
  const others = quotes.flatMap((quote) => namesIn(quote).map(({ name }) => name));
  const foreign = others.filter((name) => !text.includes(name) && !name.includes(own.name) && !own.name.includes(name));
  return replace(text, own, foreign.length > 0 && random() < 0.7 ? pick(foreign, random) : pick(NAMES, random));
}

function namesIn(text: string): (TextRange & { name: string })[] {
  return [...text.matchAll(NAME)]
    .filter(([name]) => !NO_NAME.test(name))
    .map(({ 0: name, index }) => ({ name, start: index, end: index + name.length }));
}

const NUMBER =
  /(?<![\p{L}\p{N}.,/-])\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?(?![\p{L}\p{N}/-])|(?<![\p{L}\p{N}.,/-])\$?\d+(?:\.\d+)?%?(?![\p{L}\p{N}/-])/gu;
/** Share of changed numbers taken from another quote: a number that occurs in the sources is not necessarily supported. */
const FROM_ELSEWHERE = 0.4;

function changeNumber(text: string, { quotes, random }: Surroundings): Changed | null {
  const numbers = [...text.matchAll(NUMBER)];
  if (numbers.length === 0) return null;
  const own = pick(numbers, random);
  const range = { start: own.index, end: own.index + own[0].length };
  const elsewhere = quotes
    .flatMap((quote) => quote.match(NUMBER) ?? [])
    .filter((other) => shapeOf(other) === shapeOf(own[0]) && !numbers.some(([mine]) => mine === other));
  if (elsewhere.length > 0 && random() < FROM_ELSEWHERE) return replace(text, range, pick(elsewhere, random));
  const other = otherNumber(own[0], random);
  return numbers.some(([mine]) => mine === other) ? null : replace(text, range, other);
}

/** Returns the format of a number: percent, money or plain. */
function shapeOf(number: string): string {
  return number.endsWith("%") ? "%" : number.startsWith("$") ? "$" : "";
}

function otherNumber(written: string, random: Random): string {
  const value = Number(/\d[\d,]*/.exec(written)?.[0].replaceAll(",", ""));
  const step = written.endsWith("%") || value >= 100 ? 10 : 1;
  const other = value + step * (1 + Math.floor(random() * 8));
  const digits = written.includes(",") ? other.toLocaleString("en-US") : String(other);
  return `${written.startsWith("$") ? "$" : ""}${digits}${written.endsWith("%") ? "%" : ""}`;
}

/** Adds an invented URL in parentheses at the end of a sentence. */
function addUrl(sentence: WrittenSentence, { host, random }: Surroundings): WrittenSentence {
  const { written, key } = falseAddress(host, random);
  const end = sentence.text.length - 1;
  return { ...sentence, text: replace(sentence.text, { start: end, end }, ` (see ${written})`).text, fault: { type: "url", key } };
}

/** Invents a page on the domain's host, or a URL on another host. */
function falseAddress(host: string, random: Random): { written: string; key: string } {
  const place = random() < 0.5 ? pick(FOREIGN_HOSTS, random) : `www.${host}`;
  const address = `${place}/${pick(PATHS, random)}-${1000 + Math.floor(random() * 9000)}`;
  return { written: `${random() < 0.75 ? "https://" : ""}${address}/`, key: address.replace(/^www\./, "") };
}

/** Gives a faithful sentence a wrong citation: a number without a source, or a source that does not support it. */
function miscite(sentence: WrittenSentence, { quotes, random }: Surroundings): WrittenSentence {
  const words = plainWords(sentence.from?.statement ?? "").split(" ");
  const others = quotes.flatMap((quote, i) => {
    const theirs = new Set(plainWords(quote).split(" "));
    const shared = words.filter((word) => theirs.has(word)).length / words.length;
    return i + 1 !== sentence.from?.quote && shared < SAME_MATTER ? [{ number: i + 1, quote }] : [];
  });
  const other = others.length > 0 && random() < 0.5 ? pick(others, random) : null;
  if (other !== null) return { ...sentence, cites: [other.number], fault: { type: "swapped", instead: other.quote } };
  const number = quotes.length + 1 + Math.floor(random() * 20);
  return { ...sentence, cites: [number], fault: { type: "nowhere", number } };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}
