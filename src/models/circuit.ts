import { ModelError } from "../errors.ts";
import type { Encoder } from "./encoder.ts";

/** Milliseconds after a failure in which an endpoint is left alone: questions in that time are ranked by words at once, instead of each waiting for all retries. */
export const DEFAULT_PAUSE_MS = 15_000;

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
