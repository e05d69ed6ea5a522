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
} from "../errors.ts";
import { warningToWire } from "../wire/answer-to-wire.ts";
import type { WireError } from "../wire/index.ts";
import type { ServerLog } from "./log.ts";

/** Status by code, where the class alone does not say it. */
export const STATUS_OF_CODE: Readonly<Record<string, ContentfulStatusCode>> = {
  unknown_domain: 404,
  unknown_tenant: 404,
  unknown_profile: 404,
  unknown_document: 404,
  unknown_chapter: 404,
  unknown_section: 404,
  unknown_page: 404,
  unknown_session: 404,
  unknown_answer: 404,
  unknown_interaction: 404,
  unknown_file: 404,
  unknown_model: 404,
  unknown_key: 404,
  unknown_report: 404,
  unknown_evaluation: 404,
  original_gone: 404,
  proof_documents_gone: 404,
  original_changed: 409,
  evaluation_running: 409,
  golden_missing: 404,
  unknown_experiment: 404,
  unknown_topic: 404,
  unknown_route: 404,
  page_not_built: 404,
  not_ready: 503,
  key_missing: 401,
  key_wrong: 401,
  token_wrong: 401,
  token_expired: 401,
  token_claims: 403,
  issuer_unreachable: 503,
  role_missing: 403,
  scope_denied: 403,
  too_many_requests: 429,
  too_many_attempts: 429,
  too_many_waiting: 429,
  budget_spent: 429,
  budget_taken: 429,
  busy: 503,
  answer_timeout: 504,
  disk_full: 507,
  admin_token_wrong: 401,
  admin_off: 403,
  access_denied: 403,
  host_not_allowed: 403,
  method_not_allowed: 405,
  file_not_uploaded: 409,
  file_name_taken: 409,
  idempotency_in_progress: 409,
  idempotency_key_reused: 422,
  review_stale: 409,
  review_no_text: 409,
  review_not_repeatable: 409,
  body_too_large: 413,
  file_too_large: 413,
  answer_unbound: 422,
  feedback_too_often: 429,
  unsupported_content_type: 415,
  unsupported_format: 415,
  upload_invalid: 400,
  model_timeout: 504,
};

/** Failures of the moment that `/metrics` counts: a line for each would fill the log when there is least time for it. */
const EXPECTED_CODES: ReadonlySet<string> = new Set(["busy", "not_ready"]);

/** Their messages name what there is beside: that is for whoever runs the server, at the command line. */
const NAMELESS_CODES: ReadonlySet<string> = new Set(["unknown_domain", "unknown_tenant"]);
const NOT_SERVED =
  "What the request names as domain or tenant is not served here: leave it out, or ask whoever runs the server for its name.";

/** Status by class, for every other code. The first class that fits counts. */
const STATUS_OF_CLASS: readonly (readonly [typeof SourceboundError, ContentfulStatusCode])[] = [
  [RequestError, 400],
  [UnavailableError, 501],
  [ModelError, 502],
  [StoreError, 503],
  [IngestError, 500],
  [ConfigError, 500],
];

/** The HTTP status that an error of this system answers with. */
function statusOf(error: SourceboundError): ContentfulStatusCode {
  return STATUS_OF_CODE[error.code] ?? STATUS_OF_CLASS.find(([type]) => error instanceof type)?.[1] ?? 500;
}

interface Failure {
  readonly status: ContentfulStatusCode;
  readonly body: WireError;
}

/**
 * Turns anything thrown into what the requester may see. Errors of this system say what to do and travel as they are; of any other
 * error only an id travels, under which the log holds the rest.
 */
export function describeFailure(error: unknown, log: ServerLog, requestId: string = randomUUID()): Failure {
  const { status, error: described } = describeError(error, log, requestId);
  const warnings = warningsOf(error).map(warningToWire);
  const said = warnings.length === 0 ? described : { ...described, warnings };
  const title = said.code.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
  const problem = { type: `urn:sourcebound:problem:${said.code}`, title, status, detail: said.message, request_id: requestId };
  return { status, body: { ...problem, error: said } };
}

function describeError(error: unknown, log: ServerLog, id: string): Pick<Failure, "status"> & Pick<WireError, "error"> {
  if (error instanceof SourceboundError) {
    const { code, message, data, cause } = error;
    const status = statusOf(error);
    if (status >= 500 && !EXPECTED_CODES.has(code))
      log.error("request failed", { id, code, message, cause: cause === undefined ? undefined : messageOf(cause) });
    if (NAMELESS_CODES.has(code)) return { status, error: { code, message: NOT_SERVED } };
    return { status, error: { code, message, ...(Object.keys(data).length > 0 ? { data: { ...data } } : {}) } };
  }
  log.error("unexpected error", { id, message: messageOf(error), stack: error instanceof Error ? error.stack : undefined });
  const message = `Something failed inside the server. Ask again; if it fails again, report the id ${id}, which the server's log explains.`;
  return { status: 500, error: { code: "internal", message, data: { id } } };
}

/** What reading a body throws when the connection ends before the body does. */
const CUT_OFF: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR"]);

/** Did reading fail because the requester has left? Anything else that fails after they left is still an error. */
export function isGone(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && CUT_OFF.has(systemCodeOf(error));
}

/** Nobody reads this: the connection is closed. 499 keeps such requests apart in the log. */
export function goneResponse(): Response {
  return new Response(null, { status: 499 });
}
