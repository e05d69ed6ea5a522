import { createRemoteJWKSet, customFetch, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { TokenSettings } from "../../shared/config/server.ts";
import { messageOf, RequestError } from "../../shared/errors.ts";
import { ROLES, type Role } from "../../store/keys.ts";
import { sha256Hex } from "../../text/hash.ts";
import type { Caller } from "./caller.ts";

/** Longest token that is looked at, in characters: claims of a person are some hundred. */
export const MAX_TOKEN_CHARACTERS = 8_192;
/** Milliseconds for which the issuer's keys are kept, and in which they are fetched again at most once, whatever key ids tokens name. */
export const KEYS_KEPT_MS = 600_000;
export const KEYS_COOLDOWN_MS = 30_000;

/** Tokens of an OIDC issuer, as a second way to show who asks. */
export type TokenReader = ReturnType<typeof createTokenReader>;

/** Does a bearer credential look like a signed token? */
export function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential);
}

/**
 * Checks tokens by RFC 7519 and RFC 8725: signature by a key of the issuer and one of the allowed algorithms (all asymmetric: `none` and HMAC are
 * none of them), issuer, audience, `exp`, `nbf`, and a subject. What a token opens is said by the configuration's mapping alone.
 * @param domain what is meant where tokens name no domain
 */
export function createTokenReader(settings: TokenSettings, domain: string, fetchKeys: KeyFetch = fetch) {
  const { issuer, audience, algorithms, clock_tolerance_s: clockTolerance } = settings;
  const keys = createIssuerKeys(settings, fetchKeys);
  return {
    /**
     * Whom a token speaks of and what it opens.
     * @throws RequestError `token_wrong`, `token_expired`, `token_claims`, `issuer_unreachable`
     */
    async read(token: string): Promise<Caller> {
      if (token.length > MAX_TOKEN_CHARACTERS) throw tokenWrong();
      const payload = await verified(async () => {
        // Before keys are fetched: nothing is asked of the issuer for a token that could never hold.
        if (!algorithms.some((name) => name === decodeProtectedHeader(token).alg)) throw tokenWrong();
        const options = { issuer, audience, algorithms: [...algorithms], clockTolerance, requiredClaims: ["sub", "exp"] };
        return (await jwtVerify(token, await keys(), options)).payload;
      });
      // The same person of the same issuer is the same caller with every token.
      const keyId = `token-${sha256Hex(JSON.stringify([payload.iss, payload.sub])).slice(0, 16)}`;
      return { ...grantOf(payload, settings, domain), keyId, lane: `key ${keyId}` };
    },
  };
}

/** The issuer's keys: from `jwks_url`, or from where its discovery document says (OpenID Connect Discovery 1.0, section 4). */
function createIssuerKeys({ issuer, jwks_url: jwksUrl }: TokenSettings, fetchKeys: KeyFetch): () => Promise<JWTVerifyGetKey> {
  const bounded: KeyFetch = async (url, init) => Response.json(await fetchJson(fetchKeys, String(url), init));
  const remote = (url: string) =>
    createRemoteJWKSet(new URL(url), { cacheMaxAge: KEYS_KEPT_MS, cooldownDuration: KEYS_COOLDOWN_MS, [customFetch]: bounded });
  let known: Promise<JWTVerifyGetKey> | null = jwksUrl === undefined ? null : Promise.resolve(remote(jwksUrl));
  let failedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (known !== null) return known;
    if (performance.now() - failedAt < KEYS_COOLDOWN_MS) throw issuerUnreachable("it could not be reached a moment ago");
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
  if (said !== issuer) throw issuerUnreachable("its discovery document names another issuer");
  if (typeof url !== "string" || !URL.canParse(url)) throw issuerUnreachable("its discovery document names no keys");
  if (new URL(url).protocol !== new URL(issuer).protocol) throw issuerUnreachable("its keys are at an address of another kind");
  return url;
}

/** Codes of `jose` for what is wrong with a token; others are about the issuer's keys. */
const OF_TOKEN = /^ERR_(?:JWT_|JWS_|JOSE_ALG|JOSE_NOT|JWKS_NO_MATCHING|JWKS_MULTIPLE)/;

/** What a check throws as what the sender may know: nothing of the issuer's answers, and not which part of a forged token was nearly right. */
async function verified(check: () => Promise<JWTPayload>): Promise<JWTPayload> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof errors.JWTExpired)
      throw new RequestError("token_expired", "This token has expired: sign in again, or refresh it.");
    const isOfToken = error instanceof errors.JOSEError && OF_TOKEN.test(error.code);
    // `decodeProtectedHeader` throws a TypeError for what is no header.
    if (isOfToken || (error instanceof TypeError && /Protected Header|Token/.test(error.message))) throw tokenWrong();
    throw issuerUnreachable(messageOf(error));
  }
}

function tokenWrong(): RequestError {
  return new RequestError("token_wrong", "This token opens nothing: it is not signed by the issuer for this service. Sign in again.");
}

function issuerUnreachable(why: string): RequestError {
  const message = "Tokens cannot be checked now: the keys of their issuer could not be had. Try again in a moment, or use a key.";
  return new RequestError("issuer_unreachable", message, { retry_after_s: KEYS_COOLDOWN_MS / 1000 }, { cause: new Error(why) });
}

/** Most values of one claim, and the longest of them. */
const MAX_VALUES = 100;
const valuesSchema = z.array(z.string().min(1).max(200)).max(MAX_VALUES);

/**
 * What a token opens, by the configuration's mapping. A claim that is mapped must be in the token and of the right form: what is missing opens
 * nothing. A claim that is not mapped is not looked at, whatever it is called.
 * @throws RequestError `token_claims`
 */
function grantOf(payload: JWTPayload, { claims, roles, default_roles }: TokenSettings, domain: string): Omit<Caller, "keyId"> {
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
  const value = Object.hasOwn(payload, claim) ? payload[claim] : claim.split(".").reduce(ownValue, payload);
  const parsed = valuesSchema.safeParse(typeof value === "string" ? value.split(/\s+/).filter((word) => word !== "") : value);
  if (!parsed.success) throw claimsWrong("a claim that is mapped is missing, or is no list of names");
  return parsed.data;
}

function ownValue(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function claimsWrong(why: string): RequestError {
  return new RequestError("token_claims", `This token opens nothing here: ${why}. Ask whoever runs the server how tokens are mapped.`);
}

/** The part of `fetch` that is needed. */
type KeyFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Bytes of a document of an issuer: some ten keys with their certificates are 50 KiB. */
export const MAX_JSON_BYTES = 262_144;
/** Milliseconds in which it must have come. */
const TIMEOUT_MS = 5_000;

/** JSON from an address, of at most so many bytes, without redirects. @throws Error saying what was wrong with it */
async function fetchJson(request: KeyFetch, url: string, init: RequestInit = {}): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit;
  const response = await request(url, { ...init, redirect: "error", signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_JSON_BYTES) throw new Error(`it answered more than ${MAX_JSON_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}
