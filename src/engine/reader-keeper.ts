import type { Adapter } from "../cross-encoder/create-reader.ts";
import type { Reader, ReadTexts } from "../cross-encoder/reader.ts";
import { openSharedReader } from "../cross-encoder/shared-reader.ts";
import { type EmbeddedEncoder, sharedEncoder } from "../models/embedded-encoder.ts";
import { createEntailmentScorer, readEntailmentWeights } from "../models/entailment.ts";
import type { SupportScorer } from "../models/support.ts";
import { ModelError, messageOf } from "../shared/errors.ts";
import { once } from "../text/memo.ts";

/** Creates the bundled support scorer; its weights, encoder and cross-encoder are loaded at first use. */
export function createShippedSupport(
  { of }: Pick<ReaderKeeper, "of"> = createReaderKeeper(),
  encoder: () => Pick<EmbeddedEncoder, "embedSync"> = sharedEncoder,
): SupportScorer {
  const scorer = once(() => {
    const weights = readEntailmentWeights();
    return createEntailmentScorer({ weights, embed: (texts) => encoder().embedSync(texts), read: of(weights) });
  });
  return {
    get id() {
      return scorer().id;
    },
    score: (pairs, options) => scorer().score(pairs, options),
  };
}

export type ReaderKeeper = ReturnType<typeof createReaderKeeper>;

/** Weights that were fitted with a cross-encoder, or with one of its adapters. */
interface FittedWith {
  readonly reader: Pick<Reader["weights"], "name" | "hash">;
}

/** Opens the bundled cross-encoder and its adapters at first use and warns once if one is unusable. */
export function createReaderKeeper(
  open: (adapter: Adapter | null) => Reader = openSharedReader,
  warn: (message: string) => void = (message) => process.emitWarning(message),
) {
  const opened = new Map<Adapter | null, Reader | null>();
  const reported = new Set<string>();
  const warnOnce = (message: string) => {
    if (reported.has(message)) return;
    reported.add(message);
    warn(message);
  };
  const openOrWarn = (adapter: Adapter | null): Reader | null => {
    const known = opened.get(adapter);
    if (known !== undefined) return known;
    let reader: Reader | null = null;
    try {
      reader = open(adapter);
    } catch (error) {
      warnOnce(
        `the cross-encoder is not available, so first-stage scores select answers and detect crisis messages, and cached answers that need it are not served: ${messageOf(error)}`,
      );
    }
    opened.set(adapter, reader);
    return reader;
  };
  return {
    /**
     * Returns the scoring function of the cross-encoder, with an adapter if one is named. Returns `null` if it is
     * unusable or differs from the one that the weights were fitted with; the first-stage score then decides.
     */
    of({ reader: { name, hash } }: FittedWith, adapter: Adapter | null = null): ReadTexts | null {
      const one = openOrWarn(adapter);
      if (one === null) return null;
      if (one.weights.hash !== hash) {
        warnOnce(`the cross-encoder is not used for weights that were learned with "${name}", because different weights are installed`);
        return null;
      }
      return async (texts, signal) => {
        try {
          return await one.read(texts, signal);
        } catch (error) {
          if (signal.aborted || !(error instanceof ModelError)) throw error;
          warnOnce(`the cross-encoder failed, so the first-stage score decided: ${messageOf(error)}`);
          return null;
        }
      };
    },
    async close(): Promise<void> {
      await Promise.all([...opened.values()].map((reader) => reader?.close()));
      for (const adapter of opened.keys()) opened.set(adapter, null);
    },
  };
}
