/** The public API. */

export {
  MAX_ANSWER_CHARACTERS,
  type SourcePassage,
  type VerifiedAnswer,
  type VerifiedSentence,
  type VerifyOptions,
  type VerifySource,
  verifyAnswer,
} from "./answer/verify-answer.ts";
export { type Config, configSchema, type LoadConfigOptions, loadConfig, loadProcessConfig } from "./config.ts";
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
export type { ReportOptions } from "./engine/service-types.ts";
export { ConfigError, IngestError, ModelError, RequestError, SourceboundError, StoreError, UnavailableError, WebError } from "./errors.ts";
export type { AnswerEvent, AnswerStage, IngestCounts, IngestEvent } from "./events.ts";
export type { ChatEvent, ChatModel, ChatPrompt } from "./models/chat.ts";
export type { EmbedOptions, Encoder } from "./models/encoder.ts";
export type { EncoderSpec } from "./models/encoder-spec.ts";
export type { ConnectTarget, WebNetwork } from "./models/web-page.ts";
export { VERSION } from "./package.ts";
export { profileNamed, profiles } from "./profiles/index.ts";
export type { Profile } from "./profiles/profile.ts";
export type { CitationStanding, CitationState, StandingQuote } from "./remember/citation-states.ts";
export type { FeedbackRequest, ForgetOptions, ForgetReport, Memory, SessionRequest } from "./remember/memory.ts";
export type { QueuedQuestion, Review, ReviewHistory, ShownReview } from "./remember/review.ts";
export type { SessionMessage } from "./remember/session-messages.ts";
export type { Statistics } from "./remember/statistics.ts";
export type * from "./store/diagnostic-report.ts";
export type { ForgetTarget } from "./store/forget.ts";
export type * from "./types.ts";
export {
  answerToWire,
  askRequestSchema,
  askResponseSchema,
  eventToWire,
  type WireAnswer,
  type WireAskRequest,
  type WireEvent,
} from "./wire/index.ts";
