import { GUARDS, VALIDATOR_GUARDS } from "./guards.ts";
import type { Profile } from "./profile.ts";
import { validator } from "./validator.ts";

/**
 * The profile with the report of `validator`: every answer is graded by its five metrics. What the profile's own guards do stays; those that it lacks only report.
 * A profile that has a report keeps it.
 */
export function graded(profile: Profile): Profile {
  const { report } = validator;
  if (profile.report !== undefined || report === undefined) return profile;
  const own = profile.check.guards ?? GUARDS;
  const guards = {
    ...own,
    terminology: own.terminology === "off" ? VALIDATOR_GUARDS.terminology : own.terminology,
    relevancy: own.relevancy ?? VALIDATOR_GUARDS.relevancy,
    faithfulness: own.faithfulness ?? VALIDATOR_GUARDS.faithfulness,
    // Of quotes and models alike; a tokenizer counts only what a model wrote.
    tokens: VALIDATOR_GUARDS.tokens,
  };
  return { ...profile, report, check: { ...profile.check, guards } };
}
