/** For measuring and for tools of our own: no promise that these stay as they are. */

export { admit } from "./answer/admit.ts";
export { lookup, recall } from "./answer/lookup.ts";
export { retrieve } from "./answer/retrieve.ts";
export { createReaderKeeper, createShippedSupport } from "./engine/reader-keeper.ts";
export { answerableSchema, readGolden } from "./grade/golden.ts";
export { createRandom, quantile } from "./grade/metrics.ts";
export { countRow, makeReport, type TableRow } from "./grade/report.ts";
export { readFrontMatter } from "./ingest/formats/front-matter.ts";
export { rowBreaks } from "./ingest/line-breaks.ts";
export { parseFile } from "./ingest/parse.ts";
export { RAW_SCALE } from "./models/calibration/calibration.ts";
export { loadEmbeddedEncoder } from "./models/embedded-encoder.ts";
export { PACKAGE_ROOT } from "./package.ts";
export { profileNamed } from "./profiles/index.ts";
export { createReader as createModelReader, SHIPPED_WEIGHTS } from "./reader/create-reader.ts";
export { loadReaderWeights, piecesOf } from "./reader/weights.ts";
export { exactCacheKey, scopeKey } from "./remember/cache.ts";
export { Bm25Index } from "./retrieve/bm25.ts";
export { DenseIndex } from "./retrieve/dense.ts";
export { retrievePassages } from "./retrieve/retrieve.ts";
export { SlotSet } from "./retrieve/slot-set.ts";
export { withSnapshotFile } from "./retrieve/snapshot.ts";
export type { RetrievePart, TimePart } from "./retrieve/top-k.ts";
export { createScalarKernel } from "./retrieve/wasm/kernel.ts";
export { createWordpiece } from "./text/wordpiece.ts";
export { createFactReader } from "./verify/facts.ts";
export { askWeb, type WebParts } from "./verify/web.ts";
