/**
 * Contract suites for vitest. There is one suite per interface; every implementation must pass it.
 * @example describeEncoderContract("mine", async (behaviour) => ({ encoder: openMine(behaviour), close: async () => undefined }));
 */
export { type ChatBehaviour, type ChatUnderTest, describeChatContract } from "./chat-contract.ts";
export { describeEncoderContract, type EncoderUnderTest } from "./encoder-contract.ts";
export { describeReaderContract, type ReaderUnderTest } from "./reader-contract.ts";
export { describeRerankerContract, type RerankerUnderTest } from "./reranker-contract.ts";
export { describeSearchEngineContract } from "./search-engine-contract.ts";
export { describeStoreContract, type StoreUnderTest } from "./store-contract.ts";
export { describeSupportContract, type SupportScorerUnderTest } from "./support-contract.ts";
export { describeVerifierContract, type VerifierUnderTest } from "./verifier-contract.ts";
