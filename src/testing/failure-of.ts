/** Returns the error with which a promise is rejected, or `null` if it is fulfilled. */
export function failureOf<Failure extends Error = Error & { readonly code: string }>(work: Promise<unknown>): Promise<Failure | null> {
  return work.then(
    () => null,
    (error: Failure) => error,
  );
}
