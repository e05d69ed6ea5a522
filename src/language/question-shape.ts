import { AUXILIARY, clausesOf, JOINED } from "./question.ts";

/** Words after each preposition of direction: from → spain. */
type Places = Readonly<Record<string, readonly string[]>>;

/** Prepositions of origin and destination, as stems. */
const MARKERS: ReadonlySet<string> = new Set(["from", "to"]);
/** Prepositions that mean "to". */
const TOWARDS: ReadonlySet<string> = new Set(["into", "onto"]);
/** Words that end an argument. */
const ARGUMENT_ENDS: ReadonlySet<string> = new Set(["and", "or", "but", "if", "when", "while", "with", "for", "in", "on", "at", "becaus"]);

/**
 * Collects the words after "from" and "to".
 * @param frame all words in order, as stems
 * @param isEmpty true for words that do not identify an argument: articles, the speaker, auxiliaries
 */
function readPlaces(frame: readonly string[], isEmpty: (word: string) => boolean): Places {
  const places: Record<string, string[]> = {};
  let open: string[] | null = null;
  for (const word of frame) {
    const marker = TOWARDS.has(word) ? "to" : word;
    if (MARKERS.has(marker)) {
      open = places[marker] ?? [];
      places[marker] = open;
    } else if (ARGUMENT_ENDS.has(word)) open = null;
    else if (!isEmpty(word)) open?.push(word);
  }
  return places;
}

/**
 * Checks whether origin and destination are exchanged, whatever the rest of the wording: "send money to my account from
 * Spain", "from my account to Spain".
 */
export function changesPlace(one: Places, other: Places): boolean {
  const moved = (from: string, to: string) =>
    (one[from] ?? []).some((word) => stands(other, to, word) && !stands(other, from, word) && !stands(one, to, word));
  return moved("from", "to") || moved("to", "from");
}

function stands(places: Places, marker: string, word: string): boolean {
  return places[marker]?.includes(word) ?? false;
}

/**
 * What the word order and the function words of a question say: who acts, on what scope, and how many questions there
 * are.
 */
export interface QuestionShape {
  /** Number of questions: "how do I apply, and what does it cost" has two. */
  readonly questions: number;
  /**
   * Subject of the main verb: `speaker`, `house` (the organisation asked, or the domain's own name) or a stem. A noun
   * may have two words; then either of `verbs` is the verb.
   */
  readonly subject: { readonly who: string; readonly verbs: readonly string[]; readonly passive: boolean } | null;
  /** All participants, with the same names as in `subject`. */
  readonly parties: readonly string[];
  /**
   * Distinct quantifiers such as "all" or "only", the latter with the word that it restricts, and "compared" for a
   * comparison.
   */
  readonly scopes: readonly string[];
  /** Whether the question asks for an obligation or a permission; `null` if neither or both. */
  readonly modality: "must" | "may" | null;
  /** Owners with what they own: `spouse incom`. */
  readonly owned: readonly string[];
  /** Words after "from" and after "to". */
  readonly places: Places;
  /** Words of conditions: those after "if", "after", "while" and the like, up to the end of the clause. */
  readonly conditions: readonly string[];
}

