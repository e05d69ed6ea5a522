/** A failed request. `code` is the server's, or one of `unreachable`, `stream_cut`, `invalid_response`, `timeout`. */
export class ClientError extends Error {
  readonly code: string;
  /** HTTP status; `null` without a response or after the stream had begun. */
  readonly status: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** Hotlines for the message. Show them before the error. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** Id of the request in the server's log; `null`: no response or no id. */
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

/** The server failed or refused: `code` and `status` tell why. */
export class ApiError extends ClientError {}

/** No response within `timeoutMs`, or a stream without data for that long. */
export class TimeoutError extends ClientError {}

/** Every attempt failed; `code`, `status` and `cause` are those of the last one. */
export class RetryExhaustedError extends ClientError {
  /** Number of attempts, including the first one. */
  readonly attempts: number;

  constructor(last: ClientError, attempts: number) {
    super(last.code, `${last.message} (${attempts} tries)`, {
      ...{ status: last.status, data: last.data, warnings: last.warnings, requestId: last.requestId, cause: last },
    });
    this.attempts = attempts;
  }
}
