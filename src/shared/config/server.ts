import { z } from "zod";
import { tokenSchema } from "./tokens.ts";

export type { TokenSettings } from "./tokens.ts";

/** Minimum characters of the admin token, so that it cannot be guessed. */
export const MIN_ADMIN_TOKEN_CHARACTERS = 16;
export const DEFAULT_PORT = 8787;
/** Address that the server binds: this machine only. */
export const DEFAULT_HOST = "127.0.0.1";
/** Requests per hour and key, or per address without a key (`spark` and `book` sources). */
export const DEFAULT_REQUESTS_PER_HOUR = 100;
/** Open connections: several times the 200 of the load tests, far below the common limit of 65,535 open files. */
export const DEFAULT_CONNECTIONS = 1_000;
/** Milliseconds until a request must have arrived with its body: twice the 10 s that 64 KiB need on the slowest line in use. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 20_000;
/** Tokens reserved per answer: two drafts by a large model over whole passages, plus verification and compression. */
export const DEFAULT_TOKENS_PER_ANSWER = 16_000;
/** US dollars reserved per answer: those tokens at about $6 per million. */
export const DEFAULT_USD_PER_ANSWER = 0.1;
/** Concurrent questions. They share one thread and mostly wait for a model; many more would slow down all of them. */
export const DEFAULT_ANSWERS_AT_ONCE = 32;
/** Queued questions: at about 100 answers per second the last one waits two or three seconds. */
export const DEFAULT_QUEUE = 256;
/** Milliseconds in the queue until a question is rejected; users give up by then. */
export const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;
/** Milliseconds for a whole answer: two attempts of a slow model, with the other stages. */
export const DEFAULT_ANSWER_TIMEOUT_MS = 90_000;
/** Milliseconds for running answers to finish at shutdown: the usual wait of service managers before they kill a process. */
export const DEFAULT_STOP_GRACE_MS = 25_000;
/** Bytes of uploads and database together. */
export const DEFAULT_DISK_BYTES = 20 * 1024 ** 3;

export const serverSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default(DEFAULT_HOST)
      .describe("Address to listen on; `127.0.0.1` answers this machine only, `0.0.0.0` every network"),
    port: z.int().min(0).max(65_535).default(DEFAULT_PORT).describe("Port to listen on; 0 takes a free one"),
    admin_token: z
      .string()
      .min(MIN_ADMIN_TOKEN_CHARACTERS, `must have at least ${MIN_ADMIN_TOKEN_CHARACTERS} characters`)
      .optional()
      .describe("Sent as bearer token to `/v1/admin/…`; absent: these addresses are open to keys alone, and off where there are none"),
    without_keys: z
      .enum(["this-machine", "anyone"])
      .optional()
      .describe(
        "Who may ask without a key. Absent: this machine, until the first key is made (`sourcebound keys create`). `this-machine`: also beside keys. `anyone`: whoever reaches the address; without it, and without a key, no other address than this machine's is served",
      ),
    requests_per_hour: z
      .int()
      .min(0)
      .default(DEFAULT_REQUESTS_PER_HOUR)
      .describe(
        "Questions, verdicts and looks at sessions that are taken with one key, or without one from one address (of IPv6: one /64); 0: unlimited. This machine without a key is not limited, nor are `/healthz` and `/readyz`. Counted in memory, or with PostgreSQL by all replicas together; `keys create --requests-per-hour` sets another number for a key",
      ),
    trusted_proxies: z
      .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: "must be an address, or a range such as 10.0.0.0/8" }))
      .default([])
      .describe("Addresses of proxies whose `X-Forwarded-For` is believed"),
    connections: z.int().min(1).default(DEFAULT_CONNECTIONS).describe("Connections that are open at once; further ones are closed"),
    request_timeout_ms: z
      .int()
      .min(1_000)
      .default(DEFAULT_REQUEST_TIMEOUT_MS)
      .describe("Milliseconds in which a request must have arrived, its body included"),
    hosts: z
      .array(z.string().regex(/^[A-Za-z0-9._-]+$|^\[[0-9A-Fa-f:]+\]$/, "must be the name of a host, without a port"))
      .default([])
      .describe(
        "Names under which the server is reached: requests to others are refused, so that no page of another site can reach it by a name of its own. Names of this machine always count; empty: on an address of others, any name",
      ),
    cors: z
      .array(z.url({ protocol: /^https?$/ }).refine((origin) => new URL(origin).origin === origin, "must be an origin, without a path"))
      .default([])
      .describe("Origins whose pages may call the API from a browser, such as `https://app.example.org` (CORS); empty: none"),
    tls: z
      .strictObject({
        cert: z.string().min(1).describe("File of the certificate with its chain, PEM"),
        key: z.string().min(1).describe("File of its private key, PEM"),
      })
      .optional()
      .describe(
        "Serves HTTPS, with HSTS; absent: plain HTTP, which belongs on this machine or behind one of `trusted_proxies` that serves HTTPS. Files that are replaced are read again within a minute",
      ),
    jwt: tokenSchema.optional(),
    tokens_per_day: z
      .int()
      .min(0)
      .default(0)
      .describe("Tokens of models that answers to one key, or to one address without one, may come to on a day (UTC); 0: unlimited"),
    usd_per_day: z
      .number()
      .min(0)
      .default(0)
      .describe("US dollars of models, the same way, by the prices that are known; 0: any. `keys create` sets other budgets for a key"),
    tokens_per_answer: z
      .int()
      .min(1)
      .default(DEFAULT_TOKENS_PER_ANSWER)
      .describe(
        "Tokens set aside of a budget for each answer that is on its way, so that no answer, and none at the same time, overruns it; where less is left, none is answered any more",
      ),
    usd_per_answer: z.number().positive().default(DEFAULT_USD_PER_ANSWER).describe("US dollars set aside, the same way"),
    answers_at_once: z.int().min(1).default(DEFAULT_ANSWERS_AT_ONCE).describe("Questions, searches and checks that are worked on at once"),
    queue: z
      .int()
      .min(0)
      .default(DEFAULT_QUEUE)
      .describe("Those that wait beyond; further ones get 503. Keys and addresses take turns; none has more than half of the places"),
    queue_timeout_ms: z.int().min(100).default(DEFAULT_QUEUE_TIMEOUT_MS).describe("Milliseconds that one waits before it gets 503"),
    answer_timeout_ms: z
      .int()
      .min(1_000)
      .max(600_000)
      .default(DEFAULT_ANSWER_TIMEOUT_MS)
      .describe("Milliseconds for a whole answer, search or check, waiting not counted; then it is 504"),
    stop_grace_ms: z
      .int()
      .min(0)
      .max(600_000)
      .default(DEFAULT_STOP_GRACE_MS)
      .describe("Milliseconds that running answers and streams get to finish when the server is told to stop; `/readyz` is 503 at once"),
    disk_bytes: z
      .int()
      .min(0)
      .default(DEFAULT_DISK_BYTES)
      .describe("Bytes that uploads and the database may come to together; then uploads are refused with 507. 0: any"),
    access_log: z
      .boolean()
      .default(false)
      .describe(
        "Write a line of JSON for each request to stderr: time, method, path, status, milliseconds, address, id of the key; no text",
      ),
  })
  .prefault({})
  .describe("The HTTP server that `serve` and `demo` start");
