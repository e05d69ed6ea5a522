import type { HotlineFinder } from "../guard/hotlines.ts";
import { type CacheScope, exactCacheKey, sharingScope } from "../remember/cache.ts";
import type { Classify } from "../remember/classify.ts";
import { curatedKey, lookupCurated } from "../remember/curated.ts";
import type { Hit, Judgement } from "../remember/hit.ts";
import type { Matcher } from "../remember/matcher.ts";
import type { QuestionIndex } from "../remember/question-index.ts";
import { type Asked, type Candidate, nearestQuestions } from "../remember/recall.ts";
import type { RememberSettings } from "../remember/remember.ts";
import { lookupExact } from "../remember/reverify.ts";
import type { JudgeRewording } from "../remember/rewording.ts";
import type { StoredAnswers } from "../remember/stored-answers.ts";
import { partOf, rangeAround } from "../retrieve/area.ts";
import { areaOf } from "../retrieve/retrieve.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Area, Question } from "../types.ts";
import { type CheckingParts, checking, passesAgain } from "./checking.ts";
import type { CompressParts } from "./compress.ts";
import type { StageLog } from "./trace.ts";

export interface LookupParts extends CheckingParts {
  readonly store: Pick<Store, "cache" | "documents" | "review" | "generation">;
  readonly cache: CacheScope;
  /** Stored answers as they were read and checked. */
  readonly answers: StoredAnswers;
  /** `null`: nothing is stored, and no cache is asked. */
  readonly remember: RememberSettings | null;
  /** What finds answers to other questions. */
  readonly questions: {
    readonly index: QuestionIndex;
    readonly classify: Classify;
    readonly matcher: Matcher;
    readonly judgeRewording: JudgeRewording;
    /** Is each rewording read, also where no rule speaks against it? */
    readonly readAll: boolean;
    /** Vector of a question, on this machine; `null`: only the same question is found. */
    readonly embed: ((text: string) => Promise<{ readonly model: string; readonly values: Float32Array }>) | null;
  };
  readonly hotlines: HotlineFinder;
  readonly models: CompressParts["models"];
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
export async function lookup(question: Question, parts: LookupParts, log: StageLog, effects: Effects = "drop"): Promise<Known> {
  const key = (await notAsked(question, parts)) === null ? exactCacheKey(question, parts.cache) : null;
  const generation = key === null || effects === "none" ? null : parts.store.generation();
  const place = { key, generation };
  const known = (await again(question, place, parts)) ?? (await lookupAnew(question, place, parts, effects));
  log.fact("cache_mode", known.hit === null ? "miss" : known.hit.level);
  log.fact("candidates", known.candidates.length);
  return known;
}

/** Where a question is looked up. */
interface Place {
  /** In the exact cache; `null`: no cache is asked. */
  readonly key: string | null;
  /** Of the store, before anything is read; `null`: it does not tell, or must not be relied on. */
  readonly generation: number | null;
}

/** The hit on the same question, where nothing that it rests on has changed since: neither entry, review, correction nor any document, nor who sees them. */
async function again({ resolved }: Question, { key, generation }: Place, { answers, store }: LookupParts): Promise<Known | null> {
  const served = key === null || generation === null ? null : answers.servedIn(generation, key, resolved);
  if (key === null || served === null || !(await store.cache.use({ key, expiresAt: served.expiresAt }))) return null;
  return { ...NOTHING, hit: served.hit, judged: [served.judged] };
}

async function lookupAnew(question: Question, place: Place, parts: LookupParts, effects: Effects): Promise<Known> {
  const curated = await lookupReviewed(question, parts, effects);
  if (curated !== null) return { ...NOTHING, hit: curated };
  return place.key === null ? NOTHING : ask(question, { ...place, key: place.key }, parts, effects);
}

/** It is no cache: it is served whether or not the cache is switched on. */
async function lookupReviewed(question: Question, parts: LookupParts, effects: Effects): Promise<Hit | null> {
  if (parts.remember === null || (await uncacheable(question, parts)) !== null) return null;
  const { review, documents } = parts.store;
  const places = { documents, review: effects === "drop" ? review : { ...review, demote: async () => undefined } };
  const recheck = recheckOf(question, parts);
  return lookupCurated(curatedKey(question, parts.cache), question, {
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

async function ask(
  question: Question,
  { key, generation }: Place & { readonly key: string },
  parts: LookupParts,
  effects: Effects,
): Promise<Known> {
  const { store, answers } = parts;
  const { cache: entries, documents } = store;
  const places = { cache: entries, documents, answers, recheck: recheckOf(question, parts) };
  const exact = await lookupExact(key, question.scope, places, effects);
  if (exact.hit !== null) {
    if (generation !== null) answers.serves(key, question.resolved, { ...exact, hit: exact.hit, generation });
    return { ...NOTHING, hit: exact.hit, judged: [exact.judged] };
  }
  return { hit: null, ...(await collect(question, question.resolved, parts)), judged: [exact.judged] };
}

/**
 * Stored questions that may be the one asked.
 * @param text the question as it is compared
 */
export async function collect(
  question: Question,
  text: string,
  parts: Pick<LookupParts, "cache" | "questions" | "profile"> & { readonly store: Pick<Store, "cache"> },
): Promise<Pick<Known, "asked" | "candidates">> {
  const { profile, questions, store } = parts;
  const asked = profile.caches.some((level) => level !== "exact") ? await describe(question, text, parts) : null;
  if (asked === null) return { asked, candidates: [] };
  const near = profile.caches.includes("semantic");
  return { asked, candidates: near ? await nearestQuestions(asked, { cache: store.cache, index: questions.index }) : [] };
}

/** The question as other questions find it; `null` when it shares no answers. */
async function describe(
  question: Question,
  text: string,
  { cache, questions, profile }: Pick<LookupParts, "cache" | "questions" | "profile">,
): Promise<Asked | null> {
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
export async function notAsked(
  question: Question,
  parts: Pick<LookupParts, "profile" | "remember" | "hotlines" | "models">,
): Promise<string | null> {
  const { profile, remember } = parts;
  if (remember === null) return "nothing is stored";
  if (!remember.cache.enabled || remember.cache.entries === 0) return "the cache is switched off";
  if (!profile.caches.includes("exact")) return `profile "${profile.name}" has no cache`;
  return uncacheable(question, parts);
}

/** What a model writes may depend on the history beyond the resolved question, and an emergency needs today's hotline text: neither is cached. */
export async function uncacheable(
  question: Question,
  { hotlines, models }: Pick<LookupParts, "hotlines" | "models">,
): Promise<string | null> {
  if ((await hotlines(question.text)).length > 0) return "an emergency is answered anew";
  if (question.history.length > 0 && models !== null) return "what a model writes may depend on the earlier turns";
  return null;
}

/** Today's checks of an answer that was stored; once for as long as neither it nor anything that they are made with changes. */
export function recheckOf(
  question: Question,
  parts: CheckingParts & Pick<LookupParts, "answers" | "cache">,
): (answer: Answer) => Promise<boolean> {
  const { scope, profile, resolved } = question;
  const { configHash, encoder, language } = parts.cache;
  const context = JSON.stringify([configHash, encoder, language, profile, scope.domain, scope.tenant, resolved]);
  return (answer) => parts.answers.passes(answer, context, () => passesAgain(answer, checking(question, parts)));
}
