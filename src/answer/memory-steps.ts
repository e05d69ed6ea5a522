import type { AnswerEvent } from "../events.ts";
import { exactCacheKey, sharingScope } from "../remember/cache.ts";
import { curatedKey, lookupCurated } from "../remember/curated.ts";
import { lookupExact } from "../remember/lookup.ts";
import {
  type Asked,
  acceptCandidate,
  type Candidate,
  type Hit,
  type Judgement,
  nearestQuestions,
  relatedQuestions,
} from "../remember/recall.ts";
import { rememberAnswer } from "../remember/remember.ts";
import type { Answer, AskRequest, Passage, Question, Warning } from "../types.ts";
import { checking, passesAgain } from "./checked-sentences.ts";
import { reportFailed, reportLowConfidence } from "./low-confidence.ts";
import { createOutcome, type Outcome } from "./outcome.ts";
import { type AnswerParts, admit, assertCanRun, hotlines, retrieve, wordsFor } from "./steps.ts";
import type { StageLog } from "./trace.ts";

/** What the caches know before retrieval: an answer, or stored questions that may be the one asked. */
export interface Known {
  readonly hit: Hit | null;
  readonly asked: Asked | null;
  readonly candidates: readonly Candidate[];
  readonly judged: readonly Judgement[];
}

type Effects = "drop" | "none";

/** What a reviewer wrote first, then the exact cache; what lies near is collected, and accepted in `recall` when the passages are known. */
export async function lookup(question: Question, parts: AnswerParts, log: StageLog, effects: Effects = "drop"): Promise<Known> {
  const curated = await lookupReviewed(question, parts, effects);
  const known =
    curated !== null ? { ...NOTHING, hit: curated } : notAsked(question, parts) === null ? await ask(question, parts, effects) : NOTHING;
  log.fact("cache_mode", known.hit === null ? "miss" : known.hit.level);
  log.fact("candidates", known.candidates.length);
  return known;
}

/** It is no cache: it is served whether or not the cache is switched on. */
async function lookupReviewed(question: Question, parts: AnswerParts, effects: Effects): Promise<Hit | null> {
  if (parts.remember === null || uncacheable(question, parts) !== null) return null;
  const { review, documents } = parts.store;
  const places = { documents, review: effects === "drop" ? review : { ...review, demote: async () => undefined } };
  return lookupCurated(curatedKey(question, parts.cache), question, { ...places, recheck: recheckOf(question, parts) });
}

const NOTHING: Known = { hit: null, asked: null, candidates: [], judged: [] };

async function ask(question: Question, parts: AnswerParts, effects: Effects): Promise<Known> {
  const { store, profile, recall, cache } = parts;
  const places = { cache: store.cache, documents: store.documents, classify: recall.classify, recheck: recheckOf(question, parts) };
  const exact = await lookupExact(exactCacheKey(question, cache), question.scope, places, effects);
  if (exact.hit !== null) return { ...NOTHING, hit: exact.hit, judged: [exact.judged] };
  const asked = profile.caches.some((level) => level !== "exact") ? await describe(question, parts) : null;
  if (asked === null) return { ...NOTHING, judged: [exact.judged] };
  const candidates = profile.caches.includes("semantic") ? await nearestQuestions(asked, { ...places, index: recall.index }) : [];
  return { hit: null, asked, candidates, judged: [exact.judged] };
}

/** The question as other questions find it; `null` when it shares no answers. */
async function describe(question: Question, { cache, recall, profile }: AnswerParts): Promise<Asked | null> {
  const scope = sharingScope(question, cache);
  if (scope === null || recall.embed === null) return null;
  const text = question.resolved;
  return {
    ...recall.classify(text),
    text,
    scope,
    domain: question.scope.domain,
    vector: await recall.embed(recall.matcher.textFor(text, profile.match)),
  };
}

/**
 * One of the collected answers, now that retrieval says which documents the question finds; not if it said so only in part. The graph is asked when no near
 * question has the answer, for those that were not near.
 */
export async function recall(
  question: Question,
  { asked, candidates }: Known,
  found: { readonly passages: readonly Passage[]; readonly warnings: readonly Warning[] },
  parts: AnswerParts,
  log: StageLog,
  effects: Effects = "drop",
): Promise<{ hit: Hit | null; judged: readonly Judgement[] }> {
  const { store, profile, recall } = parts;
  const sure = asked !== null && found.warnings.length === 0;
  const how = {
    ...{ cache: store.cache, documents: store.documents, classify: recall.classify, recheck: recheckOf(question, parts) },
    ...{ matcher: recall.matcher, settings: profile.match },
  };
  const accept = (asked: Asked, candidates: readonly Candidate[]) =>
    acceptCandidate(asked, question.scope, candidates, found.passages, how, effects);
  let outcome = sure ? await accept(asked, candidates) : { hit: null, judged: [] as Judgement[] };
  if (sure && outcome.hit === null && profile.caches.includes("graph")) {
    // An explanation names the rule of each level; an answer need not ask twice.
    const near = new Set(effects === "none" ? [] : candidates.map(({ stored }) => stored.key));
    const related = await relatedQuestions(asked, near, store);
    const { hit, judged } = await accept(asked, related);
    outcome = { hit, judged: [...outcome.judged, ...judged] };
  }
  log.fact("cache_mode", outcome.hit === null ? "miss" : outcome.hit.level);
  for (const { level, rule } of outcome.judged) log.fact(`${level}_rule`, rule);
  return outcome;
}

