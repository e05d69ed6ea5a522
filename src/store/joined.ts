import { StoreError } from "../errors.ts";

/** Items of one write at most. */
const MOST_AT_ONCE = 64;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface JoinedOptions {
  /** Items of one write at most. @default 64 */
  readonly most?: number;
  /** Writes on their way at the same time. @default 1 */
  readonly atOnce?: number;
}

/**
 * Joins what is to be written at the same time: while as many writes as may be are on their way, the next one gathers, in the order of asking. Each is told of its
 * own result when the write that it was part of is done. Where a write fails because of one of its items, each is written alone, so that only the one at fault
 * fails; what a database or a disk refuses fails for all of them.
 * @param write the first of the items, as many as it likes but one at least, all of those or none; results in their order. The rest is written next.
 */
export function joined<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most = MOST_AT_ONCE, atOnce = 1 }: JoinedOptions = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let writing = 0;

  const writeAll = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await write(batch.map(({ item }) => item));
      if (results.length === 0) throw new Error("nothing was written");
      for (const [i, result] of results.entries()) batch[i]?.resolve(result);
      waiting.unshift(...batch.slice(results.length));
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreError) for (const { reject } of batch) reject(error);
      else for (const one of batch) await writeAll([one]);
    }
  };
  const next = async (): Promise<void> => {
    writing++;
    while (waiting.length > 0) await writeAll(waiting.splice(0, most));
    writing--;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (writing < atOnce) void next();
    });
}
