/** A request that failed. `code` is the server's, or one of `unreachable`, `stream_cut`, `invalid_response`. */
export class ClientError extends Error {
  readonly code: string;
  /** HTTP status, or `null` when there was no response or the stream had begun. */
  readonly status: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** To be shown before the error: the hotlines that the message calls for. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];

  constructor(code: string, message: string, { status = null, data = {}, warnings = [], cause }: ClientErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.data = data;
    this.warnings = warnings;
  }
}

export interface ClientErrorOptions {
  readonly status?: number | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly warnings?: ClientError["warnings"];
  readonly cause?: unknown;
}
