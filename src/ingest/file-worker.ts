import { parentPort, workerData } from "node:worker_threads";
import { IngestError, messageOf } from "../shared/errors.ts";
import { createRecogniser, findRecognition, type Recogniser } from "./formats/pdf/recognise.ts";
import { readDocuments } from "./parse.ts";
import { type DocumentDraft, draftDocuments } from "./to-document.ts";

/** A file to read. Its bytes are transferred, not copied. */
export type FileTask = Readonly<{ path: string; bytes: Uint8Array }>;

/** A message from the thread about a file: its documents, its failure, or progress. */
export type FileOutcome =
  | { readonly type: "documents"; readonly documents: readonly DocumentDraft[] }
  /** Sent after each recognised page or picture. It restarts the time limit of the file. */
  | { readonly type: "going-on" }
  | { readonly type: "failure"; readonly code: string; readonly message: string; readonly data: Readonly<Record<string, unknown>> };

/** Script of a reader thread, which reads files one after the other. If a file exceeds its time limit, the main thread ends this thread. */
const { hasChunks } = workerData as { readonly hasChunks: boolean };
const installed = findRecognition();
const recogniser = installed === null ? null : reporting(createRecogniser(installed));
let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (task: FileTask) => {
  last = last.then(() => read(task));
});

async function read(task: FileTask): Promise<void> {
  try {
    const withoutChunks = async () => (await readDocuments(task)).map((parsed) => ({ ...parsed, chunks: [] }));
    const documents = await (hasChunks ? draftDocuments(task, recogniser) : withoutChunks());
    parentPort?.postMessage({ type: "documents", documents } satisfies FileOutcome);
  } catch (error) {
    parentPort?.postMessage(failureOf(error, task.path));
  }
}

/** Wraps a recogniser (OCR) so that it sends `going-on` after each page or picture, because recognition takes seconds. */
function reporting(recogniser: Recogniser): Recogniser {
  return {
    ...recogniser,
    async recognise(picture) {
      try {
        return await recogniser.recognise(picture);
      } finally {
        parentPort?.postMessage({ type: "going-on" } satisfies FileOutcome);
      }
    },
  };
}

function failureOf(error: unknown, path: string): FileOutcome {
  if (error instanceof IngestError) return { type: "failure", code: error.code, message: error.message, data: { ...error.data } };
  const message = `${path} could not be parsed: ${messageOf(error).slice(0, 300)}. Please report this file.`;
  return { type: "failure", code: "parse_failed", message, data: {} };
}
