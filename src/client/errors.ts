/**
 * A failed request. `code` is the server's code, or one of `unreachable`, `stream_cut`, `invalid_response` and `timeout`.
 */
export class ClientError extends Error {
  readonly code: string;
  /** HTTP status; `null` if there was no response, or if a stream failed after its start. */
  readonly status: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** Hotlines that fit the question. Show them before the error. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** Id of the request in the server's log; `null` if there was no response, or if the response states none. */
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

export type ClientErrorOptions = Partial<Pick<ClientError, "status" | "data" | "warnings" | "requestId" | "cause">>;

/** The server failed, or it refused the request. `code` and `status` say why. */
export class ApiError extends ClientError {}

/** No response within `timeoutMs`, or a stream without data for that long. */
export class TimeoutError extends ClientError {}

/** Every attempt failed. `code`, `status` and `cause` belong to the last attempt. */
export class RetryExhaustedError extends ClientError {
  /** Number of attempts, including the first one. */
  readonly attempts: number;

  constructor(last: ClientError, attempts: number) {
    const { status, data, warnings, requestId } = last;
    super(last.code, `${last.message} (after ${attempts} attempts)`, { status, data, warnings, requestId, cause: last });
    this.attempts = attempts;
  }
}
