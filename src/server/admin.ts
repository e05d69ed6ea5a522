import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { RequestError } from "../errors.ts";

/**
 * Lets only those in who have the admin token. Without one the addresses are off, from this machine too: any page in a browser can send a request
 * to it, and so can whatever forwards requests from outside.
 */
export function requireAdmin(token: string | null): MiddlewareHandler {
  return async (context, next) => {
    if (token === null) {
      const message = "This address is off: set SOURCEBOUND_ADMIN_TOKEN (or `server.admin_token`) and start the server again.";
      throw new RequestError("admin_off", message);
    }
    const given = /^bearer +(\S+) *$/i.exec(context.req.header("authorization") ?? "")?.[1];
    if (given === undefined || !isEqual(given, token)) {
      context.header("WWW-Authenticate", "Bearer");
      throw new RequestError("admin_token_wrong", 'Send the admin token: "authorization: Bearer TOKEN".');
    }
    await next();
  };
}

/** In the same time whatever differs, lengths included. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
