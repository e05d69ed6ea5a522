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
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["conflict", "conflict_resolved", "web_contradicts"]);

/** Codes of notices about technical details. They are shown only in the pane “Why this answer”. */
const TECHNICAL_NOTICES: ReadonlySet<string> = new Set([
  ...["no_encoder", "encoder_switch", "uncalibrated", "sufficiency", "calibration_unused"],
  "compress_failed",
]);
/** Prefix of the codes of notices that thresholds were converted from another encoder. */
const THRESHOLDS = "thresholds_";

export function labelWarning({ code, message }: Pick<WireWarning, "code" | "message">): string {
  return WARNINGS[code] ?? message;
}

export function isShownElsewhere({ code }: { readonly code: string }): boolean {
  return SHOWN_ELSEWHERE.has(code);
}

export function isTechnical({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return TECHNICAL_NOTICES.has(code) || code.startsWith(THRESHOLDS) || /\bcalibrat/i.test(message);
}

/** Returns whether a refusal consists of one line only: a reply to a greeting, or to someone in a crisis. */
export function isOneLine(reason: WireRefusal["reason"]): boolean {
  return reason === "small_talk" || reason === "crisis";
}

const CLAIMS: Readonly<Record<WireAnswer["claims"][number]["status"], string>> = {
  supported: "No check found a fault.",
  unsupported: "The source shown does not clearly support this.",
  contradicted: "The source shown contradicts this.",
  unchecked: "This sentence could not be checked.",
};

export function labelClaim(status: WireAnswer["claims"][number]["status"]): string {
  return CLAIMS[status];
}

const LOSSES: Readonly<Partial<Record<CitationState["state"], string>>> = {
  changed: "The document has changed since: this place now says something else.",
  gone: "The source no longer exists: no document says this any more.",
};

/** Returns a message if a quote was changed or deleted; `null` if its text is still in the documents. */
export function labelLoss(state: CitationState["state"] | undefined): string | null {
  return (state === undefined ? undefined : LOSSES[state]) ?? null;
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

export interface ConfidenceWords {
  readonly label: string;
  readonly meaning: string;
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
export function labelConfidence({
  agg_conf: value,
  agg_conf_calibrated: calibrated,
  profile,
}: Pick<WireAnswer, "agg_conf" | "agg_conf_calibrated" | "profile">): ConfidenceWords {
  if (value === null) return { label: "Confidence unknown", meaning: "No score could be computed for this answer." };
  if (!calibrated) return uncalibrated(value, fitOf(value, profile));
  const label =
    value >= 0.9 ? "Very likely correct" : value >= 0.66 ? "Likely correct" : value >= 0.33 ? "Possibly correct" : "Unlikely to be correct";
  return { label, meaning: `About ${formatConfidence(value)} such answers are correct, as measured on questions with known answers.` };
}

function uncalibrated(value: number, fit: Fit | null): ConfidenceWords {
  const unmeasured =
    "This score has not been tested on questions with known answers about these documents, so do not read it as a probability.";
  const points = `${formatConfidence(value)}. The score ranks answers: those with a higher score are correct more often.`;
  if (fit === null)
    return { label: "Confidence not calibrated", meaning: `This method's score is ${formatConfidence(value)}. ${unmeasured}` };
  return { label: FITS[fit], meaning: `How well the passages match the question: ${points} ${unmeasured}` };
}
