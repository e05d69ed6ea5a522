/** A request that failed. `code` is the server's, or one of `unreachable`, `stream_cut`, `invalid_response`. */
export class ClientError extends Error {
  readonly code: string;
  /** HTTP status, or `null` when there was no response or the stream had begun. */
  readonly status: number | null;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, { status = null, data = {}, cause }: ClientErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export interface ClientErrorOptions {
  readonly status?: number | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}
