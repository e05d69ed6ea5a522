import { randomUUID } from "node:crypto";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import {
  ConfigError,
  IngestError,
  ModelError,
  messageOf,
  RequestError,
  SourceboundError,
  StoreError,
  systemCodeOf,
  UnavailableError,
  warningsOf,
} from "../shared/errors.ts";
import { warningSchema } from "../shared/types/answer.ts";
import { toWire, type WireError } from "../wire/index.ts";
import type { ServerLog } from "./access/guard.ts";

/** Error codes by HTTP status. Other codes get the status of their class (`STATUS_OF_CLASS`). */
const CODES_OF_STATUS = {
  400: ["upload_invalid"],
  401: ["key_missing", "key_wrong", "token_wrong", "token_expired", "admin_token_wrong"],
  403: ["token_claims", "role_missing", "scope_denied", "admin_off", "access_denied", "host_not_allowed"],
  404: [
    "unknown_domain",
    "unknown_tenant",
    "unknown_profile",
    "unknown_document",
    "unknown_chapter",
    "unknown_section",
    "unknown_page",
    "unknown_session",
    "unknown_answer",
    "unknown_interaction",
    "unknown_file",
    "model_not_found",
    "unknown_key",
    "unknown_report",
    "unknown_evaluation",
    "original_gone",
    "proof_documents_gone",
    "golden_missing",
    "unknown_experiment",
    "unknown_topic",
    "unknown_route",
    "page_not_built",
  ],
  405: ["method_not_allowed"],
  409: [
    "original_changed",
    "evaluation_running",
    "file_not_uploaded",
    "file_name_taken",
    "idempotency_in_progress",
    "review_stale",
    "review_no_text",
    "review_not_repeatable",
  ],
  413: ["body_too_large", "file_too_large"],
  415: ["unsupported_content_type", "unsupported_format"],
  422: ["idempotency_key_reused", "answer_unbound"],
  429: ["too_many_requests", "too_many_attempts", "too_many_waiting", "budget_spent", "budget_taken", "feedback_too_often"],
  502: ["search_denied", "search_failed"],
  503: ["not_ready", "issuer_unreachable", "busy", "search_unavailable"],
  504: ["answer_timeout", "model_timeout"],
  507: ["disk_full", "index_full"],
} as const satisfies Partial<Record<ContentfulStatusCode, readonly string[]>>;

/** HTTP status by error code. */
export const STATUS_OF_CODE: Readonly<Record<string, ContentfulStatusCode>> = Object.fromEntries(
  Object.entries(CODES_OF_STATUS).flatMap(([status, codes]) => codes.map((code) => [code, Number(status) as ContentfulStatusCode])),
);

/** Transient errors that are not logged, because they would fill the log under load. `/metrics` counts them. */
const EXPECTED_CODES: ReadonlySet<string> = new Set(["busy", "not_ready"]);

/** Codes of errors whose messages list existing domains or tenants. Only the operator, at the command line, may see the names. */
const NAMELESS_CODES: ReadonlySet<string> = new Set(["unknown_domain", "unknown_tenant"]);
const NOT_SERVED = "The domain or tenant in the request is not available here. Omit it, or ask your administrator for its name.";

/** HTTP status by error class, for codes without a status of their own. The first matching class counts. */
const STATUS_OF_CLASS: readonly (readonly [typeof SourceboundError, ContentfulStatusCode])[] = [
  [RequestError, 400],
  [UnavailableError, 501],
  [ModelError, 502],
  [StoreError, 503],
  [IngestError, 500],
  [ConfigError, 500],
];

function statusOf(error: SourceboundError): ContentfulStatusCode {
  return STATUS_OF_CODE[error.code] ?? STATUS_OF_CLASS.find(([type]) => error instanceof type)?.[1] ?? 500;
}

interface Failure {
  readonly status: ContentfulStatusCode;
  readonly body: WireError;
}

/**
 * Converts any error for the client. A `SourceboundError` is sent unchanged. Of any other error the client gets only an
 * id; the details go to the log.
 */
export function describeFailure(error: unknown, log: Pick<ServerLog, "error">, requestId: string = randomUUID()): Failure {
  const { status, error: described } = describeError(error, log, requestId);
  const warnings = warningsOf(error).map((warning) => toWire(warningSchema, warning));
  const said = warnings.length === 0 ? described : { ...described, warnings };
  const title = said.code.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
  const problem = { type: `urn:sourcebound:problem:${said.code}`, title, status, detail: said.message, request_id: requestId };
  return { status, body: { ...problem, error: said } };
}

function describeError(error: unknown, log: Pick<ServerLog, "error">, id: string): Pick<Failure, "status"> & Pick<WireError, "error"> {
  if (error instanceof SourceboundError) {
    const { code, message, data, cause } = error;
    const status = statusOf(error);
    if (status >= 500 && !EXPECTED_CODES.has(code))
      log.error("request failed", { id, code, message, cause: cause === undefined ? undefined : messageOf(cause) });
    if (NAMELESS_CODES.has(code)) return { status, error: { code, message: NOT_SERVED } };
    return { status, error: { code, message, ...(Object.keys(data).length > 0 ? { data: { ...data } } : {}) } };
  }
  log.error("unexpected error", { id, message: messageOf(error), stack: error instanceof Error ? error.stack : undefined });
  const message = `Internal server error. Retry; if it fails again, report the id ${id}, under which the server log has the details.`;
  return { status: 500, error: { code: "internal", message, data: { id } } };
}

/** Error codes of a connection that was closed before the body was complete. */
const CUT_OFF: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR"]);

/** Returns whether the client's disconnect caused the error. An error after a disconnect can still have another cause. */
export function isGone(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && CUT_OFF.has(systemCodeOf(error));
}

/** Returns the response for a closed connection; status 499 marks it in the log. */
export function goneResponse(): Response {
  return new Response(null, { status: 499 });
}
