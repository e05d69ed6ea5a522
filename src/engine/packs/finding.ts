/** What a check of a pack looks at. */
export const PACK_CHECKS = [
  "schema",
  "documents",
  "tenants",
  "terms",
  "features",
  "topics",
  "vocabulary",
  "entities",
  "addresses",
  "golden",
  "calibration",
  "profile",
  "examples",
] as const;

/** `fault`: something does not work; `warning`: something does nothing, or not what was meant; `note`: something is not there, or is good to know. */
export type FindingLevel = "fault" | "warning" | "note";

export interface PackFinding {
  readonly level: FindingLevel;
  readonly check: (typeof PACK_CHECKS)[number];
  /** What is wrong, and what to do. */
  readonly message: string;
  /** Every place, where there are several. */
  readonly items: readonly string[];
}

export function packFinding(level: FindingLevel, check: PackFinding["check"], message: string, items: readonly string[] = []): PackFinding {
  return { level, check, message, items };
}
