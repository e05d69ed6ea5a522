import {
  type Asked,
  acceptCandidate,
  approvedQuestions,
  type Candidate,
  joinCandidates,
  nearestQuestions,
  relatedQuestions,
} from "../memory/recall.ts";
import { curatedKey, exactCacheKey, type Hit, type Judgement, lookupCurated, lookupExact, sharingScope } from "../memory/stored-answers.ts";
import { areaOf } from "../retrieval/retrieve.ts";
import { partOf, rangeAround } from "../retrieval/search-area.ts";
import type { Answer, Area, AskRequest, Question } from "../shared/types.ts";
import { admit } from "./admit.ts";
import { type PipelineContext, SILENT_LOG, type StageLog } from "./context.ts";
import { assertCanRun, type Found, retrieve } from "./retrieve.ts";
import { checking, passesAgain } from "./write.ts";

/** A question with the results of caches and retrieval. */
interface Looked {
  readonly question: Question;
  readonly known: Pick<Known, "asked" | "candidates">;
  readonly found: Pick<Found, "passages" | "warnings">;
}

/**
 * Serves a stored answer to an equivalent question, if one of the candidates that `lookup` collected qualifies. Runs
 * after retrieval, because a match needs the corrected spelling and the retrieved documents. Serves none if part of
 * retrieval failed. Profiles with a graph cache also try approved answers about the same topic and entity, then related
 * questions of any review status, and order candidates by review status.
 */