export interface ShapeSource {
  readonly text: string;
  /** All words in order, as stems. */
  readonly frame: readonly string[];
  readonly home: ReadonlySet<string>;
  /** Stems of persons whom every question of the domain is about. */
  readonly readers: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** As stems. */
const AUXILIARIES = words(
  "can could mai may might must shall should will would do doe did am is ar are wa was were ha has have had cant couldnt dont doesnt didnt isnt arent wont wouldnt shouldnt",
);
// "us" is missing because it is the stem of "use".
const SPEAKER = words("i me my mine myself we our");
const ANYBODY = words("someon somebodi anyon anybodi person you");
const DETERMINERS = words("a an the my your our his her their its thi that these those ani all onli some mani");
const ADVERBS = words("still also onli even not ever just alreadi now first both");
const JOINING = words("and or nor vs versu a an the of");

/** Extracts the shape of a question. */
export function readShape({ text, frame, home, readers }: ShapeSource): QuestionShape {
  const isAnybody = (word: string) => ANYBODY.has(word) || readers.has(word);
  const speaks = frame.some((word) => SPEAKER.has(word));
  const party = (word: string) => {
    if (SPEAKER.has(word)) return "speaker";
    if (home.has(word)) return "house";
    // "How do you apply" means everybody. "Can you change my address" addresses the organisation.
    if (word === "you" && speaks) return "house";
    return isAnybody(word) ? "speaker" : word;
  };
  return {
    questions: countQuestions(text, home),
    subject: subjectOf(frame, party, isAnybody),
    parties: [...new Set(frame.filter((word) => !JOINING.has(word)).map(party))].sort(),
    scopes: scopesOf(text, frame),
    modality: MUST.test(text) ? (MAY.test(text) ? null : "must") : MAY.test(text) ? "may" : null,
    owned: ownedIn(text),
    places: readPlaces(frame, (word) => DETERMINERS.has(word) || SPEAKER.has(word) || AUXILIARIES.has(word)),
    conditions: conditionsOf(frame, home),
  };
}

const MUST =
  /\b(?:must|(?:have|has|need|needs|got|am|is|are)\s+to|required|mandatory|obliged|do(?:es)?\s+(?:i|we|you|he|she|they|it)\s+(?:still\s+|really\s+)?need)\b/iu;
const MAY = /\b(?:can|could|may|allowed|able|permitted)\b/iu;

/** Returns owners with what they own, in lower case: "my wife's income" gives "wife income". */
function ownedIn(text: string): string[] {
  return [...text.toLowerCase().matchAll(/(\p{L}{2,})(?:['’]s|(?<=s)['’])\s+(?:own\s+)?(\p{L}{2,})/gu)]
    .map(([, owner, owned]) => `${owner} ${owned}`)
    .sort();
}

const OF_THE_HOUSE = new RegExp(String.raw`${JOINED}${AUXILIARY}\s+([a-z]+)\b`, "i");

/** Counts the clauses that ask, at least 1. */
function countQuestions(text: string, home: ReadonlySet<string>): number {
  const ofTheHouse = (clause: string) => home.has(OF_THE_HOUSE.exec(clause)?.[1]?.toLowerCase() ?? "");
  return Math.max(1, clausesOf(text).filter(({ text: clause, asks }, i) => asks || (i > 0 && ofTheHouse(clause))).length);
}

/** "who" and "what" as the subject itself. */
const ASKING = words("who what which");
/** Words before a passive participle. */
const PASSIVE = words("be been");
const MADE_BY_AUXILIARY = words("am is ar are wa was were");

/** Finds the first noun or pronoun after an auxiliary, and the verb after it. */
function subjectOf(
  frame: readonly string[],
  party: (word: string) => string,
  isAnybody: (word: string) => boolean,
): QuestionShape["subject"] {
  const isNamed = (word: string) => SPEAKER.has(word) || isAnybody(word) || DETERMINERS.has(word);
  const [first = "", second = ""] = frame;
  if (ASKING.has(first) && second !== "" && !AUXILIARIES.has(second) && !DETERMINERS.has(second))
    return { who: ASKED, verbs: [second], passive: false };
  // "Who can be my heir" asks for the subject; "who can I call" does not.
  const [, , third = "", fourth = ""] = frame;
  if (first === "who" && AUXILIARIES.has(second) && third !== "" && (DETERMINERS.has(fourth) || third === "be") && !isNamed(third))
    return { who: ASKED, verbs: [third], passive: false };
  const at = frame.findIndex((word) => AUXILIARIES.has(word));
  if (at < 0) return null;
  const isPassed = (word: string | undefined) => word !== undefined && (DETERMINERS.has(word) || ADVERBS.has(word));
  let next = at + 1;
  while (isPassed(frame[next])) next++;
  let after = next + 1;
  while (ADVERBS.has(frame[after] ?? "")) after++;
  const isDone = PASSIVE.has(frame[after] ?? "") && !DETERMINERS.has(frame[after + 1] ?? "my");
  const [word, verb] = [frame[next], frame[isDone ? after + 1 : after]];
  // If a determiner follows, the word is a verb whose subject the text omits.
  if (word === undefined || verb === undefined || DETERMINERS.has(verb))
    return isDone && word !== undefined ? { who: party(word), verbs: ["be"], passive: false } : null;
  const who = party(word);
  const behind = who === "speaker" || who === "house" || isDone ? undefined : frame[after + 1];
  return {
    who,
    verbs: behind === undefined || DETERMINERS.has(behind) ? [verb] : [verb, behind],
    passive: isDone || MADE_BY_AUXILIARY.has(frame[at] as string),
  };
}

/** The subject is what the question asks for. */
const ASKED = "?";

const SCOPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ all: "all", every: "all", everyon: "all", everybodi: "all", some: "some", another: "another" },
    ...{ only: "only", sole: "only", exclus: "only" },
  }),
);
const COMPARES =
  /\b(?:better|worse|best|worst|versus|vs|differ(?:s|ent from|ences?)?|compared?|comparison|(?:more|less)\s+\p{L}+\s+than|(?!(?:other|rather|later|earlier|older|younger|higher|lower|longer|shorter|greater|fewer)\b)\p{L}+er\s+than)\b(?!\s+\d)/iu;

function scopesOf(text: string, frame: readonly string[]): string[] {
  const found = frame.flatMap((word, i): string[] => {
    const scope = SCOPES.get(word);
    if (scope === undefined) return [];
    if (scope !== "only") return [scope];
    return [`only ${frame.slice(i + 1).find((next) => !NARROWED_THROUGH.has(next)) ?? ""}`];
  });
  return [...new Set([...found, ...(COMPARES.test(text) ? ["compared"] : [])])].sort();
}

/** Words that may stand between "only" and the word that it restricts. */
const NARROWED_THROUGH = words("for to in on at by with if when after the a an my be");

const CONDITIONAL = words("if with in at after befor sinc until till while dure unless onc despit becaus without");
/** Words that end a condition because a main clause or another condition begins. */
const ENDS = words("can could should will would doe did how what to");

