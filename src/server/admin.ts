import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { RequestError } from "../errors.ts";

/**
 * Lets in only requests with `authorization: Bearer TOKEN`. Without a token in the configuration nobody gets in.
 * @param token what the configuration says; `undefined` or empty: administration over HTTP is off
 * @throws RequestError `admin_off` (403), `admin_token_wrong` (401)
 */
export function requireAdmin(token: string | undefined): MiddlewareHandler {
  const expected = token === undefined || token === "" ? null : digest(token);
  return async (context, next) => {
    if (expected === null) {
      const message =
        "Administration over HTTP is off: set admin_token in the configuration (or SOURCEBOUND_ADMIN_TOKEN), then start again.";
      throw new RequestError("admin_off", message);
    }
    const given = /^Bearer +(\S+)\s*$/i.exec(context.req.header("authorization") ?? "")?.[1] ?? "";
    if (!timingSafeEqual(digest(given), expected)) {
      context.header("WWW-Authenticate", 'Bearer realm="sourcebound"');
      throw new RequestError("admin_token_wrong", 'This route needs the administration token: send "authorization: Bearer TOKEN".');
    }
    context.header("Cache-Control", "no-store");
    await next();
  };
}

/** Of one length whatever the text, so that comparing tells nothing of it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
