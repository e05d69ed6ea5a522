/** The server's logger. It never receives questions or answers. */
export interface ServerLog {
  info(message: string, facts: Readonly<Record<string, unknown>>): void;
  error(message: string, facts: Readonly<Record<string, unknown>>): void;
}

/** Discards everything. */
export const silentLog: ServerLog = { info: () => {}, error: () => {} };
