export type { WireAnswer, WireAskRequest, WireCitation, WireError, WireEvent, WireRefusal } from "../wire.ts";
export { type CallOptions, type Client, type ClientOptions, createClient, type StreamEvent } from "./client.ts";
export { ClientError } from "./errors.ts";
export type { WireHealth } from "./health.ts";
export { parseEvents } from "./parse-events.ts";
