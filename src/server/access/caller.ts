import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { ReachOptions, ScopeOptions } from "../../engine/engine-types.ts";
import { RequestError } from "../../shared/errors.ts";
import { type KeyRecord, ROLES, type Role } from "../../store/keys.ts";

/** Who sent a request, and what it may reach. */
export interface Caller {
  /** Id of its key; `null`: it came without one. */
  readonly keyId: string | null;
  /** What logs call whoever has another credential than a key. */
  readonly name?: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** `null`: all. */
  readonly domains: readonly string[] | null;
  /** Empty: only what belongs to no tenant; `null`: all. */
  readonly tenants: readonly string[] | null;
  /** Labels that it holds; `null`: every one, as administrators do. Questions are then asked with those of the configuration. */
  readonly access: readonly string[] | null;
  /** The label under which its files are kept where it names none; absent: that of the domain pack. */
  readonly ownLabel?: string | undefined;
  /** With whom its requests, its share of the queue and its spending are counted; absent: with nobody's, as on this machine. */
  readonly lane?: string | undefined;
  /** What it may use; absent or `null`: what the server is set to. */
  readonly limits?: Pick<KeyRecord, "requestsPerHour" | "tokensPerDay" | "usdPerDay"> | undefined;
  /** `false`: its sessions have ids that the server made. */
  readonly namesSessions?: boolean | undefined;
}

/** Whoever may ask without a key from this machine. */
export const WITHOUT_KEY: Caller = { keyId: null, roles: new Set(["ask"]), domains: null, tenants: null, access: null };

/**
 * Whoever has the administration token: what an administrator's key may, with sessions like those of this machine without a key. It is not limited: whoever
 * has it makes keys without limits.
 */
export const OPERATOR: Caller = { ...WITHOUT_KEY, roles: new Set(ROLES), name: "administration token" };

export function callerOfKey({ id, roles, domains, tenants, access, ...limits }: KeyRecord): Caller {
  const held = new Set(roles.includes("admin") ? [...OPERATOR.roles, ...roles] : roles);
  return { keyId: id, roles: held, domains, tenants, access, lane: `key ${id}`, limits };
}

/** A key that names no labels holds those of the configuration, and no other; an administrator's holds every one. */
export function withLabels(caller: Caller, configured: readonly string[]): Caller {
  if (caller.access !== null) return { ...caller, ownLabel: caller.access[0] };
  return isAdministrator(caller) ? caller : { ...caller, access: configured };
}

export function isAdministrator({ roles }: Caller): boolean {
  return roles.has("admin");
}

/** Whoever may ask without a key from elsewhere. */
export function strangerAt(address: string): Caller {
  return { ...WITHOUT_KEY, lane: `address ${address}`, namesSessions: false };
}

/** Has it the whole installation before it, not a part? */
export function seesEverything({ domains, tenants, access }: Caller): boolean {
  return domains === null && tenants === null && access === null;
}

/**
 * The scope that a request gets: what it names, where the caller may reach that; what the caller is bound to, where it names nothing.
 * The refusal is the same whether what was named exists or not, and names nothing.
 * @throws RequestError `scope_denied`, `tenant_missing`
 */
export function narrow(caller: Caller, { domain, tenant }: { domain?: string | undefined; tenant?: string | undefined }): ScopeOptions {
  const { domains, tenants, access, keyId, lane, limits } = caller;
  const { tokensPerDay = null, usdPerDay = null } = limits ?? {};
  if (domain !== undefined && domains !== null && !domains.includes(domain)) throw scopeDenied();
  if (tenant !== undefined && tenants !== null && !tenants.includes(tenant)) throw scopeDenied();
  if (tenant === undefined && tenants !== null && tenants.length > 1) {
    throw new RequestError("tenant_missing", 'This key is good for several tenants: name one of them as "tenant".');
  }
  return {
    domain: domain ?? domains?.[0],
    tenant: tenant ?? tenants?.[0],
    ...(access === null ? {} : { access }),
    ...(keyId === null ? {} : { caller: keyId }),
    ...(lane === undefined ? {} : { lane: { name: lane, tokensPerDay, usdPerDay } }),
  };
}

