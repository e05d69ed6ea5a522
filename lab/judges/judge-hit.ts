import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFile } from "../../src/ingest/parse.ts";
import type { Answer, Citation } from "../../src/shared/types.ts";
import { sha256Hex } from "../../src/text/hash.ts";

/** Comparison of a served answer with the engine's current answer to the same question. */
export type Sources =
  /** Both cite at least one common quote or passage. */
  | "common"
  /** They share no quote and no passage. */
  | "other"
  /** The engine currently refuses the question. */
  | "refused";

/** Current content of the files, read from disk and not from the engine's store. */
export interface FilesToday {
  /** Returns why a citation no longer matches its file; `null` if it matches. */
  fault(citation: Citation): string | null;
}

/** @param root folder that citation paths are relative to */
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

/** Returns why an answer is stale: a citation of an outdated version, or a quote that does not match exactly; `null`: it is current. */
export function staleBecause({ citations }: Answer, files: FilesToday): string | null {
  if (citations.length === 0) return "it cites nothing";
  for (const citation of citations) {
    const fault = files.fault(citation);
    if (fault !== null) return fault;
  }
  return null;
}

/** Tests whether two answers have the same sentences with the same quotes. */
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
