import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFile } from "../../src/ingest/parse.ts";
import type { Answer, Citation } from "../../src/shared/types.ts";
import { sha256Hex } from "../../src/text/hash.ts";

/** How a served answer stands beside what the engine answers the asked question today. */
export type Sources =
  /** At least one quote or passage is cited by both. */
  | "common"
  /** No quote and no passage is. */
  | "other"
  /** Today the question, asked alone, is refused. */
  | "refused";

/** What the files say today, read from the disk and not from the engine's store. */
export interface FilesToday {
  /** Why a citation no longer stands in its file; `null`: it does. */
  fault(citation: Citation): string | null;
}

/** @param root citations name their files relative to it */
export function readFilesToday(root: string): FilesToday {
  const parsed = new Map<string, readonly string[]>();
  return {
    fault({ original, quote, start, end }) {
      const [path = ""] = original.path.split("#");
      const bytes = readBytes(join(root, path));
      if (bytes === null) return `${path} is gone`;
      const hash = sha256Hex(bytes);
      if (hash !== original.sha256) return `${path} has another version`;
      const texts = parsed.get(`${path} ${hash}`) ?? parseFile({ path, bytes }).map(({ text }) => text);
      parsed.set(`${path} ${hash}`, texts);
      return texts.some((text) => text.slice(start, end) === quote) ? null : `a quote does not stand in ${path}`;
    },
  };
}

function readBytes(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Why an answer must not have been served today: a citation is of a version that is gone, or its quote is not there byte for byte; `null`: none. */
export function staleBecause({ citations }: Answer, files: FilesToday): string | null {
  if (citations.length === 0) return "it cites nothing";
  for (const citation of citations) {
    const fault = files.fault(citation);
    if (fault !== null) return fault;
  }
  return null;
}

/** Do two answers say the same by the same quotes? */
export function saysTheSame(one: Answer, other: Answer): boolean {
  return said(one) === said(other);
}

function said({ status, sentences, citations }: Answer): string {
  const quotes = new Map(citations.map(({ n, documentId, quote }) => [n, [documentId, quote]]));
  return JSON.stringify([status, sentences.map((sentence) => [sentence.text, sentence.citations.map((n) => quotes.get(n))])]);
}

export function compareSources(served: Answer, fresh: Answer): Sources {
  if (fresh.status !== "ok") return "refused";
  const of = ({ citations }: Answer) =>
    new Set(citations.flatMap(({ documentId, quote, chunkId }) => [JSON.stringify([documentId, quote]), chunkId]));
  const known = of(fresh);
  return [...of(served)].some((one) => known.has(one)) ? "common" : "other";
}
