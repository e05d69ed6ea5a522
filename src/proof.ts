/** Checks proofs offline: no store, no network, no key. */

export { canonicalJson } from "./proofs/canonical-json.ts";
export { type Proof, type ProofStatement, proofSchema } from "./proofs/proof.ts";
export {
  createProofModels,
  type ProofModels,
  type ProofStep,
  type ProofVerdict,
  type VerifyProofOptions,
  verifyProof,
} from "./proofs/verify-proof.ts";
