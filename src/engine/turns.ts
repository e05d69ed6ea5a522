/** Waits for this question's turn to compute. */
export type Turn = () => Promise<void>;

interface Waiting {
  readonly arrival: number;
  readonly go: () => void;
}

/** Milliseconds of turns in one round of the event loop: what needs no turn waits no longer than this and the last piece of work. */
const ROUND_MS = 4;

/**
 * Who computes next, for questions that share one thread: the one that came first. In each round of the event loop turns are given for a few milliseconds, at
 * least one, so that what needs no turn (a health check, a request that arrives, a model's reply) is heard between two rounds; work that takes longer than that
 * has a round of its own.
 * @param clock milliseconds
 * @returns called once for each question as it arrives; the function that it gets is called before each piece of work
 */
export function createTurns(clock: () => number = () => performance.now()): () => Turn {
  const waiting: Waiting[] = [];
  let arrivals = 0;
  let due = 0;
  let begun = 0;
  // All immediates that were asked for before a round run in it, each with what follows from it at once; those asked for within it, in the next one.
  const give = (isFirst: boolean) => {
    due--;
    if (isFirst) begun = clock();
    if (isFirst || clock() - begun < ROUND_MS) waiting.shift()?.go();
    if (due === 0) ask();
  };
  const ask = () => {
    for (; due < waiting.length; due++) setImmediate(give, due === 0);
  };
  return () => {
    const arrival = arrivals++;
    return () =>
      new Promise((go) => {
        const at = waiting.findLastIndex((one) => one.arrival <= arrival) + 1;
        waiting.splice(at, 0, { arrival, go });
        if (due === 0) ask();
      });
  };
}
