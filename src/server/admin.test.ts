import { describe, expect, it } from "vitest";
import { createFakeAskEngine } from "../testing/fake-ask-engine.ts";
import { createApp } from "./app.ts";

const TOKEN = "0123456789abcdef";
function setUp(adminToken: string | null) {
  const engine = createFakeAskEngine(async function* () {});
  const log = { info: () => undefined, error: () => undefined };
  return { engine, app: createApp({ engine, log, webRoot: "/nowhere", adminToken }) };
}
const authorization = `Bearer ${TOKEN}`;
type ErrorBody = { error: { code: string } };

describe("an administrator's route", () => {
  const path = "/v1/admin/refresh";
  it.each([
    ["no token", undefined],
    ["another one", "Bearer 0123456789abcdeg"],
    ["a longer one", `Bearer ${TOKEN}0`],
    ["a shorter one", "Bearer 0123456789abcde"],
    ["the bare token", TOKEN],
    ["another scheme", `Basic ${TOKEN}`],
    ["an empty one", "Bearer "],
  ])("lets nobody in with %s", async (_what, given) => {
    const { app, engine } = setUp(TOKEN);
    const response = await app.request(path, { method: "POST", ...(given === undefined ? {} : { headers: { authorization: given } }) });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(((await response.json()) as ErrorBody).error.code).toBe("admin_token_wrong");
    expect(engine.refreshes).toEqual([]);
  });

  it("is off without a configured token, whatever is sent", async () => {
    const { app, engine } = setUp(null);
    for (const headers of [{}, { authorization }, { authorization: "Bearer null" }, { authorization: "Bearer " }]) {
      const response = await app.request(path, { method: "POST", headers: headers as Record<string, string> });
      expect([response.status, ((await response.json()) as ErrorBody).error.code]).toEqual([403, "admin_off"]);
    }
    expect(engine.refreshes).toEqual([]);
  });

  it.each(['{"domain":7}', '{"domian":"x"}', "[]", "{", '{"domain":""}'])("refuses the body %s", async (body) => {
    const { app, engine } = setUp(TOKEN);
    const response = await app.request(path, { method: "POST", headers: { authorization }, body });
    expect(response.status).toBe(400);
    expect(engine.refreshes).toEqual([]);
  });
});
