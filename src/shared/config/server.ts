import { z } from "zod";
import { ROLES } from "../../store/keys.ts";
import { group, optional, setting } from "../../text/validate.ts";

/** Minimum characters of the admin token, so that it cannot be guessed. */
export const MIN_ADMIN_TOKEN_CHARACTERS = 16;
/** Maximum requests per hour: per key, or per IP address without a key. The published `spark` and `book` designs have the same number. */
export const DEFAULT_REQUESTS_PER_HOUR = 100;
/** Maximum open connections: more than the 200 of the load tests, and far below the usual limit of 65,535 open files. */
export const DEFAULT_CONNECTIONS = 1_000;
/**
 * Milliseconds within which a whole request must arrive. On the slowest common connection 64 KiB take 10 s; this is twice
 * that time.
 */
export const DEFAULT_REQUEST_TIMEOUT_MS = 20_000;
/** Milliseconds after which a queued question is rejected. Users give up by then. */
export const DEFAULT_QUEUE_TIMEOUT_MS = 10_000;
/** Milliseconds for a whole answer: two attempts of a slow model, with the other stages. */
export const DEFAULT_ANSWER_TIMEOUT_MS = 90_000;
/** Milliseconds that running answers get to finish at shutdown. Service managers usually wait this long before they kill a process. */
export const DEFAULT_STOP_GRACE_MS = 25_000;

/** Accepted signature algorithms. All are asymmetric, so only the issuer can sign. `none` and HMAC cannot be configured. */
export const TOKEN_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const;

/** Address of the issuer or of its keys. It needs TLS, except on this machine: whoever can alter the keys in transit can sign tokens. */
const issuerUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
  .refine((url) => url.startsWith("https:") || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url), {
    error: "must begin with https://, except on this machine",
  });
const claim = (what: string) => z.string().min(1).max(200).optional().describe(what);

export const tokenSchema = z
  .strictObject({
    issuer: issuerUrl.describe("Expected `iss` claim, compared exactly; the keys are found through its discovery document"),
    audience: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe("Accepted `aud` claims; a token must contain one of them"),
    jwks_url: optional(issuerUrl, "Address of the keys; overrides `jwks_uri` of the discovery document"),
    algorithms: setting(z.array(z.enum(TOKEN_ALGORITHMS)).min(1), ["RS256", "PS256", "ES256", "EdDSA"], "Accepted signature algorithms"),
    clock_tolerance_s: setting(z.int().min(0).max(300), 30, "Allowed clock skew in seconds for `exp` and `nbf`"),
    claims: group(
      "Claims that hold the grants: a name or a path such as `realm_access.roles`. The value is a list of strings or one space-separated string. Every claim named here must be present in the token",
      {
        roles: claim("Claim with the roles; `default_roles` apply when absent"),
        domains: claim("Claim with the domains, the default one first; the server's default domain when absent"),
        tenants: claim("Claim with the tenants; when absent, only documents without a tenant are visible"),
        access: claim(
          "Name of the token claim that holds the access labels. Without this setting, the labels of the top-level setting `access` apply",
        ),
      },
    ),
    roles: optional(
      z.partialRecord(z.enum(ROLES), z.array(z.string().min(1)).min(1)),
      "Role → the issuer's name for it; default: the same",
    ),
    default_roles: setting(z.array(z.enum(ROLES).exclude(["admin"])), [], "Roles of every token if `claims.roles` is not set"),
  })
  .describe("Accepts tokens of an OpenID Connect issuer in addition to keys");

export type TokenSettings = z.output<typeof tokenSchema>;

