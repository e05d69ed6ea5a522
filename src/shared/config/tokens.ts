import { z } from "zod";
import { ROLES } from "../../store/keys.ts";

/** Accepted signature algorithms: only asymmetric ones, whose secret key the issuer alone has. `none` and HMAC cannot be configured. */
export const TOKEN_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const;
/** Clock difference of issuer and server, in seconds. */
export const DEFAULT_CLOCK_TOLERANCE_S = 30;

/** Keys must be fetched over TLS, except from this machine: anyone who can alter them in transit can sign tokens. */
const issuerUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
  .refine((url) => url.startsWith("https:") || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url), {
    error: "must begin with https://, unless it is on this machine",
  });
const claim = (what: string) => z.string().min(1).max(200).optional().describe(what);

export const tokenSchema = z
  .strictObject({
    issuer: issuerUrl.describe("`iss` of its tokens, to the letter; its keys are found by its discovery document"),
    audience: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe("`aud` of tokens for this service: one of them must be in the token"),
    jwks_url: issuerUrl.optional().describe("Where its keys are, in the place of the discovery document's `jwks_uri`"),
    algorithms: z
      .array(z.enum(TOKEN_ALGORITHMS))
      .min(1)
      .default(["RS256", "PS256", "ES256", "EdDSA"])
      .describe("Signatures that are taken"),
    clock_tolerance_s: z
      .int()
      .min(0)
      .max(300)
      .default(DEFAULT_CLOCK_TOLERANCE_S)
      .describe("Seconds by which clocks may differ where `exp` and `nbf` are checked"),
    claims: z
      .strictObject({
        roles: claim("Claim with the roles; absent: `default_roles`"),
        domains: claim("Claim with the domains, the one that is meant first; absent: the configured domain"),
        tenants: claim("Claim with the tenants; absent: only what belongs to no tenant"),
        access: claim("Claim with the access labels; absent: those of the configuration"),
      })
      .prefault({})
      .describe(
        "Where in a token its grants are: a claim's name or a path such as `realm_access.roles`, holding a list of texts or one text of several words. A claim that is named here must be in every token",
      ),
    roles: z
      .partialRecord(z.enum(ROLES), z.array(z.string().min(1)).min(1))
      .optional()
      .describe("Role → what the issuer calls it; absent: the same names"),
    default_roles: z
      .array(z.enum(ROLES).exclude(["admin"]))
      .default([])
      .describe("Roles of every token where `claims.roles` names none"),
  })
  .describe("Tokens of an OpenID Connect issuer as a second way to show who asks, beside keys");

export type TokenSettings = z.output<typeof tokenSchema>;
