/** The part of a logger that the server needs. Questions and answers are never handed to it. */
export interface ServerLog {
  info(message: string, facts: Readonly<Record<string, unknown>>): void;
  error(message: string, facts: Readonly<Record<string, unknown>>): void;
}

/** Keeps nothing. */
export const silentLog: ServerLog = { info: () => {}, error: () => {} };
