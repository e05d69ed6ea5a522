/** Returns what a promise is rejected with, or null when it is fulfilled. */
export function failureOf<Failure extends Error = Error & { readonly code: string }>(work: Promise<unknown>): Promise<Failure | null> {
  return work.then(
    () => null,
    (error: Failure) => error,
  );
}