const PRONOUNS = words("i you he she it we thei him her them when");

const HAVING = words("have ha get us with in at");

/**
 * Collects the words of conditions. A leading "when" asks and opens no condition. A mention of the organisation itself
 * ("if I have VA health care") applies to every question and ends the condition.
 */
function conditionsOf(frame: readonly string[], home: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (let i = 0; i < frame.length; i++) {
    const isCondition = CONDITIONAL.has(frame[i] as string) || (i > 0 && frame[i] === "when" && !AUXILIARIES.has(frame[i + 1] ?? ""));
    if (!isCondition) continue;
    for (let j = i + 1; j < frame.length && !ENDS.has(frame[j] as string); j++) {
      const word = frame[j] as string;
      if (home.has(word) && HAVING.has(frame[j - 1] as string)) break;
      if (!PRONOUNS.has(word)) found.add(word);
    }
  }
  return [...found].sort();
}

/**
 * Below this share of common words in order, two questions are different sentences, and exchanged positions mean
 * nothing.
 */
const ONE_SENTENCE = 0.4;

/**
 * Checks whether two questions are equal except for two exchanged sides: "does A pay before B" and "does B pay before
 * A". Between the two exchanged things, some word keeps its position.
 * @param things words that name something or somebody
 * @param names those that are names; their order counts in any wording
 */
export function isExchanged(
  one: readonly string[],
  other: readonly string[],
  things: ReadonlySet<string>,
  names: ReadonlySet<string>,
): boolean {
  const isOneSentence = sharedWording(one, other) >= ONE_SENTENCE;
  const spelled = (frame: readonly string[]) => frame.map((word) => (word === "me" ? "i" : word));
  const [a, b] = [spelled(one), spelled(other)];
  const once = (frame: readonly string[], word: string) => frame.indexOf(word) === frame.lastIndexOf(word);
  const common = a.filter((word) => b.includes(word) && once(a, word) && once(b, word) && !JOINING.has(word));
  const places = common.map((word) => b.indexOf(word));
  const isThing = common.map((word) => names.has(word) || (isOneSentence && (things.has(word) || word === "i")));
  for (let middle = 1; middle < common.length - 1; middle++) {
    const at = places[middle] as number;
    const before = common.some((_, i) => i < middle && isThing[i] && (places[i] as number) > at);
    const behind = common.some((_, i) => i > middle && isThing[i] && (places[i] as number) < at);
    if (before && behind) return true;
  }
  return false;
}

/**
 * Checks whether the same verb has different subjects, and both take part in both questions: "do I owe you", "do you
 * owe me".
 */
export function isOtherSubject(one: QuestionShape, other: QuestionShape): boolean {
  const [a, b] = [one.subject, other.subject];
  if (a === null || b === null || !a.verbs.some((verb) => b.verbs.includes(verb))) return false;
  if (a.who === b.who) return a.passive !== b.passive;
  // "How is it rated by you" equals "how do you rate it".
  if (a.passive !== b.passive) return false;
  if (a.who === ASKED || b.who === ASKED) return true;
  const takesPart = (who: string) => one.parties.includes(who) && other.parties.includes(who);
  if (takesPart(a.who) && takesPart(b.who)) return true;
  // The speaker takes part in every question, named or not.
  const others = [a.who, b.who].filter((who) => who !== "speaker" && who !== "house");
  return others.length === 1 && others.every(takesPart);
}

/** Checks whether the same owners own different things: "my wife's income" and "my wife's pension". */
export function ownsOther({ owned: one }: QuestionShape, { owned: other }: QuestionShape): boolean {
  const owners = (owned: readonly string[]) => owned.map((words) => words.split(" ")[0]).join();
  return one.length > 0 && owners(one) === owners(other) && one.join() !== other.join();
}

const SOMEBODY = /\b(?:he|him|his|she|her|hers)\b/i;
const THEM = /\b(?:they|them|their|theirs)\b/i;

/**
 * Checks whether a question is about a person named only by a pronoun ("he", "her", "their").
 * @param anyPerson pattern of words for persons
 */
export function isAboutSomebodyElse(text: string, anyPerson: RegExp): boolean {
  if (anyPerson.test(text)) return false;
  if (SOMEBODY.test(text)) return true;
  const them = THEM.exec(text);
  if (them === null || !/\b(?:i|me|my)\b/i.test(text)) return false;
  return !/\p{L}{3,}s\b/u.test(text.slice(0, them.index));
}

/** Returns the length of the longest common subsequence of two word lists, as a share of both (0 to 1). */
export function sharedWording(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 0;
  let before = new Uint16Array(b.length + 1);
  for (const word of a) {
    const row = new Uint16Array(b.length + 1);
    for (let j = 1; j <= b.length; j++) {
      row[j] = word === b[j - 1] ? (before[j - 1] as number) + 1 : Math.max(before[j] as number, row[j - 1] as number);
    }
    before = row;
  }
  return (2 * (before[b.length] as number)) / (a.length + b.length);
}
