import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRobots } from "./robots.ts";

const allows = (text: string, path: string) => readRobots(text, "sourcebound").allows(new URL(path, "https://a.example"));

describe("readRobots", () => {
  it("takes the groups that name the reader, else those for all", () => {
    const text = "User-agent: *\nDisallow: /\n\nUser-agent: Sourcebound\nUser-agent: other\nDisallow: /private\n";
    expect([allows(text, "/"), allows(text, "/private/x")]).toEqual([true, false]);
    expect(readRobots(text, "else").allows(new URL("https://a.example/"))).toBe(false);
  });

  it("lets the longest rule decide, and of equals the one that allows (RFC 9309, section 2.2.2)", () => {
    const text = "User-agent: *\nDisallow: /docs\nAllow: /docs/public\nDisallow: /same\nAllow: /same\n";
    expect([allows(text, "/docs/x"), allows(text, "/docs/public/x"), allows(text, "/same")]).toEqual([false, true, true]);
  });

  it("reads stars, ends, escapes and queries", () => {
    const text = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*b*c\nDisallow: /%e2%82%ac\nDisallow: /x?q=\nDisallow: /end$\n";
    expect(["/m/f.pdf", "/aXbYc", "/€", "/x?q=1", "/end"].map((path) => allows(text, path))).toEqual([false, false, false, false, false]);
    expect(["/m/f.pdfs", "/acb", "/x", "/ending"].map((path) => allows(text, path))).toEqual([true, true, true, true]);
  });

  it("takes nothing from empty, broken and hostile files", () => {
    for (const text of ["", "<html>", "Disallow: /", "User-agent: *\nDisallow:", "\ufeffUser-agent: *\nDisallow: #all"])
      expect(allows(text, "/")).toBe(true);
    expect(allows(`User-agent: *\nDisallow: /${"*a".repeat(100_000)}`, `/${"a".repeat(1_900)}`)).toBe(true);
    expect(allows(`User-agent: *\n${"Disallow: /x\n".repeat(100_000)}`, "/y")).toBe(true);
    fc.assert(fc.property(fc.string(), (text) => typeof allows(text, "/a") === "boolean"));
  });

  it("says the pause and the sitemaps", () => {
    const { delayS, sitemaps } = readRobots("Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\n", "sourcebound");
    expect([delayS, sitemaps]).toEqual([2.5, ["https://a.example/s.xml"]]);
  });
});
