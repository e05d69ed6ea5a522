import { z } from "zod";
import { DEFAULT_MODEL_RETRIES, DEFAULT_MODEL_TIMEOUT_MS } from "../shared/config/models.ts";
import { type Config, hubFolders } from "../shared/config.ts";
import { ModelError, messageOf } from "../shared/errors.ts";
import type { EncoderStore } from "../store/embeddings.ts";
import { createHubEncoder } from "./adapters/hub.ts";
import { createApiEncoder } from "./adapters/openai-compatible.ts";
import type { EmbeddedEncoder } from "./embedded-encoder.ts";
import type { Encoder } from "./encoder.ts";
import { DTYPES, HUB_NAME, POOLINGS } from "./hub/catalog.ts";

/** Milliseconds after a failure in which an endpoint is left alone: questions in that time are ranked by words at once, instead of each waiting for all retries. */
const DEFAULT_PAUSE_MS = 15_000;

/** An encoder that, once it has failed, fails at once for a while; then it is tried again. */
export function pauseAfterFailure(
  encoder: Encoder,
  { now, pauseMs = DEFAULT_PAUSE_MS }: { readonly now: () => number; readonly pauseMs?: number },
): Encoder {
  let failure: { readonly error: ModelError; readonly until: number } | null = null;
  return {
    ...encoder,
    async embed(texts, options) {
      options?.signal?.throwIfAborted();
      if (failure !== null && now() < failure.until && texts.length > 0) {
        const seconds = Math.ceil((failure.until - now()) / 1000);
        throw new ModelError("encoder_paused", `${failure.error.message} (tried again in ${seconds} s)`, {}, { cause: failure.error });
      }
      try {
        const vectors = await encoder.embed(texts, options);
        failure = null;
        return vectors;
      } catch (error) {
        if (error instanceof ModelError) failure = { error, until: now() + pauseMs };
        throw error;
      }
    },
  };
}

/** What names an encoder and opens it again, without a key. */
export const encoderSpecSchema = z.union([
  z.literal("embedded"),
  z.strictObject({ hub: z.string().regex(HUB_NAME), dtype: z.enum(DTYPES), pooling: z.enum(POOLINGS).optional() }),
  z.strictObject({ base_url: z.string(), model: z.string() }),
]);
export type EncoderSpec = z.infer<typeof encoderSpecSchema>;

/** The encoder that the configuration names; `null` for words only. */
export function configuredSpec({ embeddings }: Pick<Config, "embeddings">): EncoderSpec | null {
  if (embeddings === "none") return null;
  if (embeddings === "embedded" || "hub" in embeddings) return embeddings;
  return { base_url: embeddings.base_url, model: embeddings.model };
}

/**
 * Opens an encoder; that of an endpoint with the configured key, if the configuration names the same endpoint.
 * @param embedded loads the encoder that ships, or gives the one that is loaded
 * @throws ModelError when a hub model or the runtime is not there
 */
export function openEncoder(spec: EncoderSpec, config: Config, embedded: () => EmbeddedEncoder): Encoder {
  if (spec === "embedded") return embedded();
  if ("hub" in spec) return createHubEncoder(spec.hub, { ...hubFolders(config), dtype: spec.dtype, pooling: spec.pooling });
  const { embeddings } = config;
  const same = typeof embeddings === "object" && "base_url" in embeddings && embeddings.base_url === spec.base_url ? embeddings : null;
  const endpoint = {
    baseUrl: spec.base_url,
    apiKey: same?.api_key ?? "",
    timeoutMs: same?.timeout_ms ?? DEFAULT_MODEL_TIMEOUT_MS,
    retries: same?.retries ?? DEFAULT_MODEL_RETRIES,
  };
  return pauseAfterFailure(createApiEncoder(spec.model, endpoint), { now: () => Date.now() });
}

interface EncoderChoiceParts {
  readonly domain: string;
  readonly store: EncoderStore;
  /** The encoder of the configuration and what names it. */
  readonly configured: { readonly encoder: Encoder; readonly spec: unknown };
  /** Opens what an earlier run wrote down. Throws when it cannot be opened here any more. */
  readonly open: (spec: unknown) => Encoder;
  /** Told why the encoder that served cannot serve on. */
  readonly onGone?: (id: string, reason: string) => void;
}

interface ChosenEncoders {
  readonly serve: Encoder;
  readonly prepare: Encoder | null;
  readonly activate: (encoder: Encoder) => Promise<void>;
}

/**
 * Which encoder serves a domain: the one whose index is complete. When the configuration has changed since, the configured one is prepared beside it and
 * takes its place. A choice of `models switch` stands until the configuration changes.
 */
export function createEncoderChoice({ domain, store, configured, open, onGone }: EncoderChoiceParts): () => Promise<ChosenEncoders> {
  const key = JSON.stringify(configured.spec);
  const opened = new Map<string, Encoder>([[configured.encoder.id, configured.encoder]]);
  const activate = (encoder: Encoder) => store.activate(domain, { id: encoder.id, spec: configured.spec, configured: key });
  const serveConfigured: ChosenEncoders = { serve: configured.encoder, prepare: null, activate };
  return async () => {
    const active = await store.active(domain);
    if (active === null || active.id === configured.encoder.id) {
      if (active?.configured !== key) await activate(configured.encoder);
      return serveConfigured;
    }
    let serve = opened.get(active.id);
    if (serve === undefined) {
      try {
        serve = open(active.spec);
        opened.set(serve.id, serve);
      } catch (cause) {
        onGone?.(active.id, messageOf(cause));
      }
    }
    if (serve === undefined || serve.id !== active.id) {
      await activate(configured.encoder);
      return serveConfigured;
    }
    return { serve, prepare: active.configured === key ? null : configured.encoder, activate };
  };
}