export const serverSchema = z
  .strictObject({
    host: setting(z.string().min(1), "127.0.0.1", "Address to listen on: `127.0.0.1` this machine only, `0.0.0.0` every network interface"),
    port: setting(z.int().min(0).max(65_535), 8787, "Port to listen on; 0 selects a free port"),
    admin_token: optional(
      z.string().min(MIN_ADMIN_TOKEN_CHARACTERS, `must have at least ${MIN_ADMIN_TOKEN_CHARACTERS} characters`),
      "Bearer token for `/v1/admin/…`. When absent, these endpoints require an admin key and are disabled if no keys exist",
    ),
    without_keys: optional(
      z.enum(["this-machine", "anyone"]),
      "Who may ask without a key. When absent: this machine, until the first key is created (`sourcebound keys create`). `this-machine`: this machine, even when keys exist. `anyone`: everyone who can reach the address; needed to serve other machines while no key exists",
    ),
    requests_per_hour: setting(
      z.int().min(0),
      DEFAULT_REQUESTS_PER_HOUR,
      "Maximum questions, ratings and session reads per hour: per key, or per IP address without a key (IPv6: per /64); 0: unlimited. Requests from this machine without a key, `/healthz` and `/readyz` are not limited. Counted in memory, or across all replicas with PostgreSQL. `keys create --requests-per-hour` overrides it for one key",
    ),
    trusted_proxies: setting(
      z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: "must be an IP address, or a range such as 10.0.0.0/8" })),
      [],
      "Addresses of proxies whose `X-Forwarded-For` header is trusted",
    ),
    connections: setting(z.int().min(1), DEFAULT_CONNECTIONS, "Maximum open connections; further ones are closed"),
    request_timeout_ms: setting(
      z.int().min(1_000),
      DEFAULT_REQUEST_TIMEOUT_MS,
      "Milliseconds within which a request with its body must arrive",
    ),
    hosts: setting(
      z.array(z.string().regex(/^[A-Za-z0-9._-]+$|^\[[0-9A-Fa-f:]+\]$/, "must be a host name without a port")),
      [],
      "Host names of this server. Requests for other names are refused, which prevents DNS rebinding. Names of this machine are always accepted. Empty: accepts every name if other machines can reach `host`, otherwise only names of this machine",
    ),
    cors: setting(
      z.array(z.url({ protocol: /^https?$/ }).refine((origin) => new URL(origin).origin === origin, "must be an origin, without a path")),
      [],
      "Origins whose pages may call the API from a browser (CORS), such as `https://app.example.org`; empty: none",
    ),
    tls: optional(
      z.strictObject({
        cert: z.string().min(1).describe("PEM file with the certificate chain"),
        key: z.string().min(1).describe("PEM file with the private key"),
      }),
      "Serves HTTPS, with HSTS. Changed files are reloaded within a minute. When absent: plain HTTP, which is safe only on this machine or behind one of the `trusted_proxies` that serves HTTPS",
    ),
    jwt: tokenSchema.optional(),
    tokens_per_day: setting(z.int().min(0), 0, "Daily limit (UTC) of model tokens per key, or per address without a key; 0: unlimited"),
    usd_per_day: setting(
      z.number().min(0),
      0,
      "Daily limit of model costs in US dollars, as far as prices are known; 0: unlimited. `keys create` sets other budgets for a key",
    ),
    /** Number of tokens reserved per answer. They cover two drafts by a large model with whole passages, verification and compression. */
    tokens_per_answer: setting(
      z.int().min(1),
      16_000,
      "Model tokens reserved for each running answer, so that concurrent answers cannot exceed the budget. New questions are refused when less is left",
    ),
    /** US dollars reserved per answer: the reserved tokens at about $6 per million. */
    usd_per_answer: setting(
      z.number().positive(),
      0.1,
      "US dollars reserved for each running answer, as `tokens_per_answer` does for tokens",
    ),
    /** Maximum number of questions answered at the same time. They share one thread and mostly wait for a model. More would be slower. */
    answers_at_once: setting(z.int().min(1), 32, "Questions, searches and checks processed at the same time"),
    /** Maximum number of queued questions. At about 100 answers per second, the last question in a full queue waits two or three seconds. */
    queue: setting(
      z.int().min(0),
      256,
      "Maximum waiting requests; further ones get 503. Keys and addresses are served in turn, and none may fill more than half of the queue",
    ),
    queue_timeout_ms: setting(z.int().min(100), DEFAULT_QUEUE_TIMEOUT_MS, "Milliseconds a request may wait in the queue; then 503"),
    answer_timeout_ms: setting(
      z.int().min(1_000).max(600_000),
      DEFAULT_ANSWER_TIMEOUT_MS,
      "Timeout of an answer, search or check in milliseconds, without waiting time; then 504",
    ),
    stop_grace_ms: setting(
      z.int().min(0).max(600_000),
      DEFAULT_STOP_GRACE_MS,
      "Milliseconds that running answers and streams get to finish during shutdown; `/readyz` returns 503 immediately",
    ),
    disk_bytes: setting(
      z.int().min(0),
      20 * 1024 ** 3,
      "Maximum bytes of uploads and database together; further uploads are refused with 507. 0: unlimited",
    ),
    access_log: setting(
      z.boolean(),
      false,
      "Write one JSON line per request to stderr: time, method, path, status, milliseconds, address and key id, but no text",
    ),
  })
  .prefault({})
  .describe("The HTTP server started by `serve` and `demo`");
