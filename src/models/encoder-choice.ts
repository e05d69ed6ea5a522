import { messageOf } from "../errors.ts";
import type { EncoderStore } from "../store/embeddings.ts";
import type { Encoder } from "./encoder.ts";

export interface EncoderChoiceParts {
  readonly domain: string;
  readonly store: EncoderStore;
  /** The encoder of the configuration and what names it. */
  readonly configured: { readonly encoder: Encoder; readonly spec: unknown };
  /** Opens what an earlier run wrote down. Throws when it cannot be opened here any more. */
  readonly open: (spec: unknown) => Encoder;
  /** Told why the encoder that served cannot serve on. */
  readonly onGone?: (id: string, reason: string) => void;
}

export interface ChosenEncoders {
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
