import type { ClaimJudge } from "./claim-judge.ts";

/** The judge of answers' sentences with the scorer that ships; its weights are loaded only here. */
export async function openJudge(): Promise<ClaimJudge> {
  const { createClaimJudge } = await import("./claim-judge.ts");
  const { createEmbeddedSupportScorer } = await import("../models/embedded-support.ts");
  const { loadEmbeddedEncoder } = await import("../models/embedded-encoder.ts");
  return createClaimJudge(createEmbeddedSupportScorer(loadEmbeddedEncoder()));
}
