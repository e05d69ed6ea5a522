import { z } from "zod";

/** Connections of one process. PostgreSQL allows 100 in total by default: enough for ten replicas. */
export const DEFAULT_DATABASE_CONNECTIONS = 9;
/** Milliseconds for which a statement may run or wait: many times the longest statement of a question or of a file. */
export const DEFAULT_DATABASE_TIMEOUT_MS = 30_000;

/** Minimum vectors for a search by pgvector (`seven-layer` source, table 10). */
export const DEFAULT_VECTORS_FROM = 10_000;

export const databaseSchema = z
  .strictObject({
    url: z
      .string()
      .regex(/^postgres(ql)?:\/\/./, "must begin with postgres:// or postgresql://")
      .describe("`postgres://USER:PASSWORD@HOST:PORT/DATABASE`; a user that may create tables"),
    connections: z
      .int()
      .min(2)
      .max(1_000)
      .default(DEFAULT_DATABASE_CONNECTIONS)
      .describe("Connections that one process opens at most; one more waits for changes of others"),
    timeout_ms: z
      .int()
      .min(100)
      .max(3_600_000)
      .default(DEFAULT_DATABASE_TIMEOUT_MS)
      .describe("Milliseconds after which a statement that does not end is given up"),
    vectors: z
      .enum(["process", "pgvector"])
      .optional()
      .describe(
        "Where vectors are searched: `process` compares all in memory, `pgvector` asks an HNSW index of the database; absent: `pgvector` for profile `seven-layer`, as its source has it, `process` for every other (docs/scale.md)",
      ),
    vectors_from: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .default(DEFAULT_VECTORS_FROM)
      .describe("Vectors of a domain from which on pgvector is asked; fewer are compared in the process"),
  })
  .describe(
    "PostgreSQL in the place of the database in `data_dir`: every record lies there and is shared by all processes with the same address (docs/scale.md)",
  );
