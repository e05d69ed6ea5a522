import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { RequestError } from "../../errors.ts";

const HOUR_S = 3_600;
/** Wrong credentials from one address before it has to wait: a person who mistypes stays below it. */
export const MAX_FAILED_ATTEMPTS = 10;
/** Seconds in which they are counted, and for which an address then waits. */
export const FAILED_ATTEMPTS_S = 900;

/** How much may come. Counts are kept in memory: those of a server begin anew when it starts. */
export interface Admission {
  /** Counts a request. @throws RequestError `too_many_requests` with `retry_after_s` */
  take(who: string, requestsPerHour: number): Promise<void>;
  /** @throws RequestError `too_many_attempts` when wrong credentials came from this address too often */
  assertMayTry(address: string): Promise<void>;
  /** Counts wrong credentials. @throws RequestError `too_many_attempts` */
  failed(address: string): Promise<void>;
}

export function createAdmission(): Admission {
  const perHour = new Map<number, RateLimiterMemory>();
  const failures = new RateLimiterMemory({ points: MAX_FAILED_ATTEMPTS, duration: FAILED_ATTEMPTS_S });
  const limiterOf = (points: number) => {
    const known = perHour.get(points) ?? new RateLimiterMemory({ points, duration: HOUR_S, keyPrefix: String(points) });
    perHour.set(points, known);
    return known;
  };
  return {
    async take(who, requestsPerHour) {
      if (requestsPerHour === 0) return;
      const refused = await refusalOf(limiterOf(requestsPerHour).consume(who));
      if (refused === null) return;
      const seconds = secondsOf(refused);
      const message = `More than ${requestsPerHour} requests within an hour: ask again in ${seconds} s.`;
      throw new RequestError("too_many_requests", message, { limit_per_hour: requestsPerHour, retry_after_s: seconds });
    },
    async assertMayTry(address) {
      const state = await failures.get(address);
      if (state !== null && state.remainingPoints <= 0) throw tooManyAttempts(state);
    },
    async failed(address) {
      const refused = await refusalOf(failures.consume(address));
      if (refused !== null) throw tooManyAttempts(refused);
    },
  };
}

/** The limiter rejects with what is left, not with an error. */
async function refusalOf(taken: Promise<RateLimiterRes>): Promise<RateLimiterRes | null> {
  try {
    await taken;
    return null;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}

function secondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}

function tooManyAttempts(state: RateLimiterRes): RequestError {
  const seconds = secondsOf(state);
  const message = `Wrong credentials came from here too often: try again in ${seconds} s.`;
  return new RequestError("too_many_attempts", message, { retry_after_s: seconds });
}
