import { type Fit, fitOf, type WireAnswer, type WireRefusal, type WireWarning } from "../../src/client/index.ts";
import { formatConfidence } from "../format.ts";
import type { CitationState } from "./use-citation-states.ts";

// Sentences for users, by the server's code of a warning or error. For other codes the server's message is shown.

const WARNINGS: Readonly<Record<string, string>> = {
  low_confidence: "The documents may not cover this topic fully. Check the official source before you rely on this answer.",
  weak_retrieval: "The passages match the question only loosely. Read them first.",
  dense_failed: "Search by meaning was not available, so only the words of the question were searched for.",
  index_behind: "The newest changes are still being indexed. Ask again in a moment.",
  index_full: "Search by meaning does not cover the newest documents. If this message stays, ask your administrator.",
  ingest_unfinished:
    "Not all documents have been ingested yet, so some may be missing here. If this message stays, ask your administrator.",
  filter_narrow: "Only the part that you chose was searched.",
  web_failed: "Uncertain passages could not be checked on the web, so they were not used.",
  web_off: "Uncertain passages were not checked on the web, so they were not used.",
  stream_differs: "This final answer differs from the text shown before.",
};

/** Codes of warnings that are shown in a section of their own. */
export const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["conflict", "conflict_resolved", "web_contradicts"]);

/** Codes of notices about technical details. They are shown only in the pane “Why this answer”. */
const TECHNICAL_NOTICES = /^(?:no_encoder|encoder_switch|uncalibrated|sufficiency|calibration_unused|compress_failed|thresholds_.*)$/;

export function labelWarning({ code, message }: Pick<WireWarning, "code" | "message">): string {
  return WARNINGS[code] ?? message;
}

export function isTechnical({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return TECHNICAL_NOTICES.test(code) || /\bcalibrat/i.test(message);
}

/** Returns whether a refusal consists of one line only: a reply to a greeting, or to someone in a crisis. */
export function isOneLine(reason: WireRefusal["reason"]): boolean {
  return reason === "small_talk" || reason === "crisis";
}

/** Labels of a claim by its status. */
export const CLAIMS: Readonly<Record<WireAnswer["claims"][number]["status"], string>> = {
  supported: "No check found a fault.",
  unsupported: "The source shown does not clearly support this.",
  contradicted: "The source shown contradicts this.",
  unchecked: "This sentence could not be checked.",
};

/** Returns a message if a quote was changed or deleted; `null` if its text is still in the documents, or nothing is known. */
export function labelLoss(citation: CitationState | undefined): string | null {
  if (citation?.state === "changed") return "The document has changed since: this place now says something else.";
  return citation?.state === "gone" ? "The source no longer exists: no document says this any more." : null;
}

const CHECKS: Readonly<Record<string, string>> = {
  citations: "cites no source, or one that does not exist",
  entities: "uses a name that is not in its source",
  faithfulness: "says more than its source",
  pii: "may contain personal data",
  relevancy: "may not answer the question",
  support: "is only partly supported by its source",
  terminology: "uses a term that is not the agreed one",
  urls: "contains a web address that is not in the sources",
  values: "contains a number that is not in its source",
};

/** Describes in words why a sentence failed a check. */
export function labelCheck({ name, reason }: Pick<WireAnswer["checks"][number], "name" | "reason">): string {
  const words = CHECKS[name];
  return words === undefined ? reason : `This sentence ${words}.`;
}

const FITS: Readonly<Record<Fit, string>> = {
  well: "Sources match well",
  partly: "Sources match partly",
  loosely: "Sources match loosely",
};

/**
 * Describes a confidence in words. The words for a calibrated confidence are the likelihood scale of the IPCC guidance
 * note on uncertainty (2010): very likely from 90 %, likely from 66 %, about as likely as not from 33 %. An
 * uncalibrated confidence is no probability, so the words say how well the sources fit.
 */
export function labelConfidence(answer: Pick<WireAnswer, "agg_conf" | "agg_conf_calibrated" | "profile">) {
  const value = answer.agg_conf;
  if (value === null) return { label: "Confidence unknown", meaning: "No score could be computed for this answer." };
  const share = formatConfidence(value);
  if (answer.agg_conf_calibrated) {
    const label = CALIBRATED.find(([from]) => value >= from)?.[1] ?? "Unlikely to be correct";
    return { label, meaning: `About ${share} such answers are correct, as measured on questions with known answers.` };
  }
  const fit = fitOf(value, answer.profile);
  const unmeasured =
    "This score has not been tested on questions with known answers about these documents, so do not read it as a probability.";
  if (fit === null) return { label: "Confidence not calibrated", meaning: `This method's score is ${share}. ${unmeasured}` };
  const ranks = "The score ranks answers: those with a higher score are correct more often.";
  return { label: FITS[fit], meaning: `How well the passages match the question: ${share}. ${ranks} ${unmeasured}` };
}

/** Lowest confidence of each label. */
const CALIBRATED = [
  [0.9, "Very likely correct"],
  [0.66, "Likely correct"],
  [0.33, "Possibly correct"],
] as const;
