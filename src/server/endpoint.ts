import type { Context } from "hono";
import type { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import type { FindExamples } from "../engine/packs/example-questions.ts";
import type { Evaluations } from "../grading/evaluations.ts";
import type { Answer } from "../shared/types.ts";
import type { Role } from "../store/keys.ts";
import type { Caller, SessionIds } from "./access/caller.ts";
import type { Guard } from "./access/guard.ts";
import type { ServerLog } from "./log.ts";
import type { Metrics } from "./telemetry/metrics.ts";

export const DEFAULT_SERVER_LIMITS = {
  /** Largest request body in bytes. A question is at most 500 characters; 64 KiB leaves room for every other field. */
  bodyBytes: 65_536,
  /** Largest body that brings texts along, such as an answer to check with its sources: about 20 documents of 200 KB as JSON. */
  checkBytes: 4_194_304,
  /** Largest upload in bytes: it is held in memory once; larger files are ingested from a folder. */
  uploadBytes: 33_554_432,
  /** Most files of one upload. */
  uploadFiles: 20,
  /** Silence in milliseconds after which a comment keeps an event stream open; proxies commonly cut at 30–60 s. */
  heartbeatMs: 15_000,
};
export type ServerLimits = Readonly<typeof DEFAULT_SERVER_LIMITS>;

/** What handlers work with. An endpoint that `needs` a part is only mounted where the part is. */
export interface Services {
  readonly engine: Engine;
  readonly evaluations: Evaluations;
  readonly metrics: Metrics;
  readonly guard: Guard;
  readonly log: ServerLog;
  readonly limits: ServerLimits;
  readonly sessions: SessionIds;
  /** Writes answers as JSON. */
  readonly write: (answer: Answer) => string;
  /** Finds questions to try where a pack names none. */
  readonly findExamples: FindExamples;
  /** The description of the API. */
  readonly api: object;
  readonly startedAt: Date;
  readonly isStopping: () => boolean;
}

/** A request that was let in, with its parts parsed. */
export interface Call<Query = unknown, Body = unknown> {
  readonly context: Context;
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
  /** The id or name in the path. @throws RequestError `invalid_request` where it is too long */
  readonly id: string;
  readonly signal: AbortSignal;
}

export interface JsonBody<Body extends z.ZodType = z.ZodType> {
  readonly schema: Body;
  readonly optional?: true;
  /** It brings texts along. */
  readonly long?: true;
  /** What cannot be read gets the hotlines that it calls for. */
  readonly hotlines?: true;
  /** The handler reads it: another specification says what it holds. */
  readonly unread?: true;
}

/** One route, as it is mounted, guarded, described and handled: there is no other list of them. */
export interface Endpoint<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  readonly method: "GET" | "POST" | "DELETE";
  /** As OpenAPI writes it: `/v1/answers/{id}`. */
  readonly path: `/${string}`;
  /** What it does, in a line. */
  readonly what: string;
  /** Role of those who may; `caller`: whoever is let in at all; `anyone`: without a key, too. */
  readonly opens: Role | "caller" | "anyone";
  readonly query?: Query;
  readonly body?: JsonBody<Body> | "files";
  readonly gives: { readonly status: 200 | 201 | 202 | 204; readonly schema: z.ZodType | null; readonly events?: true };
  /** Of those who ask: does not count against how often they may. */
  readonly uncounted?: true;
  /** Takes `Idempotency-Key`: sent twice, it is done once. */
  readonly idempotent?: true;
  /** Has an `ETag`: what has not changed is `304`. */
  readonly etag?: true;
  /** The response is for one asker or one moment: nobody keeps it on the way. Everything that needs another role than `ask` is. */
  readonly unstored?: true;
  /** Part of the server without which it does not exist. */
  readonly needs?: "evaluations" | "metrics";
  /** Gives the JSON of the response, or the response itself. */
  readonly handle: (call: Call<z.output<Query>, z.output<Body>>, services: Services) => unknown;
}

/** Ties the types of an endpoint's schemas to its handler. */
export function endpoint<Query extends z.ZodType, Body extends z.ZodType>(one: Endpoint<Query, Body>): Endpoint {
  return one as unknown as Endpoint;
}
