import type { Config } from "../shared/config.ts";
import { RequestError } from "../shared/errors.ts";
import { memoised } from "../text/memo.ts";
import { didYouMean } from "../text/spelling.ts";
import { book } from "./book.ts";
import { GUARDS, VALIDATOR_GUARDS } from "./guards.ts";
import type { Profile, WriteMode } from "./profile.ts";
import { sevenLayer } from "./seven-layer.ts";
import { sourcebound } from "./sourcebound.ts";
import { spark } from "./spark.ts";
import { validator } from "./validator.ts";
import { vgRag } from "./vg-rag.ts";

/** All profiles, the default first. */
export const profiles: readonly Profile[] = [sourcebound, sevenLayer, spark, vgRag, validator, book];

/** @throws RequestError `unknown_profile` with the most similar known name */
export function profileNamed(name: string, known: readonly Profile[] = profiles): Profile {
  const found = known.find((profile) => profile.name === name);
  if (found !== undefined) return found;
  const names = known.map((profile) => profile.name);
  const message = `Unknown profile "${name}".${didYouMean(name, names)} Known profiles: ${names.join(", ")}.`;
  throw new RequestError("unknown_profile", message, { profile: name });
}

/** Returns a function that applies the configuration and a request's mode to a profile. Equal inputs give the same object. */
export function createConfigured({ grade, write_from: writeFrom }: Pick<Config, "grade" | "write_from">) {
  const made = memoised((profile: Profile) =>
    memoised((mode: WriteMode | undefined): Profile => {
      const { gate, write } = profile;
      const changed: Profile = {
        ...profile,
        gate: gate.type === "sufficiency" && writeFrom !== undefined ? { ...gate, writeFrom } : gate,
        write: mode === undefined ? write : { ...write, mode },
      };
      return grade === "always" ? graded(changed) : changed;
    }),
  );
  return (profile: Profile, mode?: WriteMode): Profile => made(profile)(mode);
}

/**
 * Adds the five metrics of `validator` to a profile, for every answer. The profile's own guards keep their effect; added
 * guards only report. A profile that already reports metrics is returned unchanged.
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
    // The default guard counts only text that a model wrote (`tokens`). This one also measures extractive answers.
    tokens: VALIDATOR_GUARDS.tokens,
  };
  return { ...profile, report, check: { ...profile.check, guards } };
}
