/** One holder at a time, in the order of asking. */
export class FairLock {
  private last: Promise<void> = Promise.resolve();
  /** How many have asked and do not hold it yet. */
  waiting = 0;

  /** Resolves when everybody who asked before has released it, with what releases it. */
  async acquire(): Promise<() => void> {
    const before = this.last;
    let release: () => void = () => undefined;
    this.last = new Promise((resolve) => {
      release = resolve;
    });
    this.waiting++;
    await before;
    this.waiting--;
    return release;
  }
}
