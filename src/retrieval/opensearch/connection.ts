import { setTimeout as sleep } from "node:timers/promises";
import { Client, errors } from "@opensearch-project/opensearch";
import { AwsSigv4Signer } from "@opensearch-project/opensearch/aws-v3";
import { z } from "zod";
import { messageOf, UnavailableError } from "../../shared/errors.ts";

export interface ConnectionOptions {
  /** URLs of one or more nodes. */
  readonly nodes: readonly string[];
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  /** Signs requests for AWS. Without keys, `@aws-sdk/credential-provider-node` must be installed. */
  readonly aws?: { readonly region: string; readonly keys?: AwsKeys | undefined } | undefined;
  /** Certificate authority, as PEM. */
  readonly ca?: string | undefined;
  readonly timeoutMs: number;
  /** Compresses requests. @default true */
  readonly compression?: boolean | undefined;
}

interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A request. Newline-delimited JSON is given as `lines` instead of `body`. */
export interface Call<Schema extends z.ZodType> {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  readonly lines?: readonly (object | string)[];
  readonly schema: Schema;
  readonly signal?: AbortSignal | undefined;
  /** Multiplies the timeout by `LONG`; for writes. @default false */
  readonly isLong?: boolean;
}

/** One operation of a bulk request; `source` is absent for deletions. */
export interface BulkItem {
  readonly action: Readonly<Record<string, unknown>>;
  readonly source?: object;
}

/** Maximum number of retries of a write that the overloaded cluster refused. The pause between them doubles. */
const BULK_RETRIES = 6;
const BULK_WAIT_MS = 250;
/** A bulk request is sent when its JSON has this many characters, about as many bytes. OpenSearch recommends a few megabytes. */
const BULK_BYTES = 5_000_000;
/** Maximum number of retries of a request that a node did not answer. */
const RETRIES = 3;
/** Factor on the timeout of writes. */
const LONG = 6;

const bulkSchema = z.object({
  items: z.array(z.record(z.string(), z.object({ status: z.number(), error: z.object({ reason: z.string().nullish() }).optional() }))),
});

const errorSchema = z.object({ error: z.object({ reason: z.string().optional() }) });

/** A client of one OpenSearch cluster. Its errors say what to do. Responses are parsed by schema. */
export class OpenSearchConnection {
  private readonly client: Client;
  private readonly timeoutMs: number;

  constructor({ nodes, basic, aws, ca, timeoutMs, compression = true }: ConnectionOptions) {
    this.timeoutMs = timeoutMs;
    this.client = new Client({
      ...{ nodes: [...nodes], requestTimeout: timeoutMs, maxRetries: RETRIES },
      ...(compression ? { compression: "gzip" as const } : {}),
      ...(basic === undefined ? {} : { auth: basic }),
      ...(ca === undefined ? {} : { ssl: { ca } }),
      ...(aws === undefined ? {} : AwsSigv4Signer(signing(aws))),
    });
  }

