import type { Warning } from "./types.ts";

/**
 * An error that the system throws on purpose. The message says what failed, with which value, and what to do. A refusal to answer is a
 * result (`status: "insufficient_context"`), not an error.
 */
export class SourceboundError extends Error {
  /** Stable, machine-readable code. Part of HTTP responses and of `--json`. */
  readonly code: string;
  /** Details of the failure, such as the invalid value. They may be shown to users. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.data = data;
  }
}

/** An invalid configuration or environment. */
export class ConfigError extends SourceboundError {}

/** An invalid request: too long, empty, unknown domain. */
export class RequestError extends SourceboundError {}

/** A file or folder that cannot be ingested. */
export class IngestError extends SourceboundError {}

/** A database that cannot be opened, read or written. */
export class StoreError extends SourceboundError {}

/** A model or encoder endpoint that failed after retries, or is not configured. */
export class ModelError extends SourceboundError {}

/** A failed web search, or a web page that cannot be fetched or parsed. The question is then answered without the web. */
export class WebError extends SourceboundError {}

/** A feature that this build does not contain, or that needs a component which is not installed. */
export class UnavailableError extends SourceboundError {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns code and message of an error. An unexpected error has the code `internal`. */
export function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  return { code: error instanceof SourceboundError ? error.code : "internal", message: messageOf(error) };
}

/** Returns `error.code` of a system error, such as `ENOENT`; `undefined` for any other error. */
export function systemCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const WARNINGS = Symbol("warnings");

/**
 * Attaches warnings that must be shown despite the error, such as hotlines. Returns the same error, or an error that wraps
 * it if it cannot be extended.
 */
export function withWarnings(error: unknown, warnings: readonly Warning[]): unknown {
  if (warnings.length === 0) return error;
  const carrier = error instanceof Error && Object.isExtensible(error) ? error : new Error(messageOf(error), { cause: error });
  return Object.defineProperty(carrier, WARNINGS, { value: warnings, configurable: true });
}

/** Returns the warnings attached by `withWarnings`. */
export function warningsOf(error: unknown): readonly Warning[] {
  return error instanceof Error && WARNINGS in error ? (error[WARNINGS] as readonly Warning[]) : [];
}
