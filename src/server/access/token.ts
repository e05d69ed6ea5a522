import { createRemoteJWKSet, customFetch, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { TokenSettings } from "../../shared/config/server.ts";
import { messageOf, RequestError } from "../../shared/errors.ts";
import { ROLES, type Role } from "../../store/keys.ts";
import { sha256Hex } from "../../text/hash.ts";
import type { Caller } from "./caller.ts";

/** Maximum length of a token in characters. Usual tokens have several hundred. */
export const MAX_TOKEN_CHARACTERS = 8_192;
/** Cache time of the issuer's keys, and minimum time between two fetches, in milliseconds. */
export const KEYS_KEPT_MS = 600_000;
export const KEYS_COOLDOWN_MS = 30_000;

/** Verifies tokens of an OIDC issuer. */
export type TokenReader = ReturnType<typeof createTokenReader>;

/** Returns whether a bearer credential has the form of a signed token. */
export function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential);
}

/**
 * Verifies tokens by RFC 7519 and RFC 8725: signature with an allowed asymmetric algorithm (never `none` or HMAC), issuer, audience, `exp`,
 * `nbf` and subject. The configured claim mapping alone determines permissions.
 * @param domain domain of every token if the configuration maps no claim to domains
 */
export function createTokenReader(settings: TokenSettings, domain: string, fetchKeys: KeyFetch = fetch) {
  const { issuer, audience, algorithms, clock_tolerance_s: clockTolerance } = settings;
  const keys = createIssuerKeys(settings, fetchKeys);
  return {
    /**
     * Returns the caller of a token.
     * @throws RequestError `token_wrong`, `token_expired`, `token_claims`, `issuer_unreachable`
     */
    async read(token: string): Promise<Caller> {
      if (token.length > MAX_TOKEN_CHARACTERS) throw tokenWrong();
      const payload = await verified(async () => {
        // Check the algorithm first, so that an invalid token causes no request to the issuer.
        if (!algorithms.some((name) => name === decodeProtectedHeader(token).alg)) throw tokenWrong();
        const options = { issuer, audience, algorithms: [...algorithms], clockTolerance, requiredClaims: ["sub", "exp"] };
        return (await jwtVerify(token, await keys(), options)).payload;
      });
      // All tokens of one person from one issuer give the same id.
      const keyId = `token-${sha256Hex(JSON.stringify([payload.iss, payload.sub])).slice(0, 16)}`;
      return { ...grantOf(payload, settings, domain), keyId, lane: `key ${keyId}` };
    },
  };
}

/** Returns a function that loads the issuer's keys from `jwks_url`, or from the URL in its OpenID Connect discovery document. */
function createIssuerKeys({ issuer, jwks_url: jwksUrl }: TokenSettings, fetchKeys: KeyFetch): () => Promise<JWTVerifyGetKey> {
  const bounded: KeyFetch = async (url, init) => Response.json(await fetchJson(fetchKeys, String(url), init));
  const remote = (url: string) =>
    createRemoteJWKSet(new URL(url), { cacheMaxAge: KEYS_KEPT_MS, cooldownDuration: KEYS_COOLDOWN_MS, [customFetch]: bounded });
  let known: Promise<JWTVerifyGetKey> | null = jwksUrl === undefined ? null : Promise.resolve(remote(jwksUrl));
  let failedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (known !== null) return known;
    if (performance.now() - failedAt < KEYS_COOLDOWN_MS) throw issuerUnreachable("the last attempt failed a moment ago");
    known = discover(issuer, fetchKeys).then(remote);
    known.catch(() => {
      known = null;
      failedAt = performance.now();
    });
    return known;
  };
}

