import type { Engine } from "../../src/engine/engine.ts";
import { createLikeness } from "../../src/language/likeness.ts";
import { createSlotVocabulary } from "../../src/language/slot-vocabulary.ts";
import { readAbout, readSlots } from "../../src/language/slots.ts";
import { documentOverlap, entityJaccard, judgeMatch, type MatchSettings } from "../../src/memory/match.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { retrievePassages } from "../../src/retrieval/retrieve.ts";
import type { CacheMode, Passage, Question } from "../../src/shared/types.ts";
import { FOUND, READ } from "../sets/cache-documents.ts";
import { cosineOf } from "./cosine.ts";

/** Result of asking one question while the answer to another is stored. */
export interface Served {
  readonly served: boolean;
  /** Reason of a miss; `same` for a hit. */
  readonly rule: string;
  readonly detail: string;
  readonly score: number | null;
  readonly cosine: number | null;
  /** Only with a whole engine: the cache level of the hit, and the stored answer's origin. */
  readonly level?: CacheMode;
  readonly storedAs?: StoredAs;
}

/** Origin of the stored answer: the engine's own, or an approved one because the own answer was a refusal or had warnings. */
export type StoredAs = "own" | "approved_refused" | "approved_unclean" | "nothing";

/** Stores an answer for one question, then asks the other: through the decision alone or through a whole engine. */
export type Serve = (stored: string, asked: string) => Promise<Served>;

interface DecisionOptions {
  readonly encoder: EmbeddedEncoder;
  readonly settings: MatchSettings;
  readonly domain?: string | undefined;
  readonly profile?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Creates the decision alone: slots, retrieval for both questions over the engine's documents, and the combined score. If the engine
 * refuses the stored question, its best passage counts as the stored answer's source.
 */
export function createDecision(engine: Engine, { encoder, settings, domain, profile, signal }: DecisionOptions): Serve {
  const pack = engine.domain(domain);
  const vocabulary = createSlotVocabulary(pack);
  const likeness = createLikeness(encoder);
  const find = async (text: string): Promise<readonly Passage[]> => {
    const chosen = profileNamed(profile ?? engine.config.profile ?? pack.default_profile);
    const scope = { domain: pack.name, tenant: null, access: engine.config.access };
    const question: Question = {
      text,
      resolved: text,
      scope,
      profile: chosen.name,
      detail: "normal",
      sessionId: null,
      selection: null,
      history: [],
      injectionSignals: [],
    };
    const { passages } = await retrievePassages(question, chosen.retrieve, await engine.pipelineContext(pack.name, chosen.name), signal);
    return passages;
  };
  const textsOf = (passages: readonly Passage[]) =>
    passages.flatMap(({ document, headingPath, text }) => [document.title, ...headingPath, text]);
  return async (storedText, askedText) => {
    const [stored, asked] = [readSlots(storedText, vocabulary), readSlots(askedText, vocabulary)];
    const [storedPassages, askedPassages] = [await find(storedText), await find(askedText)];
    const answer = await engine.answer(storedText, { domain, profile });
    const cited = new Set(
      answer.status === "ok" ? answer.citations.map(({ chunkId }) => chunkId) : storedPassages.slice(0, 1).map(({ chunkId }) => chunkId),
    );
    const quotes = answer.status === "ok" ? answer.citations.flatMap(({ title, quote }) => [title, quote]) : [];
    const [one, other] = encoder.embedSync(settings.type === "learned" ? [stored.canonical, asked.canonical] : [storedText, askedText]);
    const cosine = cosineOf(one, other);
    const ids = (passages: readonly Passage[]) => passages.slice(0, FOUND).map(({ chunkId }) => chunkId);
    const closeness = {
      cosine,
      entityJaccard: entityJaccard(asked, stored),
      documentOverlap: documentOverlap(ids(askedPassages), ids(storedPassages)),
      citedRank: askedPassages.findIndex(({ chunkId }) => cited.has(chunkId)),
      about: new Set(readAbout([...quotes, ...textsOf(storedPassages.filter(({ chunkId }) => cited.has(chunkId)))], vocabulary)),
      found: new Set(readAbout(textsOf(askedPassages.slice(0, READ)), vocabulary)),
      likeness,
    };
    const { accept, rule, detail, score } = judgeMatch(asked, stored, closeness, settings);
    return { served: accept, rule, detail, score, cosine };
  };
}
