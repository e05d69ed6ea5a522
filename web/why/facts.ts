import { formatNumber } from "../format.ts";

/** What a stage reports, for people; what is not listed keeps its own name. */
const NAMES: Readonly<Record<string, string>> = {
  also_searched: "also searched for",
  answer: "enough to answer",
  best_piece: "best part of a passage",
  cache_mode: "stored answer",
  cached: "kept for the same question",
  calls: "calls of a model",
  candidates: "compared",
  codes: "forms and codes asked for",
  conflicts: "disagreements",
  history: "earlier questions taken into account",
  injection_signals: "signs of an attack",
  left_out: "left out",
  not_named: "asked for, but in no document",
  pieces: "parts weighed",
  question_type: "kind of question",
  rejected: "do not answer",
  repaired: "words read as others",
  report: "report for review",
  resolved: "read as",
  searched_in: "searched in",
  semantic_rule: "because",
  uncertain: "may answer",
  verified: "answer",
};

/** Facts of a stage with their values in words; what was not found, or did not happen, is left out. */
export function factsInWords(facts: Readonly<Record<string, unknown>>): { readonly name: string; readonly value: string }[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const text = inWords(value);
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
