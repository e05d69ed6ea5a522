import { ModelError, messageOf } from "../errors.ts";
import type { Reader } from "../reader/reader.ts";
import { openSharedReader } from "../reader/shared-reader.ts";
import type { ChooserWeights } from "../write/chooser-weights.ts";
import type { ReadTexts } from "../write/read-pieces.ts";

export interface ReaderKeeper {
  /** `null` where the reader cannot be used, or where the chooser's weights were learned with another one: answers are chosen at a glance then. */
  of(weights: Pick<ChooserWeights, "reader">): ReadTexts | null;
  close(): Promise<void>;
}

/** The reader that ships, opened when it is first asked for. A warning says once why answers are chosen without it. */
export function createReaderKeeper(
  open: () => Reader = openSharedReader,
  warn: (message: string) => void = (message) => process.emitWarning(message),
): ReaderKeeper {
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
      warnOnce(`answers are chosen without the reader: ${messageOf(error)}`);
      return null;
    }
  };
  return {
    of({ reader: { name, hash } }) {
      if (opened === undefined) opened = openOrWarn();
      const one = opened;
      if (one === null) return null;
      if (one.weights.hash !== hash) {
        warnOnce(
          `answers are chosen without the reader: the chooser was learned with "${name}", whose weights are others than those installed`,
        );
        return null;
      }
      return async (texts, signal) => {
        try {
          return await one.read(texts, signal);
        } catch (error) {
          if (signal.aborted || !(error instanceof ModelError)) throw error;
          warnOnce(`an answer was chosen without the reader: ${messageOf(error)}`);
          return null;
        }
      };
    },
    async close() {
      await opened?.close();
      opened = null;
    },
  };
}
