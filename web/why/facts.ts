import { formatConfidence, formatNumber } from "../format.ts";

/** Labels for the facts that stages report. A fact without a label is not shown, but is part of the downloaded record. */
const NAMES: Readonly<Record<string, string>> = {
  also_searched: "also searched for",
  answer: "evidence is sufficient to answer",
  answered_parts: "parts answered separately",
  asked_parts: "parts of the question",
  best_piece: "best candidate of a passage",
  cache_mode: "stored answer",
  cached: "stored for the same question",
  calls: "model calls",
  chance: "confidence that it answers",
  candidates: "candidates compared",
  codes: "forms and codes asked for",
  conflicts: "disagreements",
  following: "next sentence also quoted",
  history: "earlier turns used",
  injection_signals: "signs of instructions to the system",
  left_out: "sentences left out",
  minimum: "confidence threshold",
  not_held: "words in no document",
  not_named: "asked for, but in no document",
  pages: "web pages read",
  passages: "passages found",
  pieces: "candidates scored",
  prompt_tokens: "tokens sent to the model",
  question_type: "kind of question",
  read: "candidates scored by the cross-encoder",
  rejected: "passages that do not answer",
  repaired: "corrected words",
  report: "report for review",
  resolved: "interpreted as",
  searched_in: "searched in",
  sentences: "sentences",
  sources: "sources given to the writer",
  semantic_rule: "most similar stored question",
  open_parts: "parts without an answer",
  uncertain: "passages that may answer",
  verified: "passages that answer",
};

/** Texts that say why a stored question did or did not match the current question. Other rules are shown by their name. */
const RULES: Readonly<Record<string, string>> = {
  asked: "asks for something else",
  cited: "depends on sources that were not found for this question",
  cosine: "differs too much in meaning",
  documents: "depends on other documents",
  entities: "names other things",
  polarity: "asks for the opposite",
  same: "asks for the same",
  unknown: "may ask for something else",
  values: "contains other numbers",
};

type Label = (value: unknown) => string | null;

const labelProbability: Label = (value) => (typeof value === "number" ? formatConfidence(value) : inWords(value));

/** Formatters for the values of some facts. */
const WORDS: Readonly<Record<string, Label>> = {
  best_piece: labelProbability,
  chance: labelProbability,
  following: labelProbability,
  minimum: labelProbability,
  semantic_rule: (value) => RULES[String(value)] ?? inWords(value),
};

/** Returns the facts of a stage with labels and readable values: "passages found: 8". Facts that are empty, false or `null` are left out. */
export function labelFacts(facts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(facts).flatMap(([fact, value]) => {
    const text = (WORDS[fact] ?? inWords)(value);
    return NAMES[fact] === undefined || text === null ? [] : [`${NAMES[fact]}: ${text}`];
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
