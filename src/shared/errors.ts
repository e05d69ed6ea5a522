import type { Warning } from "./types.ts";

/**
 * Every error that this system throws on purpose. The message says what failed, with which value, and what to do.
 * Refusing to answer is a result (`status: "insufficient_context"`), never one of these.
 */
export class SourceboundError extends Error {
  /** Stable, machine-readable; travels over HTTP and into `--json`. */
  readonly code: string;
  /** Facts about the failure, safe to show. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.data = data;
  }
}

/** The configuration or the environment is wrong. */
export class ConfigError extends SourceboundError {}

/** A request is not acceptable: too long, empty, unknown domain. */
export class RequestError extends SourceboundError {}

/** A file or folder cannot become documents. */
export class IngestError extends SourceboundError {}

/** The database cannot be opened, read or written. */
export class StoreError extends SourceboundError {}

/** A model or encoder endpoint failed after retries, or is not configured. */
export class ModelError extends SourceboundError {}

/** A web search failed, or a page of the web is not fetched or not read. It never fails a question. */
export class WebError extends SourceboundError {}

/** What is asked for exists in the design but not in this build, or cannot run without another part. */
export class UnavailableError extends SourceboundError {}

/** The text of anything thrown, for messages that wrap it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `error.code` of system errors such as `ENOENT`, else `undefined`. */
export function systemCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const WARNINGS = Symbol("warnings");

/** The error with what must be said although it failed, such as a hotline's text; it stays the same error where it can be written to. */
export function withWarnings(error: unknown, warnings: readonly Warning[]): unknown {
  if (warnings.length === 0) return error;
  const carrier = error instanceof Error && Object.isExtensible(error) ? error : new Error(messageOf(error), { cause: error });
  return Object.defineProperty(carrier, WARNINGS, { value: warnings, configurable: true });
}

/** What must be said although it failed. */
export function warningsOf(error: unknown): readonly Warning[] {
  return error instanceof Error && WARNINGS in error ? (error[WARNINGS] as readonly Warning[]) : [];
}
