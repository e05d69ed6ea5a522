/** Checks proofs offline: no store, no network, no key. */

export {
  createProofModels,
  type ProofModels,
  type ProofStep,
  type ProofVerdict,
  type VerifyProofOptions,
  verifyProof,
} from "./answer/verify-proof.ts";
export { canonicalJson } from "./prove/canonical-json.ts";
export { type Proof, type ProofStatement, proofSchema } from "./prove/proof.ts";