/** What of the library a caller may list, look at and delete: an administrator files of every label. @throws as `narrow` does */
export function reachOf(caller: Caller, named: { domain?: string | undefined; tenant?: string | undefined }): ReachOptions {
  return { ...narrow(caller, named), everyLabel: isAdministrator(caller) };
}

/** May the caller look at what was asked in a scope? */
export function covers(
  { domains, tenants, access }: Caller,
  of: { readonly domain: string; readonly tenant: string | null; readonly access: readonly string[] },
): boolean {
  return (
    (domains === null || domains.includes(of.domain)) &&
    (tenants === null || (of.tenant === null ? tenants.length === 0 : tenants.includes(of.tenant))) &&
    (access === null || of.access.every((label) => access.includes(label)))
  );
}

/** Of a request that has passed `identify`. @throws RequestError `key_missing`, `key_wrong` where what was sent is no key */
export function callerOf(context: Context): Caller {
  const caller = knownCallerOf(context);
  if (caller === null) {
    context.header("WWW-Authenticate", "Bearer");
    const how = 'send "authorization: Bearer KEY". `sourcebound keys create` makes one.';
    if (context.req.header("authorization") === undefined) throw new RequestError("key_missing", `This server wants a key: ${how}`);
    throw new RequestError("key_wrong", `The authorization header holds no key of this server: ${how}`);
  }
  return caller;
}

/** `null`: the request came without a key where one is wanted. */
export function knownCallerOf(context: Context): Caller | null {
  return (context.get("caller") as Caller | null | undefined) ?? null;
}

/** The same whether what was named exists or not. */
export function scopeDenied(): RequestError {
  const message = "What the request names as domain, tenant or access label is not open to this key: leave it out, or use another key.";
  return new RequestError("scope_denied", message);
}

/** What is kept of a name beside the id of a key. */
const NAME_CHARACTERS = 80;

/** Who acts, with the key by which it came: a name alone can be anybody's. */
export function actorOf({ keyId }: Caller, by: string): string {
  return keyId === null ? by : `${by.slice(0, NAME_CHARACTERS)} (key ${keyId})`;
}

/** Random bytes of an id: nobody guesses one of 2⁶⁴ while each guess counts as a request. */
const RANDOM_BYTES = 8;

/** Ids of sessions that this installation issued: random, with a keyed hash of it, in the form of a UUID (version 8, RFC 9562). */
export type SessionIds = ReturnType<typeof createSessionIds>;

/** @param secret of the installation: another replica's ids are known, another installation's are not */
export function createSessionIds(secret: string) {
  const idOf = (random: Uint8Array) => {
    const mac = createHmac("sha256", secret).update("session id").update(random).digest();
    const bytes = Buffer.concat([random, mac.subarray(0, 16 - RANDOM_BYTES)]);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  const isIssued = (id: string) => {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return false;
    const random = Buffer.from(id.replaceAll("-", ""), "hex").subarray(0, RANDOM_BYTES);
    return timingSafeEqual(Buffer.from(id), Buffer.from(idOf(random)));
  };
  const fresh = () => {
    const random = randomBytes(RANDOM_BYTES);
    random[6] = ((random[6] ?? 0) & 0x0f) | 0x80;
    return random;
  };
  return {
    issue: () => idOf(fresh()),
    /**
     * May the caller speak in a session of this id? A key's sessions are its own, whatever they are called; those who come without one share the
     * rest, so that only an id which nobody can guess keeps their conversations apart.
     * @throws RequestError `session_not_issued`
     */
    assertOpen(caller: Caller, id: string | undefined) {
      if (id === undefined || caller.namesSessions !== false || isIssued(id)) return;
      throw new RequestError(
        "session_not_issued",
        "Without a key, a session has an id that the server made: take `session_id` from POST /v1/sessions or from an answer.",
      );
    },
  };
}
