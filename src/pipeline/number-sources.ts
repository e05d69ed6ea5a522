import type { ParsedDocument } from "../ingest/parse.ts";
import { SourceboundError } from "../shared/errors.ts";

/** What a number cites. */
export interface NumberedSource {
  readonly path: string;
  /** `null`: it could not be read, for `reason`. */
  readonly document: ParsedDocument | null;
  readonly reason: string;
}

/** What an answer is checked against. */
export interface Sources {
  /** `[n]` in the answer cites the n-th. */
  readonly numbered: readonly NumberedSource[];
  /** What was seen and is cited by no number, and why. */
  readonly unnumbered: readonly { readonly path: string; readonly reason: string }[];
}

/** What could not be read; `n` is `null` where no number cites it. */
export interface UnreadSource {
  readonly n: number | null;
  readonly path: string;
  readonly reason: string;
}

/**
 * A number for every file in the order given, whether or not it can be read: one that is empty shifts no other. A file of several documents, such as a list in
 * JSON, has one for each.
 */
export async function numberSources(
  files: readonly { readonly path: string; readonly read: () => Promise<readonly ParsedDocument[]> }[],
  unnumbered: Sources["unnumbered"] = [],
): Promise<Sources> {
  const numbered: NumberedSource[] = [];
  const unread = (path: string, reason: string) => ({ path, document: null, reason });
  for (const { path, read } of files) {
    try {
      const documents = await read();
      for (const document of documents)
        numbered.push(document.text.trim() === "" ? unread(document.path, EMPTY) : { path: document.path, document, reason: "" });
      if (documents.length === 0) numbered.push(unread(path, EMPTY));
    } catch (error) {
      if (!(error instanceof SourceboundError)) throw error;
      numbered.push(unread(path, reasonOf(error, path)));
    }
  }
  return { numbered, unnumbered };
}

const EMPTY = "holds no text";

/** The message without the path that stands before it: it is named beside. */
function reasonOf({ message }: SourceboundError, path: string): string {
  return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}
