import { formatNumber } from "../format.ts";

/** What a stage reports, for people; what is not listed keeps its own name. */
const NAMES: Readonly<Record<string, string>> = {
  also_searched: "also searched for",
  answer: "enough to answer",
  best_piece: "best part of a passage",
  cache_mode: "stored answer",
  cached: "kept for the same question",
  calls: "calls of a model",
  chance: "chance that it answers",
  candidates: "compared",
  codes: "forms and codes asked for",
  conflicts: "disagreements",
  history: "earlier questions taken into account",
  injection_signals: "signs of an attack",
  left_out: "left out",
  minimum: "least chance that is shown",
  not_named: "asked for, but in no document",
  pieces: "parts weighed",
  question_type: "kind of question",
  read: "best parts read",
  rejected: "do not answer",
  repaired: "words read as others",
  report: "report for review",
  resolved: "read as",
  searched_in: "searched in",
  semantic_rule: "nearest stored question",
  uncertain: "may answer",
  verified: "answer",
};

/** Rules by which a stored question was held against the one that was asked; others keep their own name. */
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

/** Facts of a stage with their values in words; what was not found, or did not happen, is left out. */
export function factsInWords(facts: Readonly<Record<string, unknown>>): { readonly name: string; readonly value: string }[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const text = name === "semantic_rule" ? (RULES[String(value)] ?? inWords(value)) : inWords(value);
    return text === null ? [] : [{ name: NAMES[name] ?? name.replaceAll("_", " "), value: text }];
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
