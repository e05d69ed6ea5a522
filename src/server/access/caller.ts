import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { ReachOptions, ScopeOptions } from "../../engine/engine-types.ts";
import { RequestError } from "../../shared/errors.ts";
import type { Scope } from "../../shared/types.ts";
import { type KeyRecord, ROLES, type Role } from "../../store/keys.ts";

/** The sender of a request with its permissions. */
export interface Caller {
  /** Id of the key; `null`: no key. */
  readonly keyId: string | null;
  /** Name in logs of a credential that is not a key. */
  readonly name?: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** `null`: all. */
  readonly domains: readonly string[] | null;
  /** Allowed tenants. Empty: only data without a tenant; `null`: all. */
  readonly tenants: readonly string[] | null;
  /** Access labels. `null`: all, as for administrators. A question of an administrator uses the configured labels instead. */
  readonly access: readonly string[] | null;
  /** Access label of an uploaded file if the upload names none. Absent: the label in the domain pack. */
  readonly ownLabel?: string | undefined;
  /** Name of a group of requests that share a rate limit, turns in the queue and a budget. Absent: unlimited, as on this machine. */
  readonly lane?: string | undefined;
  /** Limits of the key; absent or `null`: the server's defaults. */
  readonly limits?: Pick<KeyRecord, "requestsPerHour" | "tokensPerDay" | "usdPerDay"> | undefined;
  /** `false`: the caller may use only session ids that the server issued. */
  readonly namesSessions?: boolean | undefined;
}

/** A caller from this machine without a key. */
export const WITHOUT_KEY: Caller = { keyId: null, roles: new Set(["ask"]), domains: null, tenants: null, access: null };

/** A user of this machine without a key, whose request comes from the server's own page. */
export const AT_OWN_PAGE: Caller = { ...WITHOUT_KEY, roles: new Set(["ask", "ingest"]) };

/** The holder of the administration token. It has an administrator's permissions and no limits, because it can create unlimited keys. */
export const OPERATOR: Caller = { ...WITHOUT_KEY, roles: new Set(ROLES), name: "administration token" };

export function callerOfKey({ id, roles, domains, tenants, access, ...limits }: KeyRecord): Caller {
  const held = new Set(roles.includes("admin") ? [...OPERATOR.roles, ...roles] : roles);
  return { keyId: id, roles: held, domains, tenants, access, lane: `key ${id}`, limits };
}

/** Returns the caller with the configured access labels if it has none of its own. An administrator keeps all labels. */
export function withLabels(caller: Caller, configured: readonly string[]): Caller {
  if (caller.access !== null) return { ...caller, ownLabel: caller.access[0] };
  return isAdministrator(caller) ? caller : { ...caller, access: configured };
}

export function isAdministrator({ roles }: Caller): boolean {
  return roles.has("admin");
}

/** Returns the caller for requests without a key from another machine. */
export function anonymousAt(address: string): Caller {
  return { ...WITHOUT_KEY, lane: `address ${address}`, namesSessions: false };
}

/** Returns whether the caller may access the whole installation. */
export function seesEverything({ domains, tenants, access }: Caller): boolean {
  return domains === null && tenants === null && access === null;
}

/**
 * Returns the scope of a request: the named domain and tenant, or the caller's defaults if the request names none.
 * Forbidden and unknown names give the same error.
 * @throws RequestError `scope_denied`, `tenant_missing`
 */
export function narrow(caller: Caller, { domain, tenant }: { domain?: string | undefined; tenant?: string | undefined }): ScopeOptions {
  const { domains, tenants, access, keyId, lane, limits } = caller;
  const { tokensPerDay = null, usdPerDay = null } = limits ?? {};
  if (domain !== undefined && domains !== null && !domains.includes(domain)) throw scopeDenied();
  if (tenant !== undefined && tenants !== null && !tenants.includes(tenant)) throw scopeDenied();
  if (tenant === undefined && tenants !== null && tenants.length > 1) {
    throw new RequestError("tenant_missing", 'This key is valid for several tenants. Name one of them as "tenant".');
  }
  return {
    domain: domain ?? domains?.[0],
    tenant: tenant ?? tenants?.[0],
    ...(access === null ? {} : { access }),
    ...(keyId === null ? {} : { caller: keyId }),
    ...(lane === undefined ? {} : { lane: { name: lane, tokensPerDay, usdPerDay } }),
  };
}

