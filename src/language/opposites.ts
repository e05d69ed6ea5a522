import type { TextRange } from "../shared/types.ts";
import type { ContentWord } from "./content-words.ts";
import type { Value } from "./values.ts";

/**
 * A phrase of duty, change or repetition, such as "must" or "increases". Two sides of one family exclude each other.
 */
export interface ModalityCue extends TextRange {
  readonly family: "duty" | "change" | "repetition";
  readonly side: string;
}

const MODALITY_CUES: readonly (readonly [ModalityCue["family"], string, string])[] = [
  [
    "duty",
    "free",
    `(?:do|does|did|will|wo)(?:n['’]t| not) (?:need|have) to|(?:is|are)(?:n['’]t| not) (?:required|needed)|not required|(?:is|are) optional|no need to`,
  ],
  ["duty", "must", `must(?! not|n['’]t)|(?:is|are) required|(?:have|has|need|needs|['’]ll need) to|shall(?! not)`],
  [
    "change",
    "same",
    `(?:stay|stays|remain|remains|kept|keeps|keep) (?:the same|level|unchanged|fixed|constant)|(?:does|do|will|wo)(?:n['’]t| not) (?:change|decrease|increase|go down|go up)|level-term`,
  ],
  ["change", "down", `(?:go|goes|going|went) down|decreas(?:e|es|ed|ing)|drops?|falls?|declin(?:es?|ing)|decreasing-term`],
  ["change", "up", `(?:go|goes|going|went) up|increas(?:e|es|ed|ing)|rises?|grows?`],
  ["repetition", "once", `only once|just once|once only|one time only|only one time`],
  ["repetition", "often", `as many times as|as often as|any number of times|more than once|repeatedly|unlimited (?:number of )?times`],
];

const PATTERN = new RegExp(MODALITY_CUES.map(([, , source], i) => String.raw`(?<s${i}>\b(?:${source})(?![\p{L}\p{N}]))`).join("|"), "giu");

/** Returns every modality cue of a text in order. */
export function modalityCuesIn(text: string): ModalityCue[] {
  return [...text.matchAll(PATTERN)].flatMap((match) => {
    const [name] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    const stance = name === undefined ? undefined : MODALITY_CUES[Number(name.slice(1))];
    return stance === undefined ? [] : [{ family: stance[0], side: stance[1], start: match.index, end: match.index + match[0].length }];
  });
}

/** Persons other than the reader that a claim may be about. */
const PERSONS: readonly (readonly [string, RegExp])[] = [
  ["spouse", /\b(?:spouses?|husband|wife|widow(?:er)?s?|partner)\b/i],
  ["child", /\b(?:child|children|sons?|daughters?|stepchild(?:ren)?|minors?)\b/i],
  ["parent", /\b(?:parents?|mother|father)\b/i],
  ["dependent", /\bdependents?\b/i],
  ["family", /\bfamily members?\b/i],
  ["survivor", /\bsurvivors?\b/i],
  ["caregiver", /\bcaregivers?\b/i],
  ["student", /\bstudents?\b/i],
  ["adult", /\badults?\b/i],
  ["infant", /\b(?:infants?|babies|baby|newborns?)\b/i],
  ["pregnant", /\b(?:pregnant|pregnancy|breast-?feeding)\b/i],
  ["women", /\b(?:women|woman|female)\b/i],
  ["men", /\b(?:men|man|male)\b/i],
];

/**
 * Returns the persons that a text names.
 * @param heading in a heading "Veterans" names a group; in a sentence it is the reader
 */
export function personsIn(text: string, heading = false): string[] {
  const persons = PERSONS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
  return heading && /\bveterans?\b/i.test(text) ? [...persons, "veteran"] : persons;
}

/** Stories and examples describe one case. They cannot contradict a rule. */
const EXAMPLE =
  /\b(?:for example|for instance|e\.g\.|such as|say you|let['’]s say|imagine|suppose)\b|^(?:he|she)\b|\b(?:he|she) (?:was|had|needed|got|received|served|lost)\b|^example\b/i;

export function isExample(text: string): boolean {
  return EXAMPLE.test(text);
}

/** A word with an opposite. */
export interface Opposed extends TextRange {
  readonly pair: number;
  readonly side: 0 | 1;
}

/** A word with an opposite, and what it modifies. */
export interface Marker extends Opposed {
  /** Roots of at most four words behind the marker. Empty if a value follows directly. */
  readonly roots: readonly string[];
  readonly value: Value | null;
  readonly anchor: TextRange;
}

/** Both sides of each pair. A marker modifies the word or value behind it. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["before|prior to|until", "after|following|since"],
  ["inside|within", "outside|beyond"],
  ["only (?:if|when)", "even (?:if|when|though)|whether or not|regardless of"],
  ["always", "never"],
  ["minimum|lowest|least", "maximum|highest|most"],
  ["increases?|increased|raises?|raised", "decreases?|decreased|reduces?|reduced|lowers?|lowered"],
  [
    "above|over|more than|greater than|higher than|older than|longer than|exceeds?",
    "below|under|less than|fewer than|lower than|younger than|shorter than",
  ],
  ["includ(?:e|es|ed|ing)", "exclud(?:e|es|ed|ing)"],
  ["allows?|allowed|permits?|permitted", "prohibits?|prohibited|forbids?|forbidden|bars"],
  ["with", "without"],
  ["first", "last"],
];

const MARKER = new RegExp(PAIRS.map(([a, b], i) => String.raw`\b(?:(?<a${i}>${a})|(?<b${i}>${b}))\b`).join("|"), "giu");
/** Maximum number of characters between a marker and what it modifies. */
const ANCHOR_REACH = 24;
/** Maximum number of characters and words behind a marker that describe what it modifies. */
const OBJECT_REACH = 56;
const OBJECT_WORDS = 4;

/** Returns every word of a text that has an opposite. */
function opposedIn(text: string): Opposed[] {
  return [...text.matchAll(MARKER)].flatMap((match) => {
    const [name] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (name === undefined) return [];
    const side = name.startsWith("a") ? 0 : 1;
    return [{ pair: Number(name.slice(1)), side, start: match.index, end: match.index + match[0].length }];
  });
}

/** Returns the words with an opposite, each with the word or value that follows it. */
export function markersIn(text: string, words: readonly ContentWord[], values: readonly Value[]): Marker[] {
  const found: Marker[] = [];
  for (const opposed of opposedIn(text)) {
    const { end } = opposed;
    const isNext = ({ start }: TextRange) => start >= end && start - end <= ANCHOR_REACH;
    const value = values.find(isNext) ?? null;
    const word = words.find(isNext) ?? null;
    const acts = value !== null && (word === null || value.start <= word.start);
    const anchor = acts ? value : word;
    if (anchor === null) continue;
    const behind = acts ? [] : words.filter(({ start }) => start >= end && start - end <= OBJECT_REACH).slice(0, OBJECT_WORDS);
    found.push({
      ...opposed,
      roots: behind.map(({ root }) => root),
      value: acts ? value : null,
      anchor,
    });
  }
  return found;
}
