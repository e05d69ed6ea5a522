import { describe, expect, it } from "vitest";
import { normalizeUrl, repairUrls, urlsIn } from "./urls.ts";

const rules = {
  cited: ["https://www.va.gov/disability/"],
  quotes: ["See VA.gov/forms for more."],
  mode: "remove" as const,
  hosts: ["va.gov"],
  homePage: "https://www.va.gov/",
};

describe("urlsIn", () => {
  it("finds addresses with and without scheme and leaves the sentence its stop", () => {
    expect(urlsIn("See https://www.va.gov/a/b?c=1#d, or va.gov/x.").map(({ url }) => url)).toEqual([
      "https://www.va.gov/a/b?c=1#d",
      "va.gov/x",
    ]);
  });
});

describe("normalizeUrl", () => {
  it("takes scheme, www, case, fragment and closing slash away", () => {
    expect(new Set(["http://WWW.VA.gov/forms/", "va.gov/forms", "https://va.gov/forms#top"].map(normalizeUrl))).toEqual(
      new Set(["va.gov/forms"]),
    );
  });

  it("is null for what is no web address", () => {
    expect(normalizeUrl("javascript:alert(1)")).toBeNull();
    expect(normalizeUrl("https://")).toBeNull();
  });
});

describe("repairUrls", () => {
  it("keeps the address of a cited document and one that stands in a cited quote", () => {
    const text = "See https://va.gov/disability and va.gov/forms.";
    expect(repairUrls(text, rules)).toEqual({ text, removed: [] });
  });

  it("takes an invented address on a known host out", () => {
    expect(repairUrls("Report it (https://www.va.gov/invented/page/).", rules)).toEqual({
      text: "Report it.",
      removed: ["https://www.va.gov/invented/page/"],
    });
  });

  it("is not fooled by a host that only looks like one of the list", () => {
    const home = { ...rules, mode: "home-page" as const };
    expect(repairUrls("See https://va.gov.evil.com/x and https://notva.gov.io", home).removed).toHaveLength(2);
    expect(repairUrls("See https://benefits.va.gov/x", home).removed).toEqual([]);
  });

  it("puts the home page in the place of a foreign host in the seven-layer profile", () => {
    expect(repairUrls("See https://evil.com/x now", { ...rules, mode: "home-page" }).text).toBe("See https://www.va.gov/ now");
  });
});
