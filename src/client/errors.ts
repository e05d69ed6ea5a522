/** A request that failed. `code` is the server's, or one of `unreachable`, `stream_cut`, `invalid_response`, `timeout`. */
export class ClientError extends Error {
  readonly code: string;
  /** HTTP status, or `null` when there was no response or the stream had begun. */
  readonly status: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** To be shown before the error: the hotlines that the message calls for. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** What the server's log calls the request; `null`: there was no response, or it did not say. */
  readonly requestId: string | null;

  constructor(
    code: string,
    message: string,
    { status = null, data = {}, warnings = [], requestId = null, cause }: ClientErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.data = data;
    this.warnings = warnings;
    this.requestId = requestId;
  }
}

export interface ClientErrorOptions {
  readonly status?: number | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly warnings?: ClientError["warnings"];
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** The server answered that it failed, or refused: `code` and `status` say why. */
export class ApiError extends ClientError {}

/** No answer within `timeoutMs`, or a stream that stayed silent for as long. */
export class TimeoutError extends ClientError {}

/** Every try failed; `code`, `status` and `cause` are those of the last one. */
export class RetryExhaustedError extends ClientError {
  /** Tries, the first one included. */
  readonly attempts: number;

  constructor(last: ClientError, attempts: number) {
    super(last.code, `${last.message} (${attempts} tries)`, {
      ...{ status: last.status, data: last.data, warnings: last.warnings, requestId: last.requestId, cause: last },
    });
    this.attempts = attempts;
  }
}
