/** Calls `run` and yields each progress report that `run` makes. The generator returns the result of `run`. */
export async function* progressOf<T>(
  run: (report: (done: number, total: number) => void) => Promise<T>,
): AsyncGenerator<{ readonly done: number; readonly total: number }, T> {
  const progress: { done: number; total: number }[] = [];
  let news = Promise.withResolvers<void>();
  let finished = false;
  const running = run((done, total) => {
    progress.push({ done, total });
    news.resolve();
  }).finally(() => {
    finished = true;
    news.resolve();
  });
  running.catch(() => undefined);
  while (!finished || progress.length > 0) {
    await news.promise;
    news = Promise.withResolvers();
    yield* progress.splice(0);
  }
  return running;
}
