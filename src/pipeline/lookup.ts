import type { Hit, Judgement } from "../memory/cache.ts";
import { exactCacheKey, sharingScope } from "../memory/cache.ts";
import {
  type Asked,
  acceptCandidate,
  approvedQuestions,
  type Candidate,
  joinCandidates,
  nearestQuestions,
  relatedQuestions,
} from "../memory/recall.ts";
import { curatedKey, lookupCurated, lookupExact } from "../memory/reverify.ts";
import { areaOf } from "../retrieval/retrieve.ts";
import { partOf, rangeAround } from "../retrieval/search-area.ts";
import type { Answer, Area, AskRequest, Question } from "../shared/types.ts";
import { admit } from "./admit.ts";
import { checking, passesAgain } from "./check.ts";
import type { PipelineContext } from "./context.ts";
import { assertCanRun, type Found, retrieve } from "./retrieve.ts";
import { SILENT_LOG, type StageLog } from "./trace.ts";

/** A question with what the caches and retrieval found for it. */
interface KnownAndFound {
  readonly question: Question;
  readonly known: Pick<Known, "asked" | "candidates">;
  readonly found: Pick<Found, "passages" | "warnings">;
}

/**
 * One of the collected answers, now that retrieval says how it read the question and which documents it finds; not if it said so only in part. With a graph,
 * approved answers about the same topic and entity stand beside those that lie near, and review status weighs; when none of them has the answer, the graph is
 * asked for any others.
 */
