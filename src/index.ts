/**
 * The public API.
 * @example
 * import { createEngine, loadProcessConfig } from "sourcebound";
 * const engine = await createEngine(loadProcessConfig());
 * const { sentences, refusal } = await engine.answer("What does a lost card cost?");
 * console.log(refusal?.message ?? sentences.map(({ text }) => text).join(" "));
 * await engine.close();
 */

export { type DomainPack, domainSchema, listDomains, loadDomain } from "./engine/domain.ts";
export {
  type AskOptions,
  type CacheExplanation,
  type CheckOptions,
  createEngine,
  type Engine,
  type EngineParts,
  type FoundPassage,
  type GivenSource,
  type Health,
  type IngestOptions,
  type LibraryFile,
  type RefreshResult,
  type SearchOptions,
  type SearchResult,
  type SwitchOptions,
  type UploadOptions,
} from "./engine/engine.ts";
export type { ReportOptions } from "./engine/engine-types.ts";
export type { CitationStanding, CitationState, StandingQuote } from "./memory/citation-states.ts";
export type { FeedbackRequest, ForgetOptions, ForgetReport, Memory, SessionRequest } from "./memory/memory.ts";
export type { QueuedQuestion, Review, ReviewHistory, ShownReview } from "./memory/review.ts";
export type { SessionMessage } from "./memory/session-messages.ts";
export type { Statistics } from "./memory/statistics.ts";
export type { ChatEvent, ChatModel, ChatPrompt } from "./models/chat.ts";
export type { EmbedOptions, Encoder } from "./models/encoder.ts";
export type { EncoderSpec } from "./models/encoder-spec.ts";
export type { ConnectTarget, WebNetwork } from "./models/web-page.ts";
export { VERSION } from "./package.ts";
export {
  MAX_ANSWER_CHARACTERS,
  type SourcePassage,
  type VerifiedAnswer,
  type VerifiedSentence,
  type VerifyOptions,
  type VerifySource,
  verifyAnswer,
} from "./pipeline/verify-answer.ts";
export { profileNamed, profiles } from "./profiles/index.ts";
export type { Profile } from "./profiles/profile.ts";
export { type Config, configSchema, type LoadConfigOptions, loadConfig, loadProcessConfig } from "./shared/config.ts";
export {
  ConfigError,
  IngestError,
  ModelError,
  RequestError,
  SourceboundError,
  StoreError,
  UnavailableError,
  WebError,
} from "./shared/errors.ts";
export type { AnswerEvent, AnswerStage, IngestCounts, IngestEvent } from "./shared/events.ts";
export type * from "./shared/types.ts";
export type * from "./store/diagnostic-report.ts";
export type { ForgetTarget } from "./store/forget.ts";
export {
  answerToWire,
  askRequestSchema,
  askResponseSchema,
  eventToWire,
  type WireAnswer,
  type WireAskRequest,
  type WireEvent,
} from "./wire/index.ts";
