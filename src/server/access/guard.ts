import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { LRUCache } from "lru-cache";
import { DEFAULT_REQUESTS_PER_HOUR } from "../../shared/config/server.ts";
import { DEFAULT_ACCESS } from "../../shared/config.ts";
import { RequestError } from "../../shared/errors.ts";
import { KEY_PREFIX, type KeyStore, type Role } from "../../store/keys.ts";
import { sha256Hex } from "../../text/hash.ts";
import { addressOf, countedAs, createTrust, isFromOwnPage, isFromThisMachine } from "./address.ts";
import { type Admission, createAdmission } from "./admission.ts";
import {
  AT_OWN_PAGE,
  anonymousAt,
  type Caller,
  callerOf,
  callerOfKey,
  isAdministrator,
  knownCallerOf,
  OPERATOR,
  WITHOUT_KEY,
  withLabels,
} from "./caller.ts";
import { isToken, type TokenReader } from "./token.ts";

/** The server's logger. It never receives questions or answers. */
export type ServerLog = Readonly<Record<"info" | "error", (message: string, facts: Readonly<Record<string, unknown>>) => void>>;

/** Discards everything. */
export const silentLog: ServerLog = { info: () => {}, error: () => {} };

/** Maximum number of wrong tokens to remember. A forgotten one counts as a new failed attempt. */
const WRONG_TOKENS = 1_000;

/** Context key: `identify` stores a `too_many_attempts` error here. `assertMay` throws it if the endpoint needs a credential. */
const REFUSED = "tokenRefused";

export interface GuardOptions {
  /** API keys; absent: none exist. */
  readonly keys?: Pick<KeyStore, "find" | "any"> | undefined;
  /** Verifies tokens of an issuer; absent: tokens are not accepted. */
  readonly tokens?: TokenReader | undefined;
  /** Access labels of callers that have no labels of their own. @default DEFAULT_ACCESS */
  readonly labels?: readonly string[] | undefined;
  /** Callers allowed without a key. Absent: this machine, while no key exists and tokens are not accepted. */
  readonly withoutKeys?: "this-machine" | "anyone" | undefined;
  /** Token with an administrator's permissions; `null`: none. @default null */
  readonly adminToken?: string | null;
  /** Addresses and ranges whose `X-Forwarded-For` is trusted. @default [] */
  readonly trustedProxies?: readonly string[];
  /** Requests per hour of a caller whose key sets no limit; 0: unlimited. @default 100 */
  readonly requestsPerHour?: number;
  /** Counts requests and wrong credentials. @default in the memory of this process */
  readonly admission?: Admission;
}

/** Authenticates and authorises requests. */
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
    // `identify` has already counted a wrong credential. A request without a credential does not count as an attempt.
    return (context.get(REFUSED) as unknown) ?? adminTokenWrong(context);
  };
  const seenWrong = new LRUCache<string, true>({ max: WRONG_TOKENS });
  /**
   * Returns whether a token is the administration token. For a sender that may ask without a key, a wrong token gives
   * `false` instead of an error, and repetitions of the same wrong token count as one failed attempt.
   */
  const isOperatorToken = async (token: string, wanted: string, context: Context) => {
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
     * Checks that the caller has the required role `opens`; `caller`: any role. A caller without a key and without the
     * administration token may `ask`. It may `ingest` only from the server's own page on this machine, because other web
     * pages and proxies can send requests from this machine too. This method does not count requests; `admitAsker` does.
     * @throws RequestError `key_missing`, `role_missing`, `admin_off`, `admin_token_wrong`, `too_many_attempts`
     */
    assertMay(context: Context, opens: Role | "caller") {
      const known = knownCallerOf(context);
      // The caller has a key or the administration token.
      const isKnown = known !== null && (known.keyId !== null || isAdministrator(known));
      if (opens === "caller") {
        const token = bearerOf(context);
        if (!isKnown && token !== undefined && !token.startsWith(KEY_PREFIX)) throw refusalFor(context);
        callerOf(context);
      } else if (opens === "ask" || isKnown || known?.roles.has(opens)) assertRole(callerOf(context), opens);
      else throw refusalFor(context);
    },
    addressOf: addressAt,
    isTrusted,
    /** Identifies the sender and stores it for `callerOf`. @throws RequestError `key_wrong`, `admin_token_wrong`, `too_many_attempts` */
    async identify(context: Context) {
      const token = bearerOf(context);
      if (token?.startsWith(KEY_PREFIX)) {
        const key = (await keys?.find(token)) ?? null;
        if (key === null) {
          context.header("WWW-Authenticate", "Bearer");
          await admission.failed(countedAs(addressAt(context)));
          const message = "Invalid API key (mistyped, expired or revoked). Ask your administrator for a new one.";
          throw new RequestError("key_wrong", message);
        }
        take(context, callerOfKey(key));
      } else if (tokens !== undefined && token !== undefined && isToken(token)) {
        take(context, await readToken(token, tokens, context, () => admission.failed(countedAs(addressAt(context)))));
      } else if (token !== undefined && adminToken !== null && (await isOperatorToken(token, adminToken, context))) {
        take(context, OPERATOR);
      } else if (await mayAskWithoutKey(context)) {
        const mayUpload = withoutKeys === undefined && adminToken === null && isFromOwnPage(context);
        const local = mayUpload ? AT_OWN_PAGE : WITHOUT_KEY;
        take(context, isFromThisMachine(context) ? local : anonymousAt(countedAs(addressAt(context))));
      }
    },
    /** Checks the role `ask` and counts the request. @throws RequestError `key_missing`, `role_missing`, `too_many_requests` */
    async admitAsker(context: Context) {
      const caller = callerOf(context);
      assertRole(caller, "ask");
      if (caller.lane !== undefined) await admission.take(caller.lane, caller.limits?.requestsPerHour ?? requestsPerHour);
    },
  };
}

function bearerOf(context: Context): string | undefined {
  return /^bearer +(\S+) *$/i.exec(context.req.header("authorization") ?? "")?.[1];
}

/** Verifies a token. An expired token does not count as a failed attempt, because it was valid once. */
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
  return new RequestError(
    "admin_token_wrong",
    'Authorization required. Send the admin token, or a key with the required role: "authorization: Bearer TOKEN".',
  );
}

function assertRole({ roles }: Caller, role: Role): void {
  if (!roles.has(role))
    throw new RequestError("role_missing", `This key lacks the required role "${role}". Use a key that has it.`, { role });
}

const ADMIN_OFF =
  "This endpoint is disabled. Send a key with the required role, or set SOURCEBOUND_ADMIN_TOKEN (or `server.admin_token`) and restart the server.";

/** Compares hashes, so that the time reveals neither the content nor the length. */
function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(a)), Buffer.from(sha256Hex(b)));
}
