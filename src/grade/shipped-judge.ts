import { sharedEncoder } from "../models/embedded-encoder.ts";
import { createEmbeddedSupportScorer } from "../models/embedded-support.ts";
import { type ClaimJudge, createClaimJudge } from "./claim-judge.ts";

/** A judge with the learned score that ships, whatever is configured: with a judge that is another model each time runs could not be compared. */
export function createShippedJudge(): ClaimJudge {
  return createClaimJudge(createEmbeddedSupportScorer(sharedEncoder()));
}
