import { z } from "zod";
import { DEFAULT_MODEL_RETRIES, DEFAULT_MODEL_TIMEOUT_MS } from "../config/models.ts";
import { type Config, hubFolders } from "../config.ts";
import { createHubEncoder } from "./adapters/hub.ts";
import { createApiEncoder } from "./adapters/openai-compatible.ts";
import { pauseAfterFailure } from "./circuit.ts";
import type { EmbeddedEncoder } from "./embedded-encoder.ts";
import type { Encoder } from "./encoder.ts";
import { DTYPES, HUB_NAME, POOLINGS } from "./hub/catalog.ts";

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
