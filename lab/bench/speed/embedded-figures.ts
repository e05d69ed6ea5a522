/** What a process measured. `readyMs`: until all documents are searchable. `writtenMs`: until a change of one document was stored; `null`: none was. */
export interface EmbeddedFigures {
  readonly windows: number;
  readonly readyMs: number;
  readonly processorMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly searchProcessorMs: number;
  readonly writtenMs: number | null;
  readonly bytes: number;
  readonly peak: number;
  readonly words: number;
  readonly vectors: number;
}

export const GENERATED = { seed: 11, chunksPerDocument: 10, windowsPerChunk: 4 } as const;
