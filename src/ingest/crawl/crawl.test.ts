import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRobots } from "./crawl.ts";

const allows = (text: string, path: string) => readRobots("https://a.example", text).isAllowed(`https://a.example${path}`);

describe("readRobots", () => {
  it("uses the groups that name the crawler, otherwise those for all, and the longest matching rule", () => {
    const text =
      "User-agent: *\nDisallow: /\nCrawl-delay: 2.5\n\nUser-agent: Sourcebound\nUser-agent: other\nDisallow: /private\nAllow: /private/x\n";
    expect([allows(text, "/"), allows(text, "/private/y"), allows(text, "/private/x")]).toEqual([true, false, true]);
    expect(allows(text.replace("Sourcebound", "else"), "/")).toBe(false);
    expect(readRobots("https://a.example", text.replace("Sourcebound", "else")).delayS).toBe(2.5);
  });

  it("finds no rules in empty, broken and hostile files", () => {
    for (const text of ["", "<html>", "Disallow: /", "User-agent: *\nDisallow:", "\ufeffUser-agent: *\nDisallow: #all"])
      expect(allows(text, "/")).toBe(true);
    expect(allows(`User-agent: *\nDisallow: /${"*a".repeat(100_000)}`, `/${"a".repeat(1_900)}`)).toBe(true);
    fc.assert(fc.property(fc.string(), (text) => typeof allows(text, "/a") === "boolean"));
  });
});
