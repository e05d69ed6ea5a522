import type { z } from "zod";
import type { AnswerEvent } from "../events.ts";
import type { askRequestSchema } from "../wire.ts";

/** A request body after its schema has parsed it: defaults are filled in. */
export type ParsedAskRequest = z.output<typeof askRequestSchema>;

/** What `GET /healthz` reports. */
export interface EngineHealth {
  readonly status: "ok" | "degraded";
  readonly domain: string;
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly version: string;
  readonly encoder: string;
  readonly model: string;
}

/** The part of the engine that HTTP needs. */
export interface AskEngine {
  /** Throws `SourceboundError` (`RequestError` when the request is at fault); stops when `signal` is aborted. */
  ask(request: ParsedAskRequest, options: { signal: AbortSignal }): AsyncGenerator<AnswerEvent, void>;
  health(): Promise<EngineHealth>;
}
