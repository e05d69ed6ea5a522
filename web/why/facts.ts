import { formatChance, formatNumber } from "../format.ts";

/** Labels of the facts that stages report. Facts without a label are listed separately as recorded. */
const NAMES: Readonly<Record<string, string>> = {
  also_searched: "also searched for",
  answer: "enough to answer",
  answered_parts: "of these answered by themselves",
  asked_parts: "things asked at once",
  best_piece: "best part of a passage",
  cache_mode: "stored answer",
  cached: "kept for the same question",
  calls: "calls of a model",
  chance: "chance that it answers",
  candidates: "compared",
  codes: "forms and codes asked for",
  conflicts: "disagreements",
  following: "chance that what follows it answers too",
  history: "earlier questions taken into account",
  injection_signals: "signs of an attack",
  left_out: "left out",
  minimum: "least chance that is shown",
  not_held: "words that no document holds",
  not_named: "asked for, but in no document",
  pages: "pages of the web read",
  passages: "passages found",
  pieces: "parts weighed",
  prompt_tokens: "tokens sent to the model",
  question_type: "kind of question",
  read: "best parts read",
  rejected: "do not answer",
  repaired: "words read as others",
  report: "report for review",
  resolved: "read as",
  searched_in: "searched in",
  sentences: "sentences",
  sources: "sources given to the writer",
  semantic_rule: "nearest stored question",
  open_parts: "of these without an answer",
  uncertain: "may answer",
  verified: "answer",
};

/** Descriptions of the rules that compare a stored question with the current one; an unlisted rule shows its name. */
const RULES: Readonly<Record<string, string>> = {
  asked: "asks for something else",
  cited: "rests on sources that were not found for this one",
  cosine: "is too far in meaning",
  documents: "rests on other documents",
  entities: "names other things",
  polarity: "asks for the opposite",
  same: "asks for the same",
  unknown: "may ask for something else",
  values: "has other numbers",
};

type InWords = (value: unknown) => string | null;

const chanceInWords: InWords = (value) => (typeof value === "number" ? formatChance(value) : inWords(value));

/** Facts whose values need their own wording. */
const WORDS: Readonly<Record<string, InWords>> = {
  best_piece: chanceInWords,
  chance: chanceInWords,
  following: chanceInWords,
  minimum: chanceInWords,
  semantic_rule: (value) => RULES[String(value)] ?? inWords(value),
};

export interface ShownFact {
  readonly name: string;
  readonly value: string;
}

type Facts = Readonly<Record<string, unknown>>;

/** Returns a stage's labelled facts with values in words; omits facts that are empty, false or null. */
export function factsInWords(facts: Facts): ShownFact[] {
  return Object.entries(facts).flatMap(([fact, value]) => {
    const name = NAMES[fact];
    const text = (WORDS[fact] ?? inWords)(value);
    return name === undefined || text === null ? [] : [{ name, value: text }];
  });
}

/** Returns a stage's facts that have no label. */
export function rawFacts(facts: Facts): ShownFact[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const text = inWords(value);
    return NAMES[name] !== undefined || text === null ? [] : [{ name, value: text }];
  });
}

function inWords(value: unknown): string | null {
  if (value === null || value === undefined || value === false || value === "") return null;
  if (value === true) return "yes";
  if (value === "miss") return "none";
  if (typeof value === "number") return formatNumber(Math.round(value * 1000) / 1000);
  if (Array.isArray(value)) return value.length === 0 ? null : value.map((one) => inWords(one) ?? "").join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
