export * from "../wire/display.ts";
export type * from "../wire/index.ts";
export { type CallOptions, type Client, type ClientOptions, createClient, type ScopeQuery, type StreamEvent } from "./client.ts";
export { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";
export { parseEvents } from "./parse-events.ts";
