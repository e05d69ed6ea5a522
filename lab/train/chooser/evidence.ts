import { resolveFollowUp } from "../../../src/admit/follow-up.ts";
import { wordsFor } from "../../../src/answer/retrieve.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { sourcebound } from "../../../src/profiles/sourcebound.ts";
import { Lexicon } from "../../../src/retrieve/lexicon.ts";
import { createEmbeddedReranker, readRerankWeights } from "../../../src/retrieve/rerank.ts";
import { type RetrieveParts, retrievePassages } from "../../../src/retrieve/retrieve.ts";
import type { Evidence, Passage, Question } from "../../../src/types.ts";
import { combineScores, readRelevanceWeights, relevanceOf } from "../../../src/verify/relevance.ts";
import { viewEvidence } from "../../../src/verify/sufficiency-view.ts";

/** Passages asked for where some are left out, so that there are enough of the others. */
const DEEP = 24;
/** Candidates of retrieval, and as many more where passages are left out. */
const CANDIDATES = 50;

/** What the pieces of a question are measured with; the encoder is loaded once. */
export function openMeasuring() {
  const encoder = loadEmbeddedEncoder();
  const lexicon = new Lexicon(encoder);
  const reranker = createEmbeddedReranker(encoder, readRerankWeights(), lexicon);
  const relevance = readRelevanceWeights();
  const embed = (texts: readonly string[]) => encoder.embedSync(texts);

  /** The passages that retrieval brings up for a question, and which of them may be used; `null`: there are none. `leftOut` are as if they were not there. */
  async function findEvidence(
    question: Question,
    leftOut: ((passage: Passage) => boolean) | null,
    parts: RetrieveParts,
    signal: AbortSignal,
  ) {
    const { passages: usual } = sourcebound.retrieve;
    const deep = leftOut !== null;
    const settings = { ...sourcebound.retrieve, passages: deep ? DEEP : usual, candidates: deep ? 2 * CANDIDATES : CANDIDATES };
    const { passages: found } = await retrievePassages(question, settings, parts, signal);
    const passages = leftOut === null ? found : found.filter((passage) => !leftOut(passage)).slice(0, usual);
    if (passages.length === 0) return null;
    const words = wordsFor(question, { corpus: parts.corpus, profile: sourcebound });
    const view = viewEvidence(words.asked, passages, words, lexicon, 0);
    const chances = relevanceOf(view, relevance.passage).map(({ probability }) => probability);
    const evidence = passages.map(toEvidence).filter((_, i) => {
      const score = combineScores({ relevance: chances[i] as number, consistency: null, agreement: null }, relevance);
      return score >= relevance.cuts.rejected;
    });
    return { passages, words, view, chances, evidence };
  }

  return { encoder, embed, reranker, findEvidence };
}

/** A question as the program asks it in the default profile, of documents that everybody may read. */
export function toQuestion({ question, scope }: { readonly question: string; readonly scope: string | null }): Question {
  return {
    ...{ text: question, resolved: question, scope: { domain: "set", tenant: scope, access: ["public"] }, profile: "sourcebound" },
    ...{ detail: "normal" as const, sessionId: null, selection: null, history: [], injectionSignals: [] },
  };
}

/** The same of one that leans on another, which was answered from a document of this title. */
export function toFollowUp(first: string, question: string, title: string): Question {
  const history = [{ question: first, answer: "", titles: [title] }];
  return { ...toQuestion({ question, scope: null }), resolved: resolveFollowUp(question, history).text, history };
}

function toEvidence(passage: Passage): Evidence {
  return { passage, verdict: "verified", relevance: null, consistency: null, agreement: null, score: 1, reason: "" };
}
