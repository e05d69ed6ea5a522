import type { JWTPayload } from "jose";
import { z } from "zod";
import type { TokenSettings } from "../../config/server.ts";
import { RequestError } from "../../errors.ts";
import { ROLES, type Role } from "../../store/keys.ts";
import type { Caller } from "./caller.ts";

/** Most values of one claim, and the longest of them. */
const MAX_VALUES = 100;
const valuesSchema = z.array(z.string().min(1).max(200)).max(MAX_VALUES);

/** What a token opens. */
export type TokenGrant = Pick<Caller, "roles" | "domains" | "tenants" | "access">;

/**
 * What a token opens, by the configuration's mapping. A claim that is mapped must be in the token and of the right form: what is missing opens
 * nothing. A claim that is not mapped is not looked at, whatever it is called.
 * @throws RequestError `token_claims`
 */
export function grantOf(payload: JWTPayload, { claims, roles, default_roles }: TokenSettings, domain: string): TokenGrant {
  const listed = (claim: string | undefined) => (claim === undefined ? null : valuesOf(payload, claim));
  const [domains, tenants, access] = [listed(claims.domains), listed(claims.tenants), listed(claims.access)];
  const held = rolesOf(claims.roles === undefined ? null : valuesOf(payload, claims.roles), roles, default_roles);
  if (held.has("admin")) {
    if ([domains, tenants, access].some((one) => one !== null && one.length > 0)) {
      throw claimsWrong("it is an administrator's and bound to a domain, a tenant or labels: an administrator cannot be bound");
    }
    return { roles: new Set(ROLES), domains: null, tenants: null, access: null };
  }
  if (domains?.length === 0) throw claimsWrong("it names no domain");
  return { roles: held, domains: domains ?? [domain], tenants: tenants ?? [], access };
}

function rolesOf(found: readonly string[] | null, named: TokenSettings["roles"], otherwise: readonly Role[]): Set<Role> {
  if (found === null) return new Set(otherwise);
  return new Set(ROLES.filter((role) => (named?.[role] ?? (named === undefined ? [role] : [])).some((name) => found.includes(name))));
}

/** A claim by its name, or by a path such as `realm_access.roles`: a list of texts, or one text whose words are the list. */
function valuesOf(payload: JWTPayload, claim: string): readonly string[] {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : walk(payload, claim.split("."));
  const parsed = valuesSchema.safeParse(typeof value === "string" ? value.split(/\s+/).filter((word) => word !== "") : value);
  if (!parsed.success) throw claimsWrong("a claim that is mapped is missing, or is no list of names");
  return parsed.data;
}

function walk(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return walk(new Map(Object.entries(value)).get(name), rest);
}

function claimsWrong(why: string): RequestError {
  return new RequestError("token_claims", `This token opens nothing here: ${why}. Ask whoever runs the server how tokens are mapped.`);
}
