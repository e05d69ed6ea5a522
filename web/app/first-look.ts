import type { WireCaller, WireDomains } from "../../src/client/index.ts";
import type { Api } from "./api.ts";

/** What every visit asks of the server before anything else. */
export interface FirstLook {
  readonly caller: Asked<WireCaller>;
  readonly domains: Asked<WireDomains>;
}

/** A call that is on its way. */
export interface Asked<T> {
  /** What it gave; `null`: nothing in time. */
  readonly known: T | null;
  /** The call itself, for the first who wants what is not known; afterwards, and where it is known, `null`. */
  take(): Promise<T> | null;
}

/** Milliseconds that the first drawing waits: on a near server it then holds the examples and is not drawn twice; a far one is not waited for. */
const FIRST_LOOK_MS = 200;

/** The calls of every visit, on their way. */
export interface FirstCalls {
  readonly caller: Promise<WireCaller>;
  readonly domains: Promise<WireDomains>;
}

/** Asks who this is and what can be asked about. */
export function askFirst(api: Pick<Api, "get">): FirstCalls {
  return { caller: api.get<WireCaller>("/v1/whoami"), domains: api.get<WireDomains>("/v1/domains") };
}

/** What the first calls gave within a while from now. Never throws: whoever takes a call hears why it failed. */
export async function lookFirst(calls: FirstCalls, limitMs: number = FIRST_LOOK_MS): Promise<FirstLook> {
  const over = new Promise<null>((resolve) => setTimeout(() => resolve(null), limitMs));
  const within = <T>(call: Promise<T>): Promise<T | null> => Promise.race([call.catch(() => null), over]);
  const [caller, domains] = await Promise.all([within(calls.caller), within(calls.domains)]);
  return { caller: askedOf(calls.caller, caller), domains: askedOf(calls.domains, domains) };
}

function askedOf<T>(call: Promise<T>, known: T | null): Asked<T> {
  let left = known === null ? call : null;
  return {
    known,
    take: () => {
      const taken = left;
      left = null;
      return taken;
    },
  };
}
