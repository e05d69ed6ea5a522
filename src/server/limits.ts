/** Largest request body in bytes. A question is at most 500 characters; 64 KiB leaves room for every other field. */
export const DEFAULT_BODY_LIMIT_BYTES = 65_536;

/** Silence in milliseconds after which a comment keeps an event stream open; proxies commonly cut at 30–60 s. */
export const DEFAULT_HEARTBEAT_MS = 15_000;

/** Milliseconds that running answers get to finish when the server closes. */
export const DEFAULT_CLOSE_GRACE_MS = 5_000;

export interface ServerLimits {
  /** @default 65536 */
  readonly bodyBytes: number;
  /** @default 15000 */
  readonly heartbeatMs: number;
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = { bodyBytes: DEFAULT_BODY_LIMIT_BYTES, heartbeatMs: DEFAULT_HEARTBEAT_MS };
