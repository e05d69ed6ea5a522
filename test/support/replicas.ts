import { type Library, type LibraryOptions, openInTest } from "./engine.ts";
import { type PostgresServer, usePostgres } from "./postgres.ts";

export interface Replicas {
  /** The shared PostgreSQL server; available from the first test on. */
  server(): PostgresServer;
  /** Opens replicas on an empty database; the first ingests the library. All are closed after the test. */
  open(count: number, settings?: Readonly<Record<string, unknown>>, options?: LibraryOptions): Promise<Library[]>;
}

/** Opens replicas of a service on one PostgreSQL server, for the tests of the enclosing `describe`. */
export function useReplicas(): Replicas {
  const server = usePostgres();
  return {
    server,
    async open(count, settings = {}, options = {}) {
      const own = { "database.url": await server().createDatabase(), "database.connections": 6, ...settings };
      const opened: Library[] = [];
      for (let n = 0; n < count; n++)
        opened.push(await openInTest({ settings: own, ...(n === 0 ? {} : { documents: {} }), warn: () => undefined, ...options }));
      return opened;
    },
  };
}
