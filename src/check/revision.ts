/**
 * Number of what the checks do. It is raised whenever one of them says another thing of the same sentence, be it by a word: proofs and records name it, so that a
 * verifier can tell an answer of other checks from one that was tampered with. `revision.test.ts` fails where it was forgotten. 1: everything before records
 * named it.
 */
export const CHECKS_REVISION = 10;

/** Of records and proofs that name none. */
export const FIRST_CHECKS = 1;
