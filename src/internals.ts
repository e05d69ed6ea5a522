/** For measuring and for tools of our own: no promise that these stay as they are. */
export { checkSentence } from "./check/check.ts";
export { createReader } from "./check/statements.ts";
export type { Benchmark } from "./cli/commands/bench.ts";
export { answerableSchema, readGolden } from "./evaluate/golden.ts";
export { mean, quantile, wilson } from "./evaluate/metrics.ts";
export { listPeers, loadPeer, type Peer, type Search } from "./evaluate/peers.ts";
export { createRandom } from "./evaluate/random.ts";
export { admittedIn } from "./evaluate/refusal-sets.ts";
export { countRow, decimal, type Report, type TableRow, versionsOf } from "./evaluate/report.ts";

export { parseFile } from "./ingest/parse.ts";

export { createWordReader } from "./language/content-words.ts";
export { lookup, recall } from "./memory-steps.ts";
export { RAW_SCALE } from "./models/calibration/calibration.ts";
export { loadEmbeddedEncoder } from "./models/embedded-encoder.ts";
export { createEmbeddedSupportScorer } from "./models/embedded-support.ts";
export { profileNamed } from "./profiles/index.ts";
export { exactCacheKey, scopeKey } from "./remember/cache.ts";
export type { Matcher } from "./remember/matcher.ts";
export { Bm25Index } from "./retrieve/bm25.ts";
export { DenseIndex } from "./retrieve/dense.ts";
export { Lexicon } from "./retrieve/lexicon.ts";
export { type RetrieveParts, retrievePassages } from "./retrieve/retrieve.ts";
export { SlotSet } from "./retrieve/slot-set.ts";
export { withSnapshotFile } from "./retrieve/snapshot.ts";
export type { RetrievePart, TimePart } from "./retrieve/time-part.ts";
export { createScalarKernel } from "./retrieve/wasm/scalar.ts";
export { PACKAGE_ROOT } from "./root.ts";
export { admit, decide, retrieve, verify } from "./steps.ts";
export type { CachePut } from "./store/cache.ts";
export { createFactReader } from "./verify/facts.ts";
export { readRelevanceWeights } from "./verify/relevance.ts";
export { readSufficiencyWeights } from "./verify/sufficiency.ts";
export { askWeb, type WebParts } from "./verify/web.ts";