export async function recall(
  { question, known, found }: KnownAndFound,
  context: PipelineContext,
  log: StageLog,
  signal: AbortSignal,
  effects: Effects = "drop",
): Promise<Pick<Known, "hit" | "judged">> {
  const { store, profile, questions } = context;
  const { asked, candidates } = await asRead({ question, known, found }, context);
  const how = {
    ...{ cache: store.cache, documents: store.documents, answers: context.answers, recheck: recheckOf(question, context) },
    ...{ matcher: questions.matcher, judgeRewording: questions.judgeRewording, readAll: questions.readAll },
    ...{ settings: profile.match, byReview: profile.caches.includes("graph"), signal },
  };
  const accept = (one: Asked, collected: readonly Candidate[]) =>
    acceptCandidate(one, question.scope, collected, found.passages, how, effects);
  const graph = asked !== null && profile.caches.includes("graph");
  const collected = graph ? joinCandidates(await approvedQuestions(asked, store), candidates) : candidates;
  let recalled: Pick<Known, "hit" | "judged"> = asked !== null ? await accept(asked, collected) : { hit: null, judged: [] };
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
async function asRead({ question, known, found }: KnownAndFound, context: PipelineContext): Promise<KnownAndFound["known"]> {
  if (known.asked === null || found.warnings.some(({ code }) => code !== "read_as")) return UNSURE;
  const { text, repairs } = await context.corpus.understand(question, context.profile.retrieve.query);
  if (repairs.length === 0) return known;
  return (await context.corpus.isSure(question, repairs)) ? collect(question, text, context) : UNSURE;
}

/** What the caches know before retrieval: an answer, or stored questions that may be the one asked. */
export interface Known {
  readonly hit: Hit | null;
  readonly asked: Asked | null;
  readonly candidates: readonly Candidate[];
  readonly judged: readonly Judgement[];
}

/** What a look at the caches does to what it finds outdated. */
export type Effects = "drop" | "none";

const NOTHING: Known = { hit: null, asked: null, candidates: [], judged: [] };

/** What a reviewer wrote first, then the exact cache; what lies near is collected, and accepted by `recall` when the passages are known. */
export async function lookup(question: Question, context: PipelineContext, log: StageLog, effects: Effects = "drop"): Promise<Known> {
  const known = await find(question, context, effects);
  log.fact("cache_mode", known.hit === null ? "miss" : known.hit.level);
  log.fact("candidates", known.candidates.length);
  return known;
}

async function find(question: Question, context: PipelineContext, effects: Effects): Promise<Known> {
  const { answers, store } = context;
  const key = (await notAsked(question, context)) === null ? exactCacheKey(question, context.cache) : null;
  // Of the store, before anything is read; `null`: it does not tell, or must not be relied on.
  const generation = key === null || effects === "none" ? null : store.generation();
  // The hit on the same question, where nothing that it rests on has changed since: neither entry, review, correction nor any document, nor who sees them.
  const served = key === null || generation === null ? null : answers.servedIn(generation, key, question.resolved);
  if (key !== null && served !== null && (await store.cache.use({ key, expiresAt: served.expiresAt })))
    return { ...NOTHING, hit: served.hit, judged: [served.judged] };
  const curated = await lookupReviewed(question, context, effects);
  if (curated !== null) return { ...NOTHING, hit: curated };
  if (key === null) return NOTHING;
  const places = { cache: store.cache, documents: store.documents, answers, recheck: recheckOf(question, context) };
  const { hit, ...exact } = await lookupExact(key, question.scope, places, effects);
  if (hit === null) return { hit, ...(await collect(question, question.resolved, context)), judged: [exact.judged] };
  if (generation !== null) answers.serves(key, question.resolved, { ...exact, hit, generation });
  return { ...NOTHING, hit, judged: [exact.judged] };
}

/** It is no cache: it is served whether or not the cache is switched on. */
async function lookupReviewed(question: Question, context: PipelineContext, effects: Effects): Promise<Hit | null> {
  if (context.remember === null || (await uncacheable(question, context)) !== null) return null;
  const { review, documents } = context.store;
  const places = { documents, review: effects === "drop" ? review : { ...review, demote: async () => undefined } };
  const recheck = recheckOf(question, context);
  return lookupCurated(curatedKey(question, context.cache), question, {
    ...places,
    recheck: async (answer) => isWithin(areaOf(question), answer) && (await recheck(answer)),
  });
}

/** Does all that an answer quotes lie where it must keep to? */
function isWithin(area: Area | null, { citations }: Answer): boolean {
  if (area === null) return true;
  return citations.every(({ documentId: id, documentVersion: version, start, end }) => {
    const part = partOf(area, { id, version });
    return part !== undefined && rangeAround(part, { start, end }) !== undefined;
  });
}

/**
 * Stored questions that may be the one asked.
 * @param text the question as it is compared
 */
export async function collect(question: Question, text: string, context: PipelineContext): Promise<Pick<Known, "asked" | "candidates">> {
  const { profile, questions, store } = context;
  const asked = profile.caches.some((level) => level !== "exact") ? await describe(question, text, context) : null;
  if (asked === null) return { asked, candidates: [] };
  const near = profile.caches.includes("semantic");
  return { asked, candidates: near ? await nearestQuestions(asked, { cache: store.cache, index: questions.index }) : [] };
}

/** The question as other questions find it; `null` when it shares no answers. */
async function describe(question: Question, text: string, { cache, questions, profile }: PipelineContext): Promise<Asked | null> {
  const scope = sharingScope(question, cache);
  if (scope === null || questions.embed === null) return null;
  return {
    ...questions.classify(text),
    text,
    written: question.resolved,
    scope,
    domain: question.scope.domain,
    vector: await questions.embed(questions.matcher.textFor(text, profile.match)),
  };
}

/** Why a question is not asked of the caches at all; `null`: it is. */
export async function notAsked(question: Question, context: PipelineContext): Promise<string | null> {
  const { profile, remember } = context;
  if (remember === null) return "nothing is stored";
  if (!remember.cache.enabled || remember.cache.entries === 0) return "the cache is switched off";
  if (!profile.caches.includes("exact")) return `profile "${profile.name}" has no cache`;
  return uncacheable(question, context);
}

/** What a model writes may depend on the history beyond the resolved question, and an emergency needs today's hotline text: neither is cached. */
export async function uncacheable(question: Question, { hotlines, models }: PipelineContext): Promise<string | null> {
  if ((await hotlines(question.text)).length > 0) return "an emergency is answered anew";
  if (question.history.length > 0 && models !== null) return "what a model writes may depend on the earlier turns";
  return null;
}

/** Today's checks of an answer that was stored; once for as long as neither it nor anything that they are made with changes. */
function recheckOf(question: Question, context: PipelineContext): (answer: Answer) => Promise<boolean> {
  const { scope, profile, resolved } = question;
  const { configHash, encoder, language } = context.cache;
  const madeWith = JSON.stringify([configHash, encoder, language, profile, scope.domain, scope.tenant, resolved]);
  return (answer) => context.answers.passes(answer, madeWith, () => passesAgain(answer, checking(question, context)));
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
export async function explainCache(request: AskRequest, context: PipelineContext, signal: AbortSignal): Promise<CacheExplanation> {
  assertCanRun(context);
  const question = await admit(request, context, SILENT_LOG);
  const known = await lookup(question, context, SILENT_LOG, "none");
  const found = known.hit === null && known.asked !== null ? await retrieve(question, context, SILENT_LOG, signal) : null;
  const late = found === null ? { hit: null, judged: [] } : await recall({ question, known, found }, context, SILENT_LOG, signal, "none");
  return {
    question: question.text,
    resolved: question.resolved,
    profile: question.profile,
    levels: context.questions.embed === null ? context.profile.caches.filter((level) => level === "exact") : context.profile.caches,
    cacheMode: (known.hit ?? late.hit)?.level ?? "miss",
    notAsked: await notAsked(question, context),
    judged: [...known.judged, ...late.judged],
  };
}
