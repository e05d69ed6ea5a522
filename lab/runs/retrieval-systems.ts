import { createHubEncoder, type HubOptions } from "../../src/models/adapters/hub.ts";
import type { EmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import type { Encoder } from "../../src/models/encoder.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { ModelError } from "../../src/shared/errors.ts";
import type { EmbeddingStore } from "../../src/store/embeddings.ts";
import { cacheVectors } from "../sets/vector-cache.ts";
import { loadPeer, PEERS_COMMAND, type Peer, type PeerDocument } from "./peers.ts";

/** A system that ranks documents. */
export type RetrievalSystem = IndexSystem | PeerSystem | AbsentSystem;

/** The product's own index. */
export interface IndexSystem {
  readonly type: "index";
  readonly name: string;
  readonly encoder: Encoder | null;
  readonly settings: {
    readonly bm25: boolean;
    readonly dense: boolean;
    readonly alpha: number;
    readonly beta: number;
    readonly fusion: "min-max" | "rrf";
  };
}

/** Another library. */
export interface PeerSystem {
  readonly type: "peer";
  readonly name: string;
  readonly version: string;
  open(documents: readonly PeerDocument[]): ReturnType<Peer["documents"]>;
}

/** A system that is not available on this machine. */
export interface AbsentSystem {
  readonly type: "absent";
  readonly name: string;
  /** `not installed`, or another reason. */
  readonly state: string;
  /** How to install or repair it. */
  readonly remedy: string;
}

/** A difference reported with its interval. */
export interface Comparison {
  readonly system: string;
  readonly against: string;
}

export const BASELINE = "bm25";
export const OURS = "hybrid";

const { alpha, beta, fusion } = sourcebound.retrieve;
/** Fusion of the default profile. */
const SETTINGS: IndexSystem["settings"] = { bm25: true, dense: true, alpha, beta, fusion };
const WORDS: IndexSystem = { type: "index", name: BASELINE, encoder: null, settings: { ...SETTINGS, dense: false } };

/** Creates BM25, dense, and the default profile's hybrid. */
export function embeddedSystems(encoder: EmbeddedEncoder): IndexSystem[] {
  return [
    WORDS,
    { type: "index", name: "dense", encoder, settings: { ...SETTINGS, bm25: false } },
    { type: "index", name: OURS, encoder, settings: SETTINGS },
  ];
}

/** Creates hybrids with other weights, and reciprocal rank fusion. */
export function fusionSystems(encoder: EmbeddedEncoder): IndexSystem[] {
  const weighted = [0.3, 0.4, 0.5, 0.6].map((share): IndexSystem => {
    const settings = { ...SETTINGS, alpha: share, beta: 1 - share, fusion: "min-max" } as const;
    return { type: "index", name: `hybrid.${share * 10}`, encoder, settings };
  });
  return [WORDS, ...weighted, { type: "index", name: "rrf", encoder, settings: { ...SETTINGS, fusion: "rrf" } }];
}

export interface HubSystemOptions extends HubOptions {
  /** Vectors by model and text; a Hugging Face model embeds about forty texts per second. */
  readonly cache: EmbeddingStore;
  readonly signal: AbortSignal;
}

/** Returns the names of the systems that `hubSystems` creates, also if the model is missing. */
export function hubSystemNames(model: string): { dense: string; hybrid: string; equal: string } {
  return { dense: `dense:${model}`, hybrid: `hybrid:${model}`, equal: `hybrid.5:${model}` };
}

/** Creates the systems of a local Hugging Face model: dense alone, fused with the default profile's weights, and with equal weights. */
export async function hubSystems(model: string, { cache, signal, ...options }: HubSystemOptions): Promise<RetrievalSystem[]> {
  const names = hubSystemNames(model);
  let encoder: Encoder;
  try {
    const hub = createHubEncoder(model, options);
    // The model loads on first use; a broken one should fail before hours of work.
    await hub.embed(["Does it run?"], { signal });
    encoder = cacheVectors(hub, cache);
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    const state = cause.code.endsWith("_missing") ? "not installed" : "does not run";
    return [names.dense, names.hybrid].map((name) => ({ type: "absent", name, state, remedy: cause.message }));
  }
  return [
    { type: "index", name: names.dense, encoder, settings: { ...SETTINGS, bm25: false } },
    { type: "index", name: names.hybrid, encoder, settings: SETTINGS },
    { type: "index", name: names.equal, encoder, settings: { ...SETTINGS, alpha: 0.5, beta: 0.5 } },
  ];
}

/** Libraries with lexical ranking. */
const PEERS = { minisearch: "minisearch.mjs", orama: "orama.mjs" } as const;

/** @param folder folder of the peers' files, for tests */
export async function peerSystems(folder?: string): Promise<RetrievalSystem[]> {
  return Promise.all(
    Object.entries(PEERS).map(async ([name, file]): Promise<RetrievalSystem> => {
      const { peer, version } = await loadPeer(file, folder);
      if (peer === null) return { type: "absent", name, state: "not installed", remedy: PEERS_COMMAND };
      return { type: "peer", name, version, open: (documents) => peer.documents(documents) };
    }),
  );
}