/** Why a question is not asked of the caches at all; `null`: it is. */
export function notAsked(question: Question, parts: AnswerParts): string | null {
  const { profile, remember } = parts;
  if (remember === null) return "nothing is stored";
  if (!remember.cache.enabled || remember.cache.entries === 0) return "the cache is switched off";
  if (!profile.caches.includes("exact")) return `profile "${profile.name}" has no cache`;
  return uncacheable(question, parts);
}

/** What a model writes may depend on the history beyond the resolved question, and an emergency needs today's hotline text: neither is cached. */
function uncacheable(question: Question, parts: AnswerParts): string | null {
  if (hotlines(question, parts).length > 0) return "an emergency is answered anew";
  if (question.history.length > 0 && parts.models !== null) return "what a model writes may depend on the earlier turns";
  return null;
}

function recheckOf(question: Question, parts: AnswerParts): (answer: Answer) => Promise<boolean> {
  return (answer) => passesAgain(answer, checking(question, parts));
}

/** The sentences of a hit, as if they had just been written. */
export function* replay(hit: Hit, outcome: Outcome = createOutcome()): Generator<AnswerEvent, Outcome> {
  const { sentences, citations } = hit.answer;
  for (const [index, sentence] of sentences.entries()) {
    yield { type: "sentence", index, sentence, citations: citations.filter(({ n }) => sentence.citations.includes(n)) };
  }
  outcome.hit = hit;
  return outcome;
}

export async function remember(question: Question, result: Answer, outcome: Outcome, parts: AnswerParts, log: StageLog): Promise<void> {
  const { profile, recall, cache, store } = parts;
  if (parts.remember === null) return;
  const share = recall.embed === null || profile.caches.length < 2 ? null : { ...recall, embed: recall.embed, settings: profile.match };
  const repeatable = uncacheable(question, parts) === null;
  const facts = {
    writing: profile.caches.includes("exact") && repeatable ? { scope: cache, share } : null,
    curatedKey: repeatable ? curatedKey(question, cache) : null,
    chance: outcome.decision.chance,
    hit: outcome.hit?.answer ?? null,
    topics: await topicsOf(question, result, parts),
  };
  const { reports } = parts.remember;
  const kept = { ...reports, text: reports.text && question.privacy !== "ephemeral" };
  const report = await reportLowConfidence(question, result, outcome, wordsFor(question, parts), parts, kept, log);
  const { cached, reportFailure } = await rememberAnswer(question, result, facts, store, parts.remember, report);
  if (reportFailure !== null) reportFailed(reportFailure, parts, log);
  log.fact("cached", cached);
  log.fact("report", reportFailure === null && report !== null ? report.id : null);
  log.fact("privacy", question.privacy ?? "redacted");
}

/** What the cited documents are about: their topics, or their titles where they name none. */
async function topicsOf({ scope }: Question, { citations }: Answer, { store }: AnswerParts): Promise<string[]> {
  const cited = await store.documents.load(scope, [...new Set(citations.map(({ documentId }) => documentId))]);
  return [...new Set([...cited.values()].map(({ topic, title }) => topic ?? title))].sort();
}

/** What the caches would do with a question. */
export interface CacheExplanation {
  readonly question: string;
  /** As it is looked up, when that differs. */
  readonly resolved: string;
  readonly profile: string;
  readonly levels: readonly string[];
  readonly cacheMode: Hit["level"] | "miss";
  /** Why the caches are not asked at all; `null`: they are. */
  readonly notAsked: string | null;
  /** Every stored question that was looked at, with the rule that decided; one that is served ends it. */
  readonly judged: readonly Judgement[];
}

/** Looks a question up as `answer` does and says of every candidate which rule decided; reads only. */
export async function explainCache(request: AskRequest, parts: AnswerParts, signal: AbortSignal): Promise<CacheExplanation> {
  assertCanRun(parts);
  const log: StageLog = { fact: () => undefined, notice: () => undefined };
  const question = await admit(request, parts, log);
  const known = await lookup(question, parts, log, "none");
  const found = known.hit === null && known.asked !== null ? await retrieve(question, parts, log, signal) : null;
  const late = found === null ? { hit: null, judged: [] } : await recall(question, known, found, parts, log, "none");
  return {
    question: question.text,
    resolved: question.resolved,
    profile: question.profile,
    levels: parts.profile.caches,
    cacheMode: (known.hit ?? late.hit)?.level ?? "miss",
    notAsked: notAsked(question, parts),
    judged: [...known.judged, ...late.judged],
  };
}
