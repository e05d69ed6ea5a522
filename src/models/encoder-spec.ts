import { z } from "zod";
import { DEFAULT_MODEL_RETRIES, DEFAULT_MODEL_TIMEOUT_MS } from "../shared/config/models.ts";
import { type Config, hubFolders } from "../shared/config.ts";
import { ModelError } from "../shared/errors.ts";
import type { EncoderStore } from "../store/embeddings.ts";
import { createHubEncoder } from "./adapters/hub.ts";
import { createApiEncoder } from "./adapters/openai-compatible.ts";
import type { EmbeddedEncoder } from "./embedded-encoder.ts";
import type { Encoder, EncoderChoice } from "./encoder.ts";
import { DTYPES, HUB_NAME, POOLINGS } from "./hub/catalog.ts";

/**
 * Milliseconds after a failed call during which further calls fail immediately, so that questions are ranked by BM25
 * without waiting for retries.
 */
const PAUSE_MS = 15_000;

/** Wraps an encoder so that, after a failed call, further calls fail immediately for `PAUSE_MS`. */
function pauseAfterFailure(encoder: Encoder): Encoder {
  let failure: { readonly error: ModelError; readonly until: number } | null = null;
  return {
    ...encoder,
    async embed(texts, options) {
      options?.signal?.throwIfAborted();
      if (failure !== null && Date.now() < failure.until && texts.length > 0) {
        const seconds = Math.ceil((failure.until - Date.now()) / 1000);
        throw new ModelError("encoder_paused", `${failure.error.message} (next attempt in ${seconds} s)`, {}, { cause: failure.error });
      }
      try {
        const vectors = await encoder.embed(texts, options);
        failure = null;
        return vectors;
      } catch (error) {
        if (error instanceof ModelError) failure = { error, until: Date.now() + PAUSE_MS };
        throw error;
      }
    },
  };
}

/** Schema of the specification from which an encoder can be opened again. It contains no API key. */
export const encoderSpecSchema = z.union([
  z.literal("embedded"),
  z.strictObject({ hub: z.string().regex(HUB_NAME), dtype: z.enum(DTYPES), pooling: z.enum(POOLINGS).optional() }),
  z.strictObject({ base_url: z.string(), model: z.string() }),
]);
export type EncoderSpec = z.infer<typeof encoderSpecSchema>;

/** Returns the specification of the configured encoder. `null` means that search uses BM25 only. */
export function configuredSpec({ embeddings }: Pick<Config, "embeddings">): EncoderSpec | null {
  if (embeddings === "none") return null;
  if (embeddings === "embedded" || "hub" in embeddings) return embeddings;
  return { base_url: embeddings.base_url, model: embeddings.model };
}

/**
 * Opens an encoder. An endpoint receives the configured API key only if the configuration names the same endpoint.
 * @param embedded returns the embedded encoder, which is loaded on first use
 * @throws ModelError if a Hugging Face Hub model or the runtime is not installed
 */
export function openEncoder(spec: EncoderSpec, config: Config, embedded: () => EmbeddedEncoder): Encoder {
  if (spec === "embedded") return embedded();
  if ("hub" in spec) return createHubEncoder(spec.hub, { ...hubFolders(config), dtype: spec.dtype, pooling: spec.pooling });
  const { embeddings } = config;
  const isSame = typeof embeddings === "object" && "base_url" in embeddings && embeddings.base_url === spec.base_url;
  const defaults = { api_key: "", timeout_ms: DEFAULT_MODEL_TIMEOUT_MS, retries: DEFAULT_MODEL_RETRIES };
  const { api_key: apiKey, timeout_ms: timeoutMs, retries } = isSame ? embeddings : defaults;
  const endpoint = { baseUrl: spec.base_url, apiKey, timeoutMs, retries };
  return pauseAfterFailure(createApiEncoder(spec.model, endpoint));
}

interface EncoderChoiceParts {
  readonly domain: string;
  readonly store: EncoderStore;
  readonly configured: { readonly encoder: Encoder; readonly spec: unknown };
  /** Opens an encoder from a stored specification. Throws if it cannot be opened on this machine. */
  readonly open: (spec: unknown) => Encoder;
}

/**
 * Returns a function that selects the encoder of a domain. After a change of the configuration, the previous encoder stays in use until all
 * vectors of the configured encoder are computed. An encoder chosen with `models switch` stays in use until the configuration changes.
 */
export function createEncoderChoice({ domain, store, configured, open }: EncoderChoiceParts): () => Promise<EncoderChoice> {
  const key = JSON.stringify(configured.spec);
  const opened = new Map<string, Encoder>([[configured.encoder.id, configured.encoder]]);
  const activate = (encoder: Encoder) => store.activate(domain, { id: encoder.id, spec: configured.spec, configured: key });
  const serveConfigured: EncoderChoice = { serve: configured.encoder, prepare: null, activate };
  return async () => {
    const active = await store.active(domain);
    if (active === null || active.id === configured.encoder.id) {
      if (active?.configured !== key) await activate(configured.encoder);
      return serveConfigured;
    }
    let serve = opened.get(active.id);
    try {
      serve ??= open(active.spec);
      opened.set(serve.id, serve);
    } catch {
      // The active encoder cannot be opened any more. The configured one replaces it below.
    }
    if (serve === undefined || serve.id !== active.id) {
      await activate(configured.encoder);
      return serveConfigured;
    }
    return { serve, prepare: active.configured === key ? null : configured.encoder, activate };
  };
}