/** Returns the documents that the caller may access, as options. For an administrator these include every label. @throws like `narrow` */
export function reachOf(caller: Caller, named: { domain?: string | undefined; tenant?: string | undefined }): ReachOptions {
  return { ...narrow(caller, named), everyLabel: isAdministrator(caller) };
}

/** Returns whether the caller may see answers of a scope. */
export function covers({ domains, tenants, access }: Caller, of: Pick<Scope, "domain" | "tenant" | "access">): boolean {
  return (
    (domains === null || domains.includes(of.domain)) &&
    (tenants === null || (of.tenant === null ? tenants.length === 0 : tenants.includes(of.tenant))) &&
    (access === null || of.access.every((label) => access.includes(label)))
  );
}

/** Returns the caller. @throws RequestError `key_missing`, or `key_wrong` if the `authorization` header contains no key of this server */
export function callerOf(context: Context): Caller {
  const caller = knownCallerOf(context);
  if (caller === null) {
    context.header("WWW-Authenticate", "Bearer");
    const advice = 'send "authorization: Bearer KEY". Create a key with `sourcebound keys create`.';
    if (context.req.header("authorization") === undefined)
      throw new RequestError("key_missing", `This server requires an API key: ${advice}`);
    throw new RequestError("key_wrong", `The authorization header contains no key of this server: ${advice}`);
  }
  return caller;
}

/** Returns the caller that `identify` found, or `null` if a required key is missing. */
export function knownCallerOf(context: Context): Caller | null {
  return (context.get("caller") as Caller | null | undefined) ?? null;
}

/** Returns the error for a scope that the caller may not use. A scope that does not exist gets the same error. */
export function scopeDenied(): RequestError {
  const message = "This key has no access to the domain, tenant or access label in the request. Omit it, or use another key.";
  return new RequestError("scope_denied", message);
}

/** Maximum characters of an actor's name; the key id is added to it. */
const NAME_CHARACTERS = 80;

/** Returns the actor's name, followed by the key id, because a client can send any name. */
export function actorOf({ keyId }: Caller, by: string): string {
  return keyId === null ? by : `${by.slice(0, NAME_CHARACTERS)} (key ${keyId})`;
}

/** Number of random bytes at the start of an id. They make ids unguessable, because each guess costs a request. */
const RANDOM_BYTES = 8;

/** Issues session ids and recognises them. An id is a UUID (version 8, RFC 9562) of random bytes and their keyed hash. */
export type SessionIds = ReturnType<typeof createSessionIds>;

/** @param secret secret of the installation, which all replicas share */
export function createSessionIds(secret: string) {
  const idOf = (random: Uint8Array) => {
    const mac = createHmac("sha256", secret).update("session id").update(random).digest();
    const bytes = Buffer.concat([random, mac.subarray(0, 16 - RANDOM_BYTES)]);
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };
  const isIssued = (id: string) => {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return false;
    const random = Buffer.from(id.replaceAll("-", ""), "hex").subarray(0, RANDOM_BYTES);
    return timingSafeEqual(Buffer.from(id), Buffer.from(idOf(random)));
  };
  return {
    issue() {
      const random = randomBytes(RANDOM_BYTES);
      random[6] = ((random[6] ?? 0) & 0x0f) | 0x80;
      return idOf(random);
    },
    /**
     * Checks that the caller may use this session id. Each key has its own sessions. Callers without a key share one set
     * of sessions, so each of them may use only unguessable ids that the server issued.
     * @throws RequestError `session_not_issued`
     */
    assertOpen(caller: Caller, id: string | undefined) {
      if (id === undefined || caller.namesSessions !== false || isIssued(id)) return;
      const message =
        "Without a key, a session id must come from the server. Use the `session_id` from POST /v1/sessions or from an answer.";
      throw new RequestError("session_not_issued", message);
    },
  };
}
