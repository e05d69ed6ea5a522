import type { WireCaller, WireDomains } from "../../src/client/index.ts";
import type { Api } from "./api.ts";

/** Results of the two requests that every visit makes first. */
export type FirstLook = Awaited<ReturnType<typeof lookFirst>>;

/** Maximum milliseconds that the first render waits for both requests. If they end within this time, the page renders only once. */
const FIRST_LOOK_MS = 200;

/** Sends the two requests of every visit. */
export function askFirst(api: Pick<Api, "get">) {
  return { caller: api.get<WireCaller>("/v1/whoami"), domains: api.get<WireDomains>("/v1/domains") };
}

/** Waits up to `limitMs` for both requests. It never throws: an error of a request goes to whoever calls `take`. */
export async function lookFirst(calls: ReturnType<typeof askFirst>, limitMs: number = FIRST_LOOK_MS) {
  const over = new Promise<null>((resolve) => setTimeout(() => resolve(null), limitMs));
  const within = <T>(call: Promise<T>): Promise<T | null> => Promise.race([call.catch(() => null), over]);
  const [caller, domains] = await Promise.all([within(calls.caller), within(calls.domains)]);
  return { caller: askedOf(calls.caller, caller), domains: askedOf(calls.domains, domains) };
}

function askedOf<T>(call: Promise<T>, known: T | null) {
  let left = known === null ? call : null;
  return {
    /** The result; `null` if it did not arrive in time, or if the request failed. */
    known,
    /** Returns the running request on the first call, unless the result is known. Afterwards returns `null`. */
    take: () => {
      const taken = left;
      left = null;
      return taken;
    },
  };
}
