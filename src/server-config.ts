import { z } from "zod";

/** Shortest admin token: what guards a server must not be guessed. */
export const MIN_ADMIN_TOKEN_CHARACTERS = 16;
/** Port of the server. */
export const DEFAULT_PORT = 8787;
/** Address that the server binds: this machine only. */
export const DEFAULT_HOST = "127.0.0.1";
/** Requests an hour with one key, or from one address (`spark` and `book` sources). */
export const DEFAULT_REQUESTS_PER_HOUR = 100;
/** Connections open at once: several times the 200 that load is measured with, far below the 65,535 files that a service is commonly allowed. */
export const DEFAULT_CONNECTIONS = 1_000;
/**
 * Milliseconds in which a request must have arrived, its body included: 64 KiB need 10 s on the slowest line that is in use, and what takes
 * longer keeps a connection for nothing.
 */
export const DEFAULT_REQUEST_TIMEOUT_MS = 20_000;

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
        "Questions, verdicts and looks at sessions that are taken with one key, or without one from one address (of IPv6: one /64); 0: as many as come. This machine without a key is not limited, nor are `/healthz` and `/readyz`. Counted in memory; `keys create --requests-per-hour` sets another number for a key",
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
    access_log: z
      .boolean()
      .default(false)
      .describe(
        "Write a line of JSON for each request to stderr: time, method, path, status, milliseconds, address, id of the key; no text",
      ),
  })
  .prefault({})
  .describe("The HTTP server that `serve` and `demo` start");
