/**
 * Verifies proofs offline, without a store, a network or a model endpoint.
 * @example
 * import { readFileSync } from "node:fs";
 * import { verifyProof } from "sourcebound/proof";
 * const { status } = await verifyProof(readFileSync("proof.json", "utf8"), "documents", { key: readFileSync("key.pem", "utf8") });
 */

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
