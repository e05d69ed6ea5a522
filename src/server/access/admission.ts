import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { RequestError } from "../../shared/errors.ts";
import { COUNTER_TABLE, type CounterClient } from "../../store/store.ts";
import { keyedHash } from "../../text/hash.ts";
import { memoised } from "../../text/memo.ts";

const HOUR_S = 3_600;
/** Maximum number of wrong credentials from one address within `FAILED_ATTEMPTS_S`. A person who mistypes stays below it. */
export const MAX_FAILED_ATTEMPTS = 10;
/** Period in seconds for counting wrong credentials, and the waiting time after too many. */
export const FAILED_ATTEMPTS_S = 900;

/** Rate limits for requests and wrong credentials. */
export type Admission = ReturnType<typeof admissionBy>;

type Limiter = Pick<RateLimiterMemory, "consume" | "get">;
interface Limit {
  readonly points: number;
  readonly duration: number;
  readonly keyPrefix: string;
}

/** Counts in this process; a restart resets the counts. */
export function createAdmission(): Admission {
  return admissionBy(
    (limit) => new RateLimiterMemory(limit),
    (who) => who,
  );
}

/**
 * Counts in PostgreSQL for all replicas. While PostgreSQL is unavailable, each process counts for itself. Callers are
 * stored as keyed hashes.
 * @param secret secret of the installation
 */
export function createSharedAdmission(client: CounterClient, secret: string): Admission {
  return admissionBy(
    (limit) =>
      new RateLimiterPostgres({
        ...{ ...limit, storeClient: client, storeType: "client", tableName: COUNTER_TABLE, tableCreated: true },
        // Rejects callers beyond the limit without another query.
        inMemoryBlockOnConsumed: limit.points + 1,
        insuranceLimiter: new RateLimiterMemory(limit),
      }),
    (who) => keyedHash(secret, "rate", who),
  );
}

function admissionBy(create: (limit: Limit) => Limiter, nameOf: (who: string) => string) {
  const failures = create({ points: MAX_FAILED_ATTEMPTS, duration: FAILED_ATTEMPTS_S, keyPrefix: "attempts" });
  const limiterOf = memoised((points: number) => create({ points, duration: HOUR_S, keyPrefix: String(points) }));
  const counts = { admitted: 0, limited: 0 };
  return {
    /** Returns how many requests this process admitted and rejected. Requests without a limit are not counted. */
    counts: (): Readonly<Record<"admitted" | "limited", number>> => counts,
    /** Counts a request of a caller. @param requestsPerHour 0: unlimited @throws RequestError `too_many_requests` with `retry_after_s` */
    async take(who: string, requestsPerHour: number) {
      if (requestsPerHour === 0) return;
      const refused = await refusalOf(limiterOf(requestsPerHour).consume(nameOf(who)));
      counts[refused === null ? "admitted" : "limited"]++;
      if (refused === null) return;
      const seconds = secondsOf(refused);
      const message = `More than ${requestsPerHour} requests within an hour. Retry in ${seconds} s.`;
      throw new RequestError("too_many_requests", message, { limit_per_hour: requestsPerHour, retry_after_s: seconds });
    },
    /** @throws RequestError `too_many_attempts` after too many wrong credentials from this address */
    async assertMayTry(address: string) {
      const state = await failures.get(nameOf(address));
      if (state !== null && state.remainingPoints <= 0) throw tooManyAttempts(state);
    },
    /** Counts wrong credentials. @throws RequestError `too_many_attempts` */
    async failed(address: string) {
      const refused = await refusalOf(failures.consume(nameOf(address)));
      if (refused !== null) throw tooManyAttempts(refused);
    },
  };
}

/** Returns the rejection that the limiter throws, or `null` if the limiter accepted. Rethrows any other error. */
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
  const message = `Too many failed sign-ins from this address. Retry in ${seconds} s.`;
  return new RequestError("too_many_attempts", message, { retry_after_s: seconds });
}
