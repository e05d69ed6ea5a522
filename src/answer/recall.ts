import type { Hit, Judgement } from "../remember/hit.ts";
import { type Asked, acceptCandidate, approvedQuestions, type Candidate, joinCandidates, relatedQuestions } from "../remember/recall.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { Store } from "../store/store.ts";
import type { Question } from "../types.ts";
import { collect, type Effects, type Known, type LookupParts, recheckOf } from "./lookup.ts";
import type { Found } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

export interface RecallParts
  extends Pick<LookupParts, "questions" | "profile" | "encoder" | "calibrations" | "check" | "guards" | "answers" | "cache"> {
  readonly store: Pick<Store, "cache" | "documents" | "graph">;
  readonly corpus: QuestionReader;
}

/** A question with what the caches and retrieval found for it. */
export interface KnownAndFound {
  readonly question: Question;
  readonly known: Pick<Known, "asked" | "candidates">;
  readonly found: Pick<Found, "passages" | "warnings">;
}

export interface Recalled {
  readonly hit: Hit | null;
  readonly judged: readonly Judgement[];
}

/**
 * One of the collected answers, now that retrieval says how it read the question and which documents it finds; not if it said so only in part. With a graph,
 * approved answers about the same topic and entity stand beside those that lie near, and review status weighs; when none of them has the answer, the graph is
 * asked for any others.
 */
export async function recall(
  { question, known, found }: KnownAndFound,
  parts: RecallParts,
  log: StageLog,
  signal: AbortSignal,
  effects: Effects = "drop",
): Promise<Recalled> {
  const { store, profile, questions } = parts;
  const { asked, candidates } = await asRead({ question, known, found }, parts);
  const how = {
    ...{
      cache: store.cache,
      documents: store.documents,
      answers: parts.answers,
      recheck: recheckOf(question, parts),
    },
    ...{ matcher: questions.matcher, judgeRewording: questions.judgeRewording, readAll: questions.readAll },
    ...{ settings: profile.match, byReview: profile.caches.includes("graph"), signal },
  };
  const accept = (one: Asked, collected: readonly Candidate[]) =>
    acceptCandidate(one, question.scope, collected, found.passages, how, effects);
  const graph = asked !== null && profile.caches.includes("graph");
  const collected = graph ? joinCandidates(await approvedQuestions(asked, store), candidates) : candidates;
  let recalled: Recalled = asked !== null ? await accept(asked, collected) : { hit: null, judged: [] };
  if (graph && recalled.hit === null) {
    // An explanation names the rule of each level; an answer need not ask twice.
    const seen = new Set(effects === "none" ? [] : collected.map(({ stored }) => stored.key));
    const { hit, judged } = await accept(asked, await relatedQuestions(asked, seen, store));
    recalled = { hit, judged: [...recalled.judged, ...judged] };
  }
  log.fact("cache_mode", recalled.hit === null ? "miss" : recalled.hit.level);
  for (const { level, rule } of recalled.judged) log.fact(`${level}_rule`, rule);
  return recalled;
}

const UNSURE = { asked: null, candidates: [] } as const;

/**
 * The question with its misspelt words as they were read, and what lies near it then; nothing where one of them could be another word, or where more is
 * unsure.
 */
async function asRead({ question, known, found }: KnownAndFound, parts: RecallParts): Promise<KnownAndFound["known"]> {
  if (known.asked === null || found.warnings.some(({ code }) => code !== "read_as")) return UNSURE;
  const { text, repairs } = parts.corpus.understand(question, parts.profile.retrieve.query);
  if (repairs.length === 0) return known;
  return parts.corpus.isSure(question, repairs) ? collect(question, text, parts) : UNSURE;
}
