import { z } from "zod";

type Library = typeof import("unpdf/pdfjs");
export type PdfWorker = InstanceType<Library["PDFWorker"]>;

/** What the two halves of the library say to each other. */
interface Message {
  readonly sourceName: string;
  readonly targetName: string;
  readonly action?: string;
  readonly callbackId?: number;
  readonly chunk?: Partial<Operators>;
}

/** A part of a page's operators, as it is sent. */
interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

type Listener = (event: { readonly data: unknown }) => void;

/** The side of a port that the library uses. */
interface Port {
  postMessage(message: Message, transfer?: readonly ArrayBuffer[] | null): void;
  addEventListener(type: string, listener: Listener, options?: { readonly signal?: AbortSignal } | null): void;
  removeEventListener(type: string, listener: Listener): void;
}

/** Where the library leaves the half that reads, which it would run in a thread of its own in a browser. */
const readingHalfSchema = z.object({
  WorkerMessageHandler: z.custom<{ initializeFromPort(port: Port): void }>((value) => typeof value === "function"),
});
/** How the library marks an answer that holds what was asked for. */
const ANSWER = 1;

/**
 * The half of the library that reads, in this thread. Its own port copies every operator of a page with all its letters; this one hands them over.
 * To be destroyed by who opened it. `null`: the library does not say where its half is, and has to open it itself.
 */
export function openWorker({ PDFWorker, VerbosityLevel }: Library): PdfWorker | null {
  const { data: half } = readingHalfSchema.safeParse(Reflect.get(globalThis, "pdfjsWorker"));
  if (half === undefined) return null;
  const port = createPort();
  const worker = new PDFWorker({ port: port as never, verbosity: VerbosityLevel.ERRORS });
  half.WorkerMessageHandler.initializeFromPort(port);
  return worker;
}

/** Messages arrive later and in order. */
export function createPort(): Port {
  const listeners = new Set<Listener>();
  const ready = Promise.resolve();
  const deliver = (data: unknown) => {
    ready.then(() => {
      for (const listener of [...listeners]) listener({ data });
    });
  };
  return {
    postMessage(message, transfer) {
      const { action, callbackId, sourceName, targetName } = message;
      // No letters are drawn here: their shapes, which are asked for as no font can be loaded, are not made.
      if (action === "FontFallback") deliver({ sourceName: targetName, targetName: sourceName, callback: ANSWER, callbackId, data: null });
      else deliver(operatorsOf(message) ?? structuredClone(message, { transfer: [...(transfer ?? [])] }));
    },
    addEventListener(_, listener, options) {
      listeners.add(listener);
      options?.signal?.addEventListener("abort", () => listeners.delete(listener), { once: true });
    },
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
}

/** A message with operators, which are only read: their sender empties the lists and keeps nothing of them; `null`: it holds something else. */
function operatorsOf(message: Message): Message | null {
  const { chunk } = message;
  if (chunk?.fnArray === undefined || chunk.argsArray === undefined) return null;
  return { ...message, chunk: { ...chunk, fnArray: chunk.fnArray.slice(), argsArray: chunk.argsArray.slice() } };
}
