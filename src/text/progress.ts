/** Calls `run` and yields each progress report that `run` makes. The generator returns the result of `run`. */
export async function* progressOf<T>(
  run: (report: (done: number, total: number) => void) => Promise<T>,
): AsyncGenerator<{ readonly done: number; readonly total: number }, T> {
  const progress: { done: number; total: number }[] = [];
  let wake: () => void = () => undefined;
  let finished = false;
  const running = run((done, total) => {
    progress.push({ done, total });
    wake();
  }).finally(() => {
    finished = true;
    wake();
  });
  running.catch(() => undefined);
  while (!finished || progress.length > 0) {
    const next = progress.shift();
    if (next !== undefined) yield next;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (finished || progress.length > 0) resolve();
      });
  }
  return running;
}
