export type { WireCitationStates } from "../wire/citation-states.ts";
export { type DisagreeingSide, type Disagreement, joinConflicts } from "../wire/disagreements.ts";
export type { WireExperiment } from "../wire/experiments.ts";
export type { WireCalls, WireEvaluation, WireGraph, WireVersions } from "../wire/exploring.ts";
export { type Fit, fitOf } from "../wire/fit.ts";
export type {
  WireAnswer,
  WireAskRequest,
  WireCitation,
  WireError,
  WireEvent,
  WireRefusal,
  WireWarning,
} from "../wire/index.ts";
export type {
  WireFeedbackRequest,
  WireHistory,
  WireMadeStatistics,
  WireMessage,
  WireQueueItem,
  WireReview,
  WireStatistics,
} from "../wire/memory.ts";
export type { WireCaller, WireDocument, WireDomain, WireDomains, WireHealth, WireUploadLimits } from "../wire/responses.ts";
export type { WireCheck, WireCheckRequest, WireFile, WireFileList, WireSearch, WireSearchRequest } from "../wire/service.ts";
export { type CallOptions, type Client, type ClientOptions, createClient, type ScopeQuery, type StreamEvent } from "./client.ts";
export { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";
export { parseEvents } from "./parse-events.ts";
