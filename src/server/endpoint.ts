import type { Context } from "hono";
import type { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import type { Evaluations } from "../grading/evaluations.ts";
import type { Answer } from "../shared/types.ts";
import type { Role } from "../store/keys.ts";
import type { Caller, SessionIds } from "./access/caller.ts";
import type { Guard, ServerLog } from "./access/guard.ts";
import type { Metrics } from "./serving.ts";

export const DEFAULT_SERVER_LIMITS = {
  /** Maximum bytes of a request body. Enough for a question of 500 characters and every other field. */
  bodyBytes: 65_536,
  /** Maximum bytes of a body with texts, such as an answer with its sources: about 20 documents of 200 KB as JSON. */
  checkBytes: 4_194_304,
  /** Maximum bytes of an upload. The whole upload is in memory, so larger files must be ingested from a folder. */
  uploadBytes: 33_554_432,
  /** Maximum number of files per upload. */
  uploadFiles: 20,
  /** Heartbeat interval of an event stream in milliseconds; proxies often close idle connections after 30–60 s. */
  heartbeatMs: 15_000,
};
export type ServerLimits = Readonly<typeof DEFAULT_SERVER_LIMITS>;

/** Services that handlers use. An endpoint is mounted only if the service in its `needs` exists. */
export interface Services {
  readonly engine: Engine;
  readonly evaluations: Evaluations;
  readonly metrics: Metrics;
  readonly guard: Guard;
  readonly log: ServerLog;
  readonly limits: ServerLimits;
  readonly sessions: SessionIds;
  readonly write: (answer: Answer) => string;
  /** The OpenAPI description. */
  readonly api: object;
  readonly startedAt: Date;
  readonly isStopping: () => boolean;
}

/** An authorised request with its parsed query and body. */
export interface Call<Query = unknown, Body = unknown> {
  readonly context: Context;
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
  /** The id or name in the path. @throws RequestError `invalid_request` when it is too long */
  readonly id: string;
  readonly signal: AbortSignal;
}

export interface JsonBody<Body extends z.ZodType = z.ZodType> {
  readonly schema: Body;
  readonly optional?: true;
  /** `true`: the larger size limit for bodies with texts applies. */
  readonly long?: true;
  /** `true`: JSON Lines, one value of the schema per line; the handler parses them. */
  readonly lines?: true;
  /** `true`: the handler parses the body itself. */
  readonly unread?: true;
}

/** A route with its permissions, schemas and handler. Both the server and the OpenAPI description are built from it. */
export interface Endpoint<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST" | "DELETE";
  /** In OpenAPI syntax: `/v1/answers/{id}`. */
  readonly path: `/${string}`;
  /** One-line summary. */
  readonly what: string;
  /** Required role; `caller`: any admitted caller; `anyone`: no key needed. */
  readonly opens: Role | "caller" | "anyone";
  readonly query?: Query;
  readonly body?: JsonBody<Body> | "files";
  readonly gives: {
    readonly status: 200 | 201 | 202 | 204;
    readonly schema: z.ZodType | null;
    readonly events?: true;
    readonly lines?: true;
  };
  /** `true`: not counted against the rate limit. */
  readonly uncounted?: true;
  /** `true`: accepts `Idempotency-Key`, so that a repeated request runs once. */
  readonly idempotent?: true;
  /** `true`: with ephemeral privacy its responses are not stored, so idempotency keys are ignored. */
  readonly ephemeral?: true;
  /** `true`: has an `ETag`; unchanged content gives `304`. */
  readonly etag?: true;
  /**
   * `true`: sent with `no-store`, because the response is valid only for one caller or one moment. Routes that require a
   * role other than `ask` always send `no-store`.
   */
  readonly unstored?: true;
  /** Optional service. Without it the endpoint does not exist. */
  readonly needs?: "evaluations" | "metrics";
  /** Returns the value to send as JSON, or a whole `Response`. */
  readonly handle: (call: Call<z.output<Query>, z.output<Body>>, services: Services) => unknown;
}

/** Infers the handler's types from the schemas. */
export function endpoint<Query extends z.ZodType, Body extends z.ZodType>(one: Endpoint<Query, Body>): Endpoint {
  return one as unknown as Endpoint;
}
