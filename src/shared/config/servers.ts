import { z } from "zod";
import { optional, setting } from "../../text/validate.ts";
import { hasUserName, httpUrl } from "./models.ts";

export const databaseSchema = z
  .strictObject({
    url: z
      .string()
      .regex(/^postgres(ql)?:\/\/./, "must begin with postgres:// or postgresql://")
      .describe("`postgres://USER:PASSWORD@HOST:PORT/DATABASE`; the user must be allowed to create tables"),
    /** Maximum connections of one process. PostgreSQL accepts 100 by default, so ten processes fit, with some to spare. */
    connections: setting(
      z.int().min(2).max(1_000),
      9,
      "Maximum connections per process; one more connection listens for changes made by other processes",
    ),
    /**
     * Maximum milliseconds of a database statement, including waiting for locks. Statements of questions and ingests take far
     * less.
     */
    timeout_ms: setting(z.int().min(100).max(3_600_000), 30_000, "Statement timeout in milliseconds"),
    vectors: optional(
      z.enum(["process", "pgvector"]),
      "Where vectors are stored and compared: `process` keeps them in memory, `pgvector` in the database, with an HNSW index. When absent: `pgvector` if the server's profile is `seven-layer`, as its design specifies, otherwise `process` (docs/scale.md)",
    ),
    /** Number of vectors from which pgvector uses its HNSW index, as in the published `seven-layer` design (docs/profiles.md). */
    vectors_from: setting(
      z.int().min(1).max(1_000_000_000),
      10_000,
      "Number of vectors from which pgvector uses its HNSW index; fewer are compared exactly",
    ),
  })
  .describe("Uses PostgreSQL instead of the database in `data_dir`. All processes with the same address share all records (docs/scale.md)");

const url = httpUrl.refine((value) => !hasUserName(value), "must contain no user name or password: use `username`, `password`");

export const searchSchema = z
  .strictObject({
    type: z.literal("opensearch").describe("Type of the shared search engine. Without `search`, each process keeps its own index"),
    url: z
      .union([url, z.array(url).min(1)])
      .describe("Address of a node, or a list of addresses; if a node does not answer, the next one is asked"),
    username: optional(z.string().min(1), "User name of basic authentication"),
    password: setting(z.string(), "", "Password of basic authentication"),
    aws: optional(
      z.strictObject({
        region: z.string().min(1).describe("Region, such as eu-west-1"),
        access_key_id: optional(
          z.string().min(1),
          "Access key; when absent, the package `@aws-sdk/credential-provider-node`, which you install yourself, finds credentials",
        ),
        secret_access_key: setting(z.string(), "", "Secret of the access key"),
        session_token: optional(z.string().min(1), "Token of temporary credentials"),
      }),
      "Signs requests for Amazon OpenSearch Service",
    ),
    ca: optional(z.string().min(1), "File with the certificate authority (PEM) of an `https` address, relative to the working directory"),
    prefix: setting(
      z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "must consist of lower-case letters, digits, - and _"),
      "sourcebound",
      "Prefix of index names. Installations that share a cluster need different ones",
    ),
    /**
     * Number of shards of an index. One shard holds about ten million windows. Several shards are searched in parallel. To
     * change the number, build a new index.
     */
    shards: setting(z.int().min(1).max(1_024), 1, "Shards of each domain's index when it is built (docs/scale.md)"),
    /** Timeout of a request to OpenSearch in milliseconds. Even the longest searches take a small part of it. */
    timeout_ms: setting(z.int().min(100).max(600_000), 10_000, "Milliseconds after which a request to a node fails"),
  })
  .superRefine(({ username, aws, ca, url: given }, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (username !== undefined && aws !== undefined) fault("aws", "must not be set together with `username`");
    if (ca !== undefined && ![given].flat().every((one) => one.startsWith("https:"))) fault("ca", "needs an `https` address");
  })
  .describe("Searches in an OpenSearch cluster, which all processes share, instead of in the process (docs/scale.md)");

export type SearchConfig = z.infer<typeof searchSchema>;
