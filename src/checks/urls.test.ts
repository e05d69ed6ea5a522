import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { repairUrls, urlsIn } from "./urls.ts";

const rules = {
  cited: ["https://www.va.gov/disability/"],
  quotes: ["See VA.gov/forms for more."],
  mode: "remove" as const,
  hosts: ["va.gov"],
  homePage: "https://www.va.gov/",
};

describe("urlsIn", () => {
  it("finds addresses with and without a scheme, without the sentence's full stop", () => {
    expect(urlsIn("See https://www.va.gov/a/b?c=1#d, or va.gov/x.").map(({ url }) => url)).toEqual([
      "https://www.va.gov/a/b?c=1#d",
      "va.gov/x",
    ]);
  });
});

describe("urlsIn for disguised addresses", () => {
  it.each([
    ["a host before an @", "See https://va.gov@evil.com/a now", "https://va.gov@evil.com/a"],
    ["letters of another script", "See vа.gov/forms now", "vа.gov/forms"],
    ["a host in another script with a scheme", "See https://vа.gov now", "https://vа.gov"],
    ["zero-width characters", "See ev\u200bil.com now", "evil.com"],
    ["full-width letters", "See ｅｖｉｌ．ｃｏｍ now", "evil.com"],
    ["a javascript: address", "See javascript:alert(1) now", "javascript:alert(1)"],
    ["a javascript: address with a space", "See JavaScript :alert(1) now", "JavaScript :alert(1)"],
    ["a data: address", "See data:text/html;base64,PHNjcmlwdD4= now", "data:text/html;base64,PHNjcmlwdD4="],
    ["backslashes", "See https:\\\\evil.com\\a now", "https:\\\\evil.com\\a"],
    ["no slashes", "See https:evil.com now", "https:evil.com"],
    ["a number as the host", "See 10.0.0.1/a now", "10.0.0.1/a"],
    ["a port", "See va.gov:8080 now", "va.gov:8080"],
    ["an encoded dot", "See https://va.gov%2eevil.com now", "https://va.gov%2eevil.com"],
    ["brackets inside the address", "(see https://a.org/b_(c))", "https://a.org/b_(c)"],
    ["an address in emphasis", "See **https://a.org/b**.", "https://a.org/b"],
  ])("finds %s", (_what, text, url) => {
    expect(urlsIn(text).map((found) => found.url)).toEqual([url]);
  });

  it.each(["write to help@va.gov", "38 C.F.R. 4.25", "3.5 or 4.25/month", "and/or", "The end.Is it", "README.md"])("leaves %s", (text) => {
    expect(urlsIn(text)).toEqual([]);
  });

  it.each(["a.", "https://", "a.b/", "www.", "(", "javascript:", "1.1.1.1/", "[a](", "x-"])("takes linear time for repeated %j", (piece) =>
    expectLinearTime(
      30_000 / piece.length,
      (n) => piece.repeat(n),
      (text) => repairUrls(text, rules),
    ),
  );
});

describe("repairUrls", () => {
  it("keeps the address of a cited document and one in a cited quote", () => {
    const text = "See https://va.gov/disability and va.gov/forms.";
    expect(repairUrls(text, rules)).toEqual({ text, removed: [] });
  });

  it("removes an invented address on a known host", () => {
    expect(repairUrls("Report it (https://www.va.gov/invented/page/).", rules)).toEqual({
      text: "Report it.",
      removed: ["https://www.va.gov/invented/page/"],
    });
  });

  it("is not deceived by a host that resembles a listed one", () => {
    const home = { ...rules, mode: "home-page" as const };
    expect(repairUrls("See https://va.gov.evil.com/x and https://notva.gov.io", home).removed).toHaveLength(2);
    expect(repairUrls("See https://benefits.va.gov/x", home).removed).toEqual([]);
  });

  it.each([
    ["a host before an @", "See https://va.gov@evil.com/disability now.", "See now."],
    ["a user name before the right host", "See https://evil@va.gov/forms now.", "See now."],
    ["a look-alike", "See vа.gov/forms now.", "See now."],
    ["another port", "See va.gov:8080/forms now.", "See now."],
    ["a script in a link", "See [the forms](javascript:alert(1)) now.", "See the forms now."],
    ["a link's target, whatever its text says", "See [va.gov/forms](https://evil.com/a) now.", "See va.gov/forms now."],
    ["an address with zero-width characters", "See ev\u200bil.com/forms now.", "See now."],
  ])("removes %s", (_what, text, repaired) => {
    expect(repairUrls(text, rules).text).toBe(repaired);
    if (!text.includes("][")) expect(repairUrls(repaired, rules).removed).toEqual([]);
  });

  it("keeps a Markdown link to a cited document, and mail addresses", () => {
    for (const text of ["See [the forms](https://www.va.gov/forms).", "Write to help@va.gov."])
      expect(repairUrls(text, rules).text).toBe(text);
  });

  it("applies the whitelist of the seven-layer profile to similar hosts", () => {
    const home = { ...rules, mode: "home-page" as const };
    const bad = [
      "https://va.gov@evil.com",
      "https://vа.gov/",
      "https://va.gov.evil.com",
      "https://va.gov%2eevil.com",
      "javascript:alert(1)",
      "ftp://va.gov/a",
    ];
    for (const url of bad) expect(repairUrls(`See ${url} now`, home).text).toBe("See https://www.va.gov/ now");
    expect(repairUrls("See https://va.gov:443/x", home).removed).toEqual([]);
    expect(repairUrls("See [it](https://evil.com).", home).text).toBe("See [it](https://www.va.gov/).");
  });
});
