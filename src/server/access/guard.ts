import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { LRUCache } from "lru-cache";
import { DEFAULT_REQUESTS_PER_HOUR } from "../../shared/config/server.ts";
import { DEFAULT_ACCESS } from "../../shared/config.ts";
import { RequestError } from "../../shared/errors.ts";
import { KEY_PREFIX, type KeyStore, type Role } from "../../store/keys.ts";
import { sha256Hex } from "../../text/hash.ts";
import { addressOf, countedAs, createTrust, isFromThisMachine } from "./address.ts";
import { type Admission, createAdmission } from "./admission.ts";
import {
  type Caller,
  callerOf,
  callerOfKey,
  isAdministrator,
  knownCallerOf,
  OPERATOR,
  strangerAt,
  WITHOUT_KEY,
  withLabels,
} from "./caller.ts";
import { isToken, type TokenReader } from "./token.ts";

/** Wrong tokens of those who need none that are remembered; the oldest go, and count anew. */
const WRONG_TOKENS = 1_000;

/** Why the token of a request was not looked at. */
const REFUSED = "tokenRefused";

export interface GuardOptions {
  /** Keys that were made; absent: none ever was. */
  readonly keys?: Pick<KeyStore, "find" | "any"> | undefined;
  /** Reads tokens of an issuer; absent: none opens anything. */
  readonly tokens?: TokenReader | undefined;
  /** Access labels of whoever names none: those of the configuration. @default DEFAULT_ACCESS */
  readonly labels?: readonly string[] | undefined;
  /** Who may ask without a key. Absent: this machine, until the first key is made. */
  readonly withoutKeys?: "this-machine" | "anyone" | undefined;
  /** What opens every route beside keys, as a key of an administrator does; `null`: nothing. @default null */
  readonly adminToken?: string | null;
  /** Addresses and ranges whose `X-Forwarded-For` is believed. @default [] */
  readonly trustedProxies?: readonly string[];
  /** 0: as many as come. @default 100 */
  readonly requestsPerHour?: number;
  /** Counts requests and wrong credentials. @default in the memory of this process */
  readonly admission?: Admission;
}

/** What stands before the routes. */
export type Guard = ReturnType<typeof createGuard>;

