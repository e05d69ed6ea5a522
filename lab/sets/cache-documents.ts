import type { SlotVocabulary } from "../../src/language/slot-vocabulary.ts";
import { readAbout } from "../../src/language/slots.ts";
import { type Closeness, documentOverlap } from "../../src/memory/match.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { createMemoryCorpus } from "./memory-corpus.ts";
import type { RetrievalDocument } from "./retrieval-sets.ts";

interface Found {
  readonly id: string;
  readonly texts: readonly string[];
}

export type Retrieved = Pick<Closeness, "documentOverlap" | "citedRank" | "about" | "found">;

/** Number of retrieved passages compared with those of a cached answer. */
export const FOUND = 5;
/** Number of passages that determine the subject of a question. */
export const READ = 2;
/** Number of leading characters of a passage that determine its subject. */
const READ_CHARACTERS = 1200;

/**
 * Indexes documents and returns a function that compares retrieval for two questions, with the fusion of the default profile. The stored
 * answer is assumed to cite the top passage of its question.
 */
export async function openDocuments(
  documents: readonly RetrievalDocument[],
  encoder: EmbeddedEncoder,
  vocabulary: SlotVocabulary,
): Promise<(stored: string, asked: string) => Promise<Retrieved>> {
  const corpus = await createMemoryCorpus(documents, encoder);
  const { alpha, beta, fusion } = sourcebound.retrieve;
  const scope = { domain: "set", tenant: null, access: ["public"] };
  const known = new Map<string, readonly Found[]>();
  const find = async (text: string): Promise<readonly Found[]> => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const vector = await corpus.embedQuestion(text, { signal: NEVER });
    const terms = corpus.tokens(text);
    const ranked = await corpus.search({ terms, codes: [], vector, scope, bm25: true, candidates: 40, alpha, beta, fusion });
    const found = ranked
      .slice(0, FOUND)
      .map(({ chunk, title, text: window }) => ({ id: chunk.id, texts: [title, ...chunk.headingPath, window.slice(0, READ_CHARACTERS)] }));
    known.set(text, found);
    return found;
  };
  const about = (found: readonly Found[]) =>
    new Set(
      readAbout(
        found.flatMap(({ texts }) => texts),
        vocabulary,
      ),
    );
  return async (stored, asked) => {
    const [storedFound, askedFound] = [await find(stored), await find(asked)];
    const [cited] = storedFound;
    const ids = (found: readonly Found[]) => found.map(({ id }) => id);
    return {
      documentOverlap: documentOverlap(ids(askedFound), ids(storedFound)),
      citedRank: cited === undefined ? -1 : ids(askedFound).indexOf(cited.id),
      about: about(storedFound.slice(0, 1)),
      found: about(askedFound.slice(0, READ)),
    };
  };
}

const NEVER = new AbortController().signal;
