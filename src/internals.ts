/** Internal exports for measurements and our own tools. They may change in any version. */

export { createReader as createModelReader, SHIPPED_WEIGHTS } from "./cross-encoder/create-reader.ts";
export { loadReaderWeights, piecesOf } from "./cross-encoder/weights.ts";
export { createReaderKeeper, createShippedSupport } from "./engine/local-models.ts";
export { createFactReader } from "./evidence/facts.ts";
export { askWeb, type WebParts } from "./evidence/web.ts";
export { answerableSchema, readGolden } from "./grading/golden.ts";
export { createRandom, quantile } from "./grading/metrics.ts";
export { countRow, makeReport, type TableRow } from "./grading/report.ts";
export { readFrontMatter } from "./ingest/formats/front-matter.ts";
export { rowBreaks } from "./ingest/line-breaks.ts";
export { parseFile } from "./ingest/parse.ts";
export { exactCacheKey, scopeKey } from "./memory/stored-answers.ts";
export { RAW_SCALE } from "./models/calibration/calibration.ts";
export { loadEmbeddedEncoder } from "./models/embedded-encoder.ts";
export { PACKAGE_ROOT } from "./package.ts";
export { admit } from "./pipeline/admit.ts";
export { lookup, recall } from "./pipeline/lookup.ts";
export { retrieve } from "./pipeline/retrieve.ts";
export { profileNamed } from "./profiles/index.ts";
export { Bm25Index } from "./retrieval/bm25.ts";
export { DenseIndex } from "./retrieval/dense.ts";
export { retrievePassages } from "./retrieval/retrieve.ts";
export type { RetrievePart, TimePart } from "./retrieval/top-k.ts";
export { SlotSet } from "./retrieval/top-k.ts";
export { createWordpiece } from "./text/wordpiece.ts";
