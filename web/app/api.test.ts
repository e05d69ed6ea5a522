import { describe, expect, it } from "vitest";
import { createApi, messageOf } from "./api.ts";

/** What people read when the server answers with this error. */
async function saidOf(code: string): Promise<string> {
  const body = { error: { code, message: 'Send "authorization: Bearer KEY".' } };
  const api = createApi(
    () => null,
    async () => Response.json(body, { status: 401 }),
  );
  return api.get("/v1/answers/1").then(() => "nothing", messageOf);
}

describe("what a failure tells people", () => {
  it("is no line for programs where a key is missing, and what the server says elsewhere", async () => {
    expect(await saidOf("key_missing")).toBe("This server wants a key.");
    expect(await saidOf("role_missing")).toBe('Send "authorization: Bearer KEY".');
  });
});
