import { askedWords } from "../language/asked-words.ts";
import type { CorpusCounts } from "../store/documents.ts";
import type { Evidence, Question, Refusal } from "../types.ts";
import type { WordStatistics } from "./verify.ts";

/** Near misses shown. */
const NEAREST = 3;

export interface RefusalParts {
  readonly words: WordStatistics;
  readonly contacts: readonly { readonly name: string; readonly contact: string; readonly when: readonly string[] }[];
}

/** An answer of absence: what was searched, what came nearest and what it lacks, whom to ask. It never says that the documents say no. */
export function explainRefusal(
  question: Question,
  reason: Refusal["reason"],
  sentence: string,
  evidence: readonly Evidence[],
  counts: CorpusCounts & { readonly within?: string },
  { words, contacts }: RefusalParts,
): Refusal {
  const empty = counts.documents === 0;
  return {
    reason: empty ? "empty_corpus" : reason,
    message: empty
      ? "No documents have been ingested for this domain yet, so nothing could be searched. Read a folder first: sourcebound ingest FOLDER."
      : question.text === question.resolved
        ? sentence
        : `${sentence} It was read as a follow-up: ask the question in full.`,
    searched: counts,
    nearest: nearestMisses(question, evidence, words),
    contacts: contacts
      .filter(({ when }) => when.length === 0 || mentions(question.resolved, when))
      .map(({ name, contact }) => ({ name, contact })),
  };
}

/** Does the text contain one of the phrases as whole words, in any case? */
export function mentions(text: string, phrases: readonly string[]): boolean {
  const plain = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}&]+/gu, " ")} `;
  return phrases.some((phrase) =>
    plain.includes(
      ` ${phrase
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}&]+/gu, " ")
        .trim()} `,
    ),
  );
}

function nearestMisses(question: Question, evidence: readonly Evidence[], words: WordStatistics): Refusal["nearest"] {
  const asked = askedWords(question.resolved, words);
  const best = [...evidence].sort((a, b) => b.score - a.score);
  const byDocument = new Map([...best].reverse().map((one) => [one.passage.document.id, one]));
  return best
    .filter((one) => byDocument.get(one.passage.document.id) === one)
    .slice(0, NEAREST)
    .map(({ passage }) => {
      const held = new Set(words.tokens([passage.document.title, ...passage.headingPath, passage.text].join("\n")));
      const missing = asked.filter(({ tokens }) => !tokens.some((token) => held.has(token))).map(({ word }) => word);
      return { title: passage.document.title, url: passage.document.url, missing };
    });
}
