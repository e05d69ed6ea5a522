import type { z } from "zod";
import type { ScopeOptions } from "../engine/engine-types.ts";
import type { RefreshResult } from "../engine/service-types.ts";
import type { AnswerEvent } from "../events.ts";
import type { Turn, Warning } from "../types.ts";
import type { askRequestSchema } from "../wire/index.ts";
import type { WireHealth } from "../wire/responses.ts";

/** A request body after its schema has parsed it: defaults are filled in. */
export type ParsedAskRequest = z.output<typeof askRequestSchema>;

export interface AskingOptions {
  readonly signal: AbortSignal;
  /** Who asks: what of the request's domain and tenant the caller may reach. */
  readonly scope: ScopeOptions;
  /** Earlier turns of a caller that keeps the conversation itself: such a question belongs to no session. */
  readonly turns?: readonly Turn[] | undefined;
}

/** The part of the engine that HTTP needs. */
export interface AskEngine {
  /** Throws `SourceboundError` (`RequestError` when the request is at fault); stops when `signal` is aborted. */
  ask(request: ParsedAskRequest, options: AskingOptions): AsyncGenerator<AnswerEvent, void>;
  /** Hotlines that a message calls for: also of a body that is no request. */
  hotlines(message: string): Promise<readonly Warning[]>;
  health(): Promise<WireHealth>;
  /** Reads the documents of a domain again; of the server's own when absent. */
  refresh(domain: string | undefined): Promise<RefreshResult>;
}
