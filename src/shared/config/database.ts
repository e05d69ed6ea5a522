import { z } from "zod";
import { optional, setting } from "../../text/validate.ts";

/** Maximum connections of one process. PostgreSQL allows 100 in total by default, enough for ten replicas. */
export const DEFAULT_DATABASE_CONNECTIONS = 9;
/** Maximum milliseconds for which a statement may run or wait. This is many times the longest statement of a question or of a file. */
export const DEFAULT_DATABASE_TIMEOUT_MS = 30_000;

/** Minimum vectors for a search by pgvector (`seven-layer` source, table 10). */
export const DEFAULT_VECTORS_FROM = 10_000;

export const databaseSchema = z
  .strictObject({
    url: z
      .string()
      .regex(/^postgres(ql)?:\/\/./, "must begin with postgres:// or postgresql://")
      .describe("`postgres://USER:PASSWORD@HOST:PORT/DATABASE`; the user must be allowed to create tables"),
    connections: setting(
      z.int().min(2).max(1_000),
      DEFAULT_DATABASE_CONNECTIONS,
      "Maximum connections per process; one more connection listens for changes made by other processes",
    ),
    timeout_ms: setting(z.int().min(100).max(3_600_000), DEFAULT_DATABASE_TIMEOUT_MS, "Statement timeout in milliseconds"),
    vectors: optional(
      z.enum(["process", "pgvector"]),
      "Where vectors are searched: `process` compares all vectors in memory, `pgvector` uses an HNSW index in the database. When absent: `pgvector` for questions under profile `seven-layer`, as its source specifies, `process` for all others (docs/scale.md)",
    ),
    vectors_from: setting(
      z.int().min(1).max(1_000_000_000),
      DEFAULT_VECTORS_FROM,
      "Number of vectors in a domain from which pgvector is used; smaller domains are searched in the process",
    ),
  })
  .describe("Uses PostgreSQL instead of the database in `data_dir`. All processes with the same address share all records (docs/scale.md)");