export function createGuard(options: GuardOptions) {
  const { keys, tokens, withoutKeys, adminToken = null, trustedProxies = [], requestsPerHour = DEFAULT_REQUESTS_PER_HOUR } = options;
  const { admission = createAdmission(), labels = DEFAULT_ACCESS } = options;
  const isTrusted = createTrust(trustedProxies);
  const addressAt = (context: Context) => addressOf(context, isTrusted);
  const mayAskWithoutKey = async (context: Context) => {
    if (withoutKeys === "anyone") return true;
    if (!isFromThisMachine(context)) return false;
    return withoutKeys === "this-machine" || (tokens === undefined && (keys === undefined || !(await keys.any())));
  };
  const take = (context: Context, caller: Caller) => context.set("caller", withLabels(caller, labels));
  const refusalFor = (context: Context): unknown => {
    if (adminToken === null) return new RequestError("admin_off", ADMIN_OFF);
    // `identify` has looked at what was sent, and counted it. Where nothing was, nothing was tried: a page that is not signed in locks nobody out.
    return (context.get(REFUSED) as unknown) ?? adminTokenWrong(context);
  };
  const seenWrong = new LRUCache<string, true>({ max: WRONG_TOKENS });
  /**
   * Is it the administration token? Whoever may ask without one is not refused for another: clients send what they were set up with. Such a token, sent again
   * and again, is one guess and counts as one.
   */
  const isOperatorToken = async (token: string, wanted: string, context: Context): Promise<boolean> => {
    const isAdmitted = await mayAskWithoutKey(context);
    const address = countedAs(addressAt(context));
    const guess = `${address} ${sha256Hex(token)}`;
    if (isAdmitted && seenWrong.has(guess)) return false;
    try {
      await admission.assertMayTry(address);
    } catch (error) {
      if (!isAdmitted) throw error;
      context.set(REFUSED, error);
      return false;
    }
    if (isEqual(token, wanted)) return true;
    await admission.failed(address);
    if (!isAdmitted) throw adminTokenWrong(context);
    seenWrong.set(guess, true);
    return false;
  };
  return {
    /**
     * Lets in keys of a role and the administration token. Without either these addresses are off, from this machine too: any page in a browser
     * can send a request to it, and so can whatever forwards requests from outside. `ask` is not counted here; `caller`: whoever is let in at all.
     * @throws RequestError `key_missing`, `role_missing`, `admin_off`, `admin_token_wrong`, `too_many_attempts`
     */
    assertMay(context: Context, opens: Role | "caller") {
      const known = knownCallerOf(context);
      const isKnown = known !== null && hasCredential(known);
      if (opens === "caller") {
        const token = bearerOf(context);
        if (!isKnown && token !== undefined && !token.startsWith(KEY_PREFIX)) throw refusalFor(context);
        callerOf(context);
      } else if (opens === "ask" || isKnown) assertRole(callerOf(context), opens);
      else throw refusalFor(context);
    },
    addressOf: addressAt,
    isTrusted,
    /** Finds out who sends a request. @throws RequestError `key_wrong`, `admin_token_wrong`, `too_many_attempts` */
    async identify(context: Context) {
      const token = bearerOf(context);
      if (token?.startsWith(KEY_PREFIX)) {
        const key = (await keys?.find(token)) ?? null;
        if (key === null) {
          context.header("WWW-Authenticate", "Bearer");
          await admission.failed(countedAs(addressAt(context)));
          const message = "This key opens nothing: it was mistyped, has expired or was revoked. Ask whoever runs the server for another.";
          throw new RequestError("key_wrong", message);
        }
        take(context, callerOfKey(key));
      } else if (tokens !== undefined && token !== undefined && isToken(token)) {
        take(context, await readToken(token, tokens, context, () => admission.failed(countedAs(addressAt(context)))));
      } else if (token !== undefined && adminToken !== null && (await isOperatorToken(token, adminToken, context))) {
        take(context, OPERATOR);
      } else if (await mayAskWithoutKey(context)) {
        take(context, isFromThisMachine(context) ? WITHOUT_KEY : strangerAt(countedAs(addressAt(context))));
      }
    },
    /** Lets in whoever may ask, as often as they may. @throws RequestError `key_missing`, `role_missing`, `too_many_requests` */
    async admitAsker(context: Context) {
      const caller = callerOf(context);
      assertRole(caller, "ask");
      if (caller.lane !== undefined) await admission.take(caller.lane, caller.limits?.requestsPerHour ?? requestsPerHour);
    },
  };
}

/** Did it come with a key or the administration token? */
function hasCredential(caller: Caller): boolean {
  return caller.keyId !== null || isAdministrator(caller);
}

function bearerOf(context: Context): string | undefined {
  return /^bearer +(\S+) *$/i.exec(context.req.header("authorization") ?? "")?.[1];
}

/** A token that was right once is nobody's guess: only others count as attempts. */
async function readToken(token: string, tokens: TokenReader, context: Context, count: () => Promise<void>) {
  try {
    return await tokens.read(token);
  } catch (error) {
    if (error instanceof RequestError && (error.code === "token_wrong" || error.code === "token_expired")) {
      context.header("WWW-Authenticate", 'Bearer error="invalid_token"');
      if (error.code === "token_wrong") await count();
    }
    throw error;
  }
}

function adminTokenWrong(context: Context): RequestError {
  context.header("WWW-Authenticate", "Bearer");
  return new RequestError("admin_token_wrong", 'Send the admin token, or a key that may do this: "authorization: Bearer TOKEN".');
}

function assertRole({ roles }: Caller, role: Role): void {
  if (!roles.has(role)) throw new RequestError("role_missing", `This key may not do that: it lacks the role "${role}".`, { role });
}

const ADMIN_OFF =
  "This address is off: send a key that may do this, or set SOURCEBOUND_ADMIN_TOKEN (or `server.admin_token`) and start the server again.";

/** In the same time whatever differs, lengths included. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
