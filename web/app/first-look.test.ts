import { describe, expect, it } from "vitest";
import type { Api } from "./api.ts";
import { askFirst, lookFirst } from "./first-look.ts";

const CALLER = { roles: ["ask"], key_id: null };

/** A fake server whose responses arrive when the given promises settle. */
function server(answers: Readonly<Record<string, Promise<unknown>>>, asked: string[] = []): Pick<Api, "get"> {
  return {
    get: async <T>(path: string): Promise<T> => {
      asked.push(path);
      return (await answers[path]) as T;
    },
  };
}

describe("lookFirst", () => {
  it("sends both requests at once, returns what arrived in time, and passes on the pending one once", async () => {
    const asked: string[] = [];
    const late = Promise.withResolvers<unknown>();
    const api = server({ "/v1/whoami": Promise.resolve(CALLER), "/v1/domains": late.promise }, asked);
    const first = await lookFirst(askFirst(api), 20);
    expect(first.caller.known).toEqual(CALLER);
    expect(first.caller.take()).toBeNull();
    expect(first.domains.known).toBeNull();
    const taken = first.domains.take();
    late.resolve({ domains: [] });
    expect(await taken).toEqual({ domains: [] });
    expect(first.domains.take()).toBeNull();
    expect(asked).toEqual(["/v1/whoami", "/v1/domains"]);
  });

  it("does not throw when the server refuses; the later caller gets the error", async () => {
    const refused = new Error("key_wrong");
    const first = await lookFirst(askFirst({ get: () => Promise.reject(refused) }));
    expect(first.caller.known).toBeNull();
    await expect(first.caller.take()).rejects.toBe(refused);
  });
});
