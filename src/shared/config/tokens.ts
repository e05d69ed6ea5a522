import { z } from "zod";
import { ROLES } from "../../store/keys.ts";
import { group, optional, setting } from "../../text/validate.ts";

/** Accepted signature algorithms: only asymmetric ones, whose secret key the issuer alone has. `none` and HMAC cannot be configured. */
export const TOKEN_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const;
/** Clock difference of issuer and server, in seconds. */
export const DEFAULT_CLOCK_TOLERANCE_S = 30;

/** Keys must be fetched over TLS, except from this machine: anyone who can alter them in transit can sign tokens. */
const issuerUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
  .refine((url) => url.startsWith("https:") || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url), {
    error: "must begin with https://, except on this machine",
  });
const claim = (what: string) => z.string().min(1).max(200).optional().describe(what);

export const tokenSchema = z
  .strictObject({
    issuer: issuerUrl.describe("Expected `iss` claim, compared exactly; the keys are found through its discovery document"),
    audience: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe("Accepted `aud` claims; a token must contain one of them"),
    jwks_url: optional(issuerUrl, "Address of the keys; overrides `jwks_uri` of the discovery document"),
    algorithms: setting(z.array(z.enum(TOKEN_ALGORITHMS)).min(1), ["RS256", "PS256", "ES256", "EdDSA"], "Accepted signature algorithms"),
    clock_tolerance_s: setting(z.int().min(0).max(300), DEFAULT_CLOCK_TOLERANCE_S, "Allowed clock skew in seconds for `exp` and `nbf`"),
    claims: group(
      "Claims that hold the grants: a name or a path such as `realm_access.roles`. The value is a list of strings or one space-separated string. Every claim named here must be present in the token",
      {
        roles: claim("Claim with the roles; `default_roles` apply when absent"),
        domains: claim("Claim with the domains, the default one first; the server's default domain when absent"),
        tenants: claim("Claim with the tenants; when absent, only documents without a tenant are visible"),
        access: claim("Claim with the access labels; the configured labels when absent"),
      },
    ),
    roles: optional(
      z.partialRecord(z.enum(ROLES), z.array(z.string().min(1)).min(1)),
      "Role → the issuer's name for it; the same name when absent",
    ),
    default_roles: setting(z.array(z.enum(ROLES).exclude(["admin"])), [], "Roles of every token if `claims.roles` is not set"),
  })
  .describe("Accepts tokens of an OpenID Connect issuer in addition to keys");

export type TokenSettings = z.output<typeof tokenSchema>;
