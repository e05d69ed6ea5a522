import { describe, expect, it } from "vitest";
import { createFactReader } from "../verify/facts.ts";
import { createWebParts } from "./domains.ts";

const OPTIONS = { support: null, reader: createFactReader(), now: () => new Date(0) };
const SETTINGS = { api_key: "k", passages: 3, timeout_ms: 8000 };

describe("what asking the web needs", () => {
  it("is nothing where no search is configured", () => {
    expect(createWebParts({ web_search: undefined }, OPTIONS)({ hosts: ["a.example"], web: {} })).toBeNull();
  });

  it("takes the hosts that the pack lists for the web, else all of the pack", () => {
    const of = createWebParts({ web_search: { type: "brave", ...SETTINGS } }, OPTIONS);
    expect(of({ hosts: ["a.example"], web: {} })?.hosts).toEqual(["a.example"]);
    expect(of({ hosts: ["a.example"], web: { hosts: ["b.example"] } })?.hosts).toEqual(["b.example"]);
    expect(of({ hosts: ["a.example"], web: { hosts: [] } })?.hosts).toEqual([]);
  });

  it.each([
    [{ type: "brave" as const, ...SETTINGS }, "brave at api.search.brave.com"],
    [{ type: "tavily" as const, ...SETTINGS }, "tavily at api.tavily.com"],
    [{ type: "tavily" as const, url: "http://localhost:9/search", ...SETTINGS }, "tavily at localhost:9"],
    [{ type: "searxng" as const, url: "http://localhost:8888/", ...SETTINGS }, "searxng at localhost:8888"],
  ])("asks the service at its own address, or at the one that is set", (web_search, id) => {
    expect(createWebParts({ web_search }, OPTIONS)({ hosts: [], web: {} })?.search.id).toBe(id);
  });
});