  /**
   * @throws UnavailableError `search_unavailable`, `search_denied`, `search_failed`
   */
  async call<Schema extends z.ZodType>(call: Call<Schema>): Promise<z.infer<Schema>> {
    const { method, path, query = {}, body, lines, schema, signal, isLong = false } = call;
    signal?.throwIfAborted();
    const params = {
      ...{ method, path, querystring: { ...query } },
      ...(body === undefined ? {} : { body }),
      ...(lines === undefined ? {} : { bulkBody: [...lines] as Record<string, unknown>[] }),
    };
    const request = this.client.transport.request(params, { requestTimeout: this.timeoutMs * (isLong ? LONG : 1) });
    // Do not return the thenable of `abort` from the listener, because Node would throw its rejection.
    const abort = () => {
      request.abort();
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return schema.parse((await request).body);
    } catch (cause) {
      signal?.throwIfAborted();
      throw describe(cause);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Returns the response, or `null` for status 404. */
  async find<Schema extends z.ZodType>(call: Call<Schema>): Promise<z.infer<Schema> | null> {
    try {
      return await this.call(call);
    } catch (error) {
      if (error instanceof UnavailableError && error.data.status === 404) return null;
      throw error;
    }
  }

  /**
   * Writes items in order. Each request waits for the previous one, so that a slow cluster slows the writer down.
   * Retries writes that an overloaded cluster refuses. Ignores updates of documents that no longer exist.
   * @throws UnavailableError when any other operation failed
   */
  async bulk(index: string, items: Iterable<BulkItem>): Promise<void> {
    let part: string[][] = [];
    let bytes = 0;
    for (const { action, source } of items) {
      const lines = [action, ...(source === undefined ? [] : [source])].map((line) => JSON.stringify(line));
      part.push(lines);
      bytes += lines.reduce((sum, line) => sum + line.length, 0);
      if (bytes < BULK_BYTES) continue;
      await this.send(index, part);
      part = [];
      bytes = 0;
    }
    await this.send(index, part);
  }

  private async send(index: string, operations: readonly string[][]): Promise<void> {
    let left = operations;
    for (let tried = 0; left.length > 0; tried++) {
      if (tried > BULK_RETRIES) throw this.failure(429, "it refused writes repeatedly");
      if (tried > 0) await sleep(BULK_WAIT_MS * 2 ** (tried - 1));
      const call = { method: "POST", path: `/${index}/_bulk`, lines: left.flat(), schema: bulkSchema, isLong: true } as const;
      const answer = await this.call(call).catch((error: unknown) => {
        if (error instanceof UnavailableError && error.data.status === 429) return null;
        throw error;
      });
      const outcomes = answer?.items.map((item) => Object.values(item)[0]) ?? [];
      const failure = outcomes.find((one) => one !== undefined && one.status >= 400 && one.status !== 404 && one.status !== 429);
      if (failure !== undefined) throw this.failure(failure.status, failure.error?.reason ?? "it refused a document");
      if (answer !== null) left = left.filter((_, i) => outcomes[i]?.status === 429);
    }
  }

  /** Returns the error for one failed part of a bulk or multi-search request. */
  failure(status: number, reason: string): UnavailableError {
    return failed(codeOf(status), `OpenSearch failed (${reason})`, status);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function signing({ region, keys }: NonNullable<ConnectionOptions["aws"]>): Parameters<typeof AwsSigv4Signer>[0] {
  return { region, service: "es", ...(keys === undefined ? {} : { getCredentials: async () => keys as never }) };
}

function describe(cause: unknown): unknown {
  if (!(cause instanceof errors.OpenSearchClientError)) return cause;
  if (!(cause instanceof errors.ResponseError))
    return failed("search_unavailable", `OpenSearch cannot be reached or does not answer (${messageOf(cause)})`, null, cause);
  const statusCode = cause.meta.statusCode ?? cause.statusCode;
  const { reason = "" } = errorSchema.safeParse(cause.body).data?.error ?? {};
  const reply = reason === "" ? messageOf(cause) : `${messageOf(cause)}: ${reason}`;
  if (statusCode === 401 || statusCode === 403)
    return failed("search_denied", `OpenSearch refused the request (${reply}). Check the credentials in \`search\``, statusCode, cause);
  return failed(codeOf(statusCode), `OpenSearch failed (${reply})`, statusCode, cause);
}

function codeOf(status: number): "search_unavailable" | "search_failed" {
  return status === 429 || status >= 502 ? "search_unavailable" : "search_failed";
}

function failed(code: string, what: string, status: number | null = null, cause?: unknown): UnavailableError {
  const advice = "Stored documents are kept and will be indexed. Try again. If the problem persists, check `search.url` and the cluster.";
  const data = { status, ...(code === "search_unavailable" ? { retry_after_s: 5 } : {}) };
  return new UnavailableError(code, `${what}. ${advice}`, data, cause === undefined ? {} : { cause });
}
