/** Waits for this question's turn to compute. */
export type Turn = () => Promise<void>;

interface Waiting {
  readonly arrival: number;
  readonly go: () => void;
}

/**
 * Who computes next, for questions that share one thread: the one that came first. One turn is given in each round of the event loop, so that
 * what needs no turn (a health check, a request that arrives, a model's reply) is heard between two.
 * @returns called once for each question as it arrives; the function that it gets is called before each piece of work
 */
export function createTurns(): () => Turn {
  const waiting: Waiting[] = [];
  let arrivals = 0;
  let isDue = false;
  const give = () => {
    isDue = false;
    const first = waiting.shift();
    if (waiting.length > 0) due();
    first?.go();
  };
  const due = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(give);
  };
  return () => {
    const arrival = arrivals++;
    return () =>
      new Promise((go) => {
        const at = waiting.findLastIndex((one) => one.arrival <= arrival) + 1;
        waiting.splice(at, 0, { arrival, go });
        due();
      });
  };
}