async function discover(issuer: string, fetchKeys: KeyFetch): Promise<string> {
  const found = await fetchJson(fetchKeys, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { issuer: said, jwks_uri: url } = Object.assign({ issuer: undefined, jwks_uri: undefined }, found);
  if (said !== issuer) throw issuerUnreachable("the discovery document names another issuer");
  if (typeof url !== "string" || !URL.canParse(url)) throw issuerUnreachable("the discovery document contains no jwks_uri");
  if (new URL(url).protocol !== new URL(issuer).protocol)
    throw issuerUnreachable("the discovery document names an address of the keys with another protocol");
  return url;
}

/** Codes of `jose` errors that a faulty token causes. The other codes mean a problem with the issuer's keys. */
const OF_TOKEN = /^ERR_(?:JWT_|JWS_|JOSE_ALG|JOSE_NOT|JWKS_NO_MATCHING|JWKS_MULTIPLE)/;

/** Runs a check and converts its errors for the sender, without details of the issuer's response or of the failed check. */
async function verified(check: () => Promise<JWTPayload>): Promise<JWTPayload> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof errors.JWTExpired)
      throw new RequestError("token_expired", "This token has expired: sign in again, or refresh it.");
    const isOfToken = error instanceof errors.JOSEError && OF_TOKEN.test(error.code);
    // `decodeProtectedHeader` throws a TypeError for an invalid header.
    if (isOfToken || (error instanceof TypeError && /Protected Header|Token/.test(error.message))) throw tokenWrong();
    throw issuerUnreachable(messageOf(error));
  }
}

function tokenWrong(): RequestError {
  return new RequestError("token_wrong", "Invalid token: it was not signed by the issuer for this service. Sign in again.");
}

function issuerUnreachable(why: string): RequestError {
  const message = "Tokens cannot be checked now, because the issuer's keys are not available. Retry in a moment, or use an API key.";
  return new RequestError("issuer_unreachable", message, { retry_after_s: KEYS_COOLDOWN_MS / 1000 }, { cause: new Error(why) });
}

/** Values of one claim. */
const valuesSchema = z.array(z.string().min(1).max(200)).max(100);

/**
 * Maps the configured claims to permissions. Each configured claim must be present and valid; other claims are ignored.
 * @throws RequestError `token_claims`
 */
function grantOf(payload: JWTPayload, { claims, roles, default_roles }: TokenSettings, domain: string): Omit<Caller, "keyId"> {
  const listed = (claim: string | undefined) => (claim === undefined ? null : valuesOf(payload, claim));
  const [domains, tenants, access] = [listed(claims.domains), listed(claims.tenants), listed(claims.access)];
  const named = listed(claims.roles);
  // Without `roles`, the issuer uses our names.
  const namesOf = (role: Role) => (roles === undefined ? [role] : (roles[role] ?? []));
  const held = new Set(named === null ? default_roles : ROLES.filter((role) => namesOf(role).some((name) => named.includes(name))));
  if (held.has("admin")) {
    if ([domains, tenants, access].some((one) => one !== null && one.length > 0)) {
      throw claimsWrong("an administrator's token must not be restricted to a domain, a tenant or labels");
    }
    return { roles: new Set(ROLES), domains: null, tenants: null, access: null };
  }
  if (domains?.length === 0) throw claimsWrong("it names no domain");
  return { roles: held, domains: domains ?? [domain], tenants: tenants ?? [], access };
}

/**
 * Returns the values of a claim. A string is split at white space, e.g. `"ask review"` → `["ask", "review"]`.
 * @param claim name, or a path such as `realm_access.roles`
 */
function valuesOf(payload: JWTPayload, claim: string): readonly string[] {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : claim.split(".").reduce(ownValue, payload);
  const parsed = valuesSchema.safeParse(typeof value === "string" ? value.split(/\s+/).filter((word) => word !== "") : value);
  if (!parsed.success) throw claimsWrong("a mapped claim is missing, or is not a list of names");
  return parsed.data;
}

function ownValue(value: unknown, name: string): unknown {
  const isOwn = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isOwn ? (value as Record<string, unknown>)[name] : undefined;
}

function claimsWrong(reason: string): RequestError {
  return new RequestError("token_claims", `This token grants no access: ${reason}. Ask your administrator how token claims are mapped.`);
}

type KeyFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Maximum size of a JSON document from the issuer in bytes. Ten keys with certificates take 50 KiB. */
export const MAX_JSON_BYTES = 262_144;
/** Timeout of a fetch in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Fetches JSON with a size limit and without redirects. @throws Error with the reason */
async function fetchJson(request: KeyFetch, url: string, init: RequestInit = {}): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit;
  const response = await request(url, { ...init, redirect: "error", signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`HTTP ${response.status}`);
  }
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_JSON_BYTES) throw new Error(`the response exceeds ${MAX_JSON_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}
