/** When to look again for what has become too old or too much: not with each addition. */
export interface Seldom {
  /** Is a look due with so many additions more? Changes nothing, so that a transaction that is run again gets the same answer. */
  isDue(more: number): boolean;
  /**
   * Counts additions when they are committed.
   * @param untilNext additions from here to the next look, where one was taken with these
   */
  done(more: number, untilNext?: number): void;
}

/** The first addition of a process is due: many processes make only one. */
export function createSeldom(): Seldom {
  let left = 0;
  return {
    isDue: (more) => more > left,
    done: (more, untilNext) => {
      left = untilNext ?? Math.max(left - more, 0);
    },
  };
}
