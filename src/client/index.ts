export {
  type DisagreeingSide,
  type Disagreement,
  type Fit,
  fitOf,
  isListItem,
  joinConflicts,
  linesOfWire,
  lineText,
  splitRow,
  type WireLine,
} from "../wire/display.ts";
export type { WireCalls, WireCitationStates, WireEvaluation, WireGraph, WireVersions } from "../wire/exploring.ts";
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
export type { WireExperiment, WireReports } from "../wire/reports.ts";
export type {
  WireCaller,
  WireCheck,
  WireCheckRequest,
  WireDocument,
  WireDomain,
  WireDomains,
  WireFile,
  WireFileList,
  WireHealth,
  WireSearch,
  WireSearchRequest,
  WireSuggestions,
  WireUploadLimits,
} from "../wire/service.ts";
export { type CallOptions, type Client, type ClientOptions, createClient, type ScopeQuery, type StreamEvent } from "./client.ts";
export { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";
export { parseEvents } from "./parse-events.ts";