export async function recall(given: Looked, context: PipelineContext, log: StageLog, signal: AbortSignal, effects: Effects = "drop") {
  const { store, profile, questions } = context;
  const { question, found } = given;
  const { asked, candidates } = await asRead(given, context);
  const graphs = profile.caches.includes("graph");
  const how = { ...partsOf(question, context), matcher: questions.matcher, settings: profile.match, byReview: graphs, signal };
  const accept = (one: Asked, collected: readonly Candidate[]) =>
    acceptCandidate(one, question.scope, collected, found.passages, how, effects);
  const graph = asked !== null && graphs;
  const collected = graph ? joinCandidates(await approvedQuestions(asked, store), candidates) : candidates;
  let recalled: Pick<Known, "hit" | "judged"> = asked !== null ? await accept(asked, collected) : { hit: null, judged: [] };
  if (graph && recalled.hit === null) {
    // `explainCache` (effects `none`) reports every level, so judged candidates are judged again. Otherwise, they are skipped.
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
 * Returns the question with corrected spelling, and the stored questions nearest to it. Returns no candidates if a
 * correction is ambiguous or part of retrieval failed.
 */
async function asRead({ question, known, found }: Looked, context: PipelineContext): Promise<Looked["known"]> {
  if (known.asked === null || found.warnings.some(({ code }) => code !== "read_as")) return UNSURE;
  const { text, repairs } = await context.corpus.understand(question, context.profile.retrieve.query);
  if (repairs.length === 0) return known;
  return (await context.corpus.isSure(question, repairs)) ? collect(question, text, context) : UNSURE;
}

/** Results of the caches before retrieval: an answer, or stored questions that may match. */
export interface Known {
  readonly hit: Hit | null;
  readonly asked: Asked | null;
  readonly candidates: readonly Candidate[];
  readonly judged: readonly Judgement[];
}

/** `drop`: a lookup removes entries that may no longer be served. `none`: it removes nothing. */
export type Effects = "drop" | "none";

const NOTHING: Known = { hit: null, asked: null, candidates: [], judged: [] };

/**
 * Looks in this order: the last hit for this question, valid while the store is unchanged; a reviewer's correction; the
 * exact cache. Also collects similar stored questions for `recall`, which runs after retrieval.
 */
export async function lookup(question: Question, context: PipelineContext, log: StageLog, effects: Effects = "drop"): Promise<Known> {
  const known = await find(question, context, effects);
  log.fact("cache_mode", known.hit === null ? "miss" : known.hit.level);
  log.fact("candidates", known.candidates.length);
  return known;
}

async function find(question: Question, context: PipelineContext, effects: Effects): Promise<Known> {
  const { answers, store } = context;
  const key = (await notAsked(question, context)) === null ? exactCacheKey(question, context.cache) : null;
  // The store's generation is a number that changes with its content. `null`: unknown, or not needed.
  const generation = key === null || effects === "none" ? null : store.generation();
  // If the generation is unchanged, entries, reviews, corrections, documents and labels are unchanged, so the last hit is still valid.
  const served = key === null || generation === null ? null : answers.servedIn(generation, key, question.resolved);
  if (key !== null && served !== null && (await store.cache.use({ key, expiresAt: served.expiresAt })))
    return { ...NOTHING, hit: served.hit, judged: [served.judged] };
  const curated = await lookupReviewed(question, context, effects);
  if (curated !== null) return { ...NOTHING, hit: curated };
  if (key === null) return NOTHING;
  const { hit, ...exact } = await lookupExact(key, question.scope, partsOf(question, context), effects);
  if (hit === null) return { hit, ...(await collect(question, question.resolved, context)), judged: [exact.judged] };
  if (generation !== null) answers.serves(key, question.resolved, { ...exact, hit, generation });
  return { ...NOTHING, hit, judged: [exact.judged] };
}

/** Looks up a reviewer's correction, which is served even if the cache is off. */
async function lookupReviewed(question: Question, context: PipelineContext, effects: Effects): Promise<Hit | null> {
  if (context.remember === null || (await uncacheable(question, context)) !== null) return null;
  const { review, documents } = context.store;
  const recheck = recheckOf(question, context);
  return lookupCurated(curatedKey(question, context.cache), question, {
    ...{ documents, review: effects === "drop" ? review : { ...review, demote: async () => undefined } },
    recheck: async (answer) => isWithin(areaOf(question), answer) && (await recheck(answer)),
  });
}

/** Returns whether all quotes of an answer lie within the searched area; `null`: all documents. */
function isWithin(area: Area | null, { citations }: Answer): boolean {
  if (area === null) return true;
  return citations.every(({ documentId: id, documentVersion: version, start, end }) => {
    const part = partOf(area, { id, version });
    return part !== undefined && rangeAround(part, { start, end }) !== undefined;
  });
}

/**
 * Collects stored questions that may match.
 * @param text the question in the form that is compared with stored questions, with corrected spelling if there was a correction
 */
async function collect(question: Question, text: string, context: PipelineContext): Promise<Pick<Known, "asked" | "candidates">> {
  const { profile, questions, store } = context;
  const asked = profile.caches.some((level) => level !== "exact") ? await describe(question, text, context) : null;
  if (asked === null) return { asked, candidates: [] };
  const near = profile.caches.includes("semantic");
  return { asked, candidates: near ? await nearestQuestions(asked, { cache: store.cache, index: questions.index }) : [] };
}

/** Describes the question for matching. `null`: its answer is not shared with other questions, or there is no local encoder. */
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

/** Returns why the caches are not used; `null`: they are used. */
export async function notAsked(question: Question, context: PipelineContext): Promise<string | null> {
  const { profile, remember } = context;
  if (remember === null) return "answers are not stored with these settings";
  if (!remember.cache.enabled || remember.cache.entries === 0) return "the cache is disabled";
  if (!profile.caches.includes("exact")) return `profile "${profile.name}" has no cache`;
  return uncacheable(question, context);
}

/** Returns why a question is not cacheable, or `null`. A model may use earlier turns; an emergency needs today's hotlines. */
export async function uncacheable(question: Question, { hotlines, models }: PipelineContext): Promise<string | null> {
  if ((await hotlines(question.text)).length > 0) return "emergencies are never answered from the cache";
  if (question.history.length > 0 && models !== null) return "the model's answer may depend on earlier turns";
  return null;
}

/** Returns a function that repeats the checks of a stored answer. Its result is cached until the answer or its settings change. */
function recheckOf(question: Question, context: PipelineContext): (answer: Answer) => Promise<boolean> {
  const { scope, profile, resolved } = question;
  const { configHash, encoder, language } = context.cache;
  const madeWith = JSON.stringify([configHash, encoder, language, profile, scope.domain, scope.tenant, resolved]);
  return (answer) => context.answers.passes(answer, madeWith, () => passesAgain(answer, checking(question, context)));
}

/** Returns the parts that decide whether a stored answer is served. */
function partsOf(question: Question, context: PipelineContext) {
  const { answers, profile, remember } = context;
  const { cache, documents } = context.store;
  // Answers that a person flagged are served only by profiles with a graph cache, as in the published `seven-layer` design (docs/profiles.md).
  const servesFlagged = remember?.cache.serve_flagged === true && profile.caches.includes("graph");
  return { cache, documents, answers, recheck: recheckOf(question, context), servesFlagged };
}

/** Explanation of how the caches treat a question. */
export type CacheExplanation = Awaited<ReturnType<typeof explainCache>>;

/** Runs the cache lookup of `answer` without writes and reports the deciding rule of every candidate. */
export async function explainCache(request: AskRequest, context: PipelineContext, signal: AbortSignal) {
  assertCanRun(context);
  const question = await admit(request, context, SILENT_LOG);
  const known = await lookup(question, context, SILENT_LOG, "none");
  const found = known.hit === null && known.asked !== null ? await retrieve(question, context, SILENT_LOG, signal) : null;
  const late = found === null ? { hit: null, judged: [] } : await recall({ question, known, found }, context, SILENT_LOG, signal, "none");
  return {
    question: question.text,
    /** The text that the caches look up. */
    resolved: question.resolved,
    profile: question.profile,
    levels: context.questions.embed === null ? context.profile.caches.filter((level) => level === "exact") : context.profile.caches,
    cacheMode: (known.hit ?? late.hit)?.level ?? "miss",
    /** Why the caches are not used; `null`: they are used. */
    notAsked: await notAsked(question, context),
    /** Every stored question that was examined, with the rule that decided. If one is served, it is the last. */
    judged: [...known.judged, ...late.judged],
  };
}
