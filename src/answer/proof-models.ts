import type { ReadClaims } from "../check/contrast.ts";
import { createClaimReader, createReaderKeeper } from "../engine/reader-keeper.ts";
import type { EmbeddedEncoder } from "../models/embedded-encoder.ts";
import { createEmbeddedSupportScorer, type EmbeddedSupportScorer } from "../models/embedded-support.ts";
import { sharedEncoder } from "../models/shared-encoder.ts";
import { hashWeights } from "../models/weights-hashes.ts";
import { createWordReader, type ReadWords } from "../reading/content-words.ts";
import { once } from "../text/once.ts";

/** What proofs are scored by, each part read when it is first asked for. */
export interface ProofModels {
  readonly encoder: () => EmbeddedEncoder;
  readonly support: () => EmbeddedSupportScorer;
  readonly readClaims: () => ReadClaims;
  readonly words: () => ReadWords;
  /** Hashes of the weights, by file. */
  readonly hashes: () => Readonly<Record<string, string>>;
}

/** The models that ship. */
export function createProofModels(): ProofModels {
  const encoder = once(sharedEncoder);
  return {
    encoder,
    support: once(() => createEmbeddedSupportScorer(encoder())),
    readClaims: once(() => createClaimReader(createReaderKeeper())),
    words: once(() => createWordReader()),
    hashes: once(hashWeights),
  };
}
