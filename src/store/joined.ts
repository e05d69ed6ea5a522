import { StoreError } from "../errors.ts";

/** Items of one write at most: some ten milliseconds of the thread that answers, too. */
const MOST_AT_ONCE = 64;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins what is to be written at the same time: while one write is on its way, the next one gathers, in the order of asking. Each is told of its own result when
 * the write that it was part of is done. Where a write fails because of one of its items, each is written alone, so that only the one at fault fails; what a
 * database or a disk refuses fails for all of them.
 * @param write all of them or none; results in their order
 */
export function joined<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number = MOST_AT_ONCE,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  const writeAll = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await write(batch.map(({ item }) => item));
      for (const [i, result] of results.entries()) batch[i]?.resolve(result);
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreError) for (const { reject } of batch) reject(error);
      else for (const one of batch) await writeAll([one]);
    }
  };
  const next = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) await writeAll(waiting.splice(0, most));
    isWriting = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void next();
    });
}
