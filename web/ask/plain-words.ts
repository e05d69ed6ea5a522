import { type Fit, fitOf, type WireAnswer, type WireWarning } from "../../src/client/index.ts";
import { formatChance } from "../format.ts";
import type { CitationState } from "./use-citation-states.ts";

/** Plain sentences for the server's codes. An unlisted code shows the server's own message. */

const WARNINGS: Readonly<Record<string, string>> = {
  low_confidence: "The documents may not cover this topic fully. Check the official source before you rely on this.",
  weak_retrieval: "The passages found match the question only loosely. Read them before you rely on this.",
  dense_failed: "The search by meaning was not available: only the words of the question were searched for.",
  ingest_unfinished: "Not all documents have been read yet, so some may be missing here. If this stays, ask whoever runs this service.",
  filter_narrow: "Nothing was searched outside the part that you chose.",
  web_failed: "The web could not be asked about the doubtful passages.",
  web_off: "The web was not asked about the doubtful passages.",
  stream_differs: "The finished answer differs from what was shown while it was made. This is the finished one.",
};

/** Warnings that have a section of their own. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(["conflict", "conflict_resolved", "web_contradicts"]);

/** Notices about how the answer was made; only “Why this answer” shows them. */
const TECHNICAL_NOTICES: ReadonlySet<string> = new Set([
  ...["no_encoder", "encoder_switch", "uncalibrated", "sufficiency", "calibration_unused"],
  "compress_failed",
]);
/** Prefix of notices about thresholds that were transferred from another encoder. */
const THRESHOLDS = "thresholds_";

export function warningInWords({ code, message }: Pick<WireWarning, "code" | "message">): string {
  return WARNINGS[code] ?? message;
}

export function isShownElsewhere({ code }: { readonly code: string }): boolean {
  return SHOWN_ELSEWHERE.has(code);
}

export function isTechnical({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return TECHNICAL_NOTICES.has(code) || code.startsWith(THRESHOLDS) || /\bcalibrat/i.test(message);
}

const CLAIMS: Readonly<Record<WireAnswer["claims"][number]["status"], string>> = {
  supported: "Checked: the source says this.",
  unsupported: "The source shown does not clearly say this.",
  contradicted: "The source shown says something else.",
  unchecked: "This sentence could not be checked.",
};

export function claimInWords(status: WireAnswer["claims"][number]["status"]): string {
  return CLAIMS[status];
}

const LOSSES: Readonly<Partial<Record<CitationState["state"], string>>> = {
  changed: "Its document has changed since: the source says something else in this place now.",
  gone: "Its source is gone since: no document says this any more.",
};

/** Describes a quote that changed or was deleted; `null` if its words are still in the documents. */
export function lossInWords(state: CitationState["state"] | undefined): string | null {
  return (state === undefined ? undefined : LOSSES[state]) ?? null;
}

const CHECKS: Readonly<Record<string, string>> = {
  citations: "names a source that does not fit",
  entities: "uses a name that its source does not",
  faithfulness: "goes beyond its source",
  pii: "may hold personal data",
  relevancy: "may not answer the question",
  support: "is only partly carried by its source",
  terminology: "does not use the agreed terms",
  urls: "holds an address that no source gives",
  values: "gives a number that its source does not",
};

/** Describes a failed check of a sentence. */
export function checkInWords({ name, reason }: Pick<WireAnswer["checks"][number], "name" | "reason">): string {
  const words = CHECKS[name];
  return words === undefined ? reason : `This sentence ${words}.`;
}

export interface ConfidenceWords {
  readonly label: string;
  readonly meaning: string;
}

const FITS: Readonly<Record<Fit, string>> = { well: "Sources fit well", partly: "Sources fit partly", loosely: "Sources fit loosely" };

/**
 * Describes a confidence in words. Calibrated values use the likelihood scale of the IPCC guidance note on uncertainty (2010): very likely
 * from 90 %, likely from 66 %, about as likely as not from 33 %. Uncalibrated values only rank answers, so they get no likelihood.
 */
export function confidenceInWords({
  agg_conf: value,
  agg_conf_calibrated: calibrated,
  profile,
}: Pick<WireAnswer, "agg_conf" | "agg_conf_calibrated" | "profile">): ConfidenceWords {
  if (value === null) return { label: "Confidence not known", meaning: "Nothing was found that could be judged." };
  if (!calibrated) return uncalibrated(value, fitOf(value, profile));
  const label =
    value >= 0.9 ? "Very likely answered" : value >= 0.66 ? "Likely answered" : value >= 0.33 ? "May be answered" : "Unlikely answered";
  return {
    label,
    meaning: `Of answers like this one, about ${formatChance(value)} rest on passages that do answer the question. This was measured on questions whose right answers are known.`,
  };
}

function uncalibrated(value: number, fit: Fit | null): ConfidenceWords {
  const unmeasured =
    "Nobody has yet compared it with questions whose right answers are known for these documents, so it is no probability.";
  const points = `${formatChance(value)} points. It orders answers: a higher one is more often right.`;
  if (fit === null)
    return { label: "Confidence not measured", meaning: `The score of this method, ${formatChance(value)} points. ${unmeasured}` };
  return { label: FITS[fit], meaning: `How well the passages fit the question, ${points} ${unmeasured}` };
}
