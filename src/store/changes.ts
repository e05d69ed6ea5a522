import pg from "pg";
import { messageOf } from "../errors.ts";
import { CHANGES_CHANNEL } from "./dialect.ts";

/** Milliseconds between a lost connection and the next try; twice as many after each further one, up to the limit. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/** Waits for changes. */
export interface Changes {
  /** Resolves when it listens, or tries to; `onChange` gets a domain, or `null` when any may have changed: after the connection was lost. */
  listen(onChange: (domain: string | null) => void): Promise<void>;
  close(): Promise<void>;
}

/** A connection of its own that listens. A lost one is made anew until `close`; what was said meanwhile is made up by one `null`. */
export function createChanges(url: string, warn: (message: string) => void): Changes {
  let client: pg.Client | null = null;
  let closed = false;
  let wait = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;
  const connect = async (onChange: (domain: string | null) => void): Promise<void> => {
    const made = new pg.Client({
      connectionString: url,
      application_name: "sourcebound changes",
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    let lost = false;
    const again = (error?: unknown) => {
      if (lost || closed) return;
      lost = true;
      client = null;
      if (wait === FIRST_RETRY_MS)
        warn(
          `changes of other processes are not heard of until PostgreSQL answers again (${messageOf(error ?? "connection ended")}); questions look for themselves`,
        );
      made.end().catch(() => undefined);
      retry = setTimeout(() => {
        connect(onChange).then(
          () => onChange(null),
          () => undefined,
        );
      }, wait);
      wait = Math.min(LAST_RETRY_MS, wait * 2);
    };
    made.on("error", again);
    made.on("end", () => again());
    made.on("notification", ({ payload }) => onChange(payload ?? null));
    try {
      await made.connect();
      await made.query(`listen ${CHANGES_CHANNEL}`);
    } catch (error) {
      again(error);
      throw error;
    }
    wait = FIRST_RETRY_MS;
    client = made;
  };
  return {
    // What fails at first is tried again like what is lost later.
    listen: (onChange) => connect(onChange).catch(() => undefined),
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
