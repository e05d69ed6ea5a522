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

/** Opens the bundled cross-encoder at first use and warns once if it is unusable. */
export function createReaderKeeper(
  open: () => Reader = openSharedReader,
  warn: (message: string) => void = (message) => process.emitWarning(message),
) {
  let opened: Reader | null | undefined;
  const said = new Set<string>();
  const warnOnce = (message: string) => {
    if (said.has(message)) return;
    said.add(message);
    warn(message);
  };
  const openOrWarn = (): Reader | null => {
    try {
      return open();
    } catch (error) {
      warnOnce(
        `the cross-encoder is not available, so first-stage scores select answers and detect crisis messages, and cached answers that need it are not served: ${messageOf(error)}`,
      );
      return null;
    }
  };
  return {
    /**
     * Returns the cross-encoder's scoring; `null`: unusable, or not the one that the weights were trained with. The first-stage score
     * decides.
     */
    of({ reader: { name, hash } }: { readonly reader: Pick<Reader["weights"], "name" | "hash"> }): ReadTexts | null {
      if (opened === undefined) opened = openOrWarn();
      const one = opened;
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
      await opened?.close();
      opened = null;
    },
  };
}
