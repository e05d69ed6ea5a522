import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { httpUrl } from "./http-url.ts";

describe("httpUrl", () => {
  it.each(["https://library.example/fees/?a=1#b", "HTTP://library.example", "http://127.0.0.1:8080/x"])("lets %s out", (url) => {
    expect(httpUrl(` ${url}\n`)).toBe(url);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://library.example/1",
    "//library.example/fees",
    "/fees",
    "fees.html",
    "https:alert(1)",
    "https://bank.example@evil.example/",
    "https://",
    "",
  ])("holds %j back", (url) => expect(httpUrl(url)).toBeNull());

  it("is null for null", () => expect(httpUrl(null)).toBeNull());

  it("lets nothing out that a browser reads as another scheme", () => {
    const hostile = fc
      .tuple(fc.constantFrom("javascript:", "data:", "https:", "http://", "\t", " ", "ftp:"), fc.string())
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(hostile, (stated) => {
        const url = httpUrl(stated);
        expect(url === null || /^https?:$/.test(new URL(url, "https://page.example/").protocol)).toBe(true);
      }),
    );
  });
});
