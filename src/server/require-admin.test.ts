import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { SourceboundError } from "../errors.ts";
import { requireAdmin } from "./admin.ts";
import { statusOf } from "./error-response.ts";

function appWith(token: string | null) {
  const app = new Hono();
  app.onError((error, context) =>
    error instanceof SourceboundError ? context.json({ code: error.code }, statusOf(error)) : context.json({ code: "internal" }, 500),
  );
  app.use("/v1/admin/*", requireAdmin(token));
  app.get("/v1/admin/x", (context) => context.text("in"));
  return (authorization?: string) => app.request("/v1/admin/x", authorization === undefined ? {} : { headers: { authorization } });
}

const TOKEN = "a-token-of-some-length";

describe("requireAdmin", () => {
  it("lets the right token in", async () => {
    expect((await appWith(TOKEN)(`Bearer ${TOKEN}`)).status).toBe(200);
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN} x`,
  ])("refuses %j and says how to come in", async (authorization) => {
    const response = await appWith(TOKEN)(authorization);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    expect(await response.json()).toEqual({ code: "admin_token_wrong" });
  });

  it("is off without a token, whatever is sent", async () => {
    for (const authorization of [undefined, "Bearer ", "Bearer null"]) {
      const response = await appWith(null)(authorization);
      expect([response.status, await response.json()]).toEqual([403, { code: "admin_off" }]);
    }
  });
});
