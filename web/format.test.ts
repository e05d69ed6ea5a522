import { describe, expect, it } from "vitest";
import { formatCount, formatDate, toContactUrl, toHttpUrl } from "./format.ts";
import { formatDuration, formatShare } from "./kit/figures.ts";

describe("format", () => {
  it.each([
    [0, ".00"],
    [0.049, ".05"],
    [0.999, "1.00"],
    [1, "1.00"],
    [-0.25, "-.25"],
  ])("writes %d as %s", (share, text) => expect(formatShare(share)).toBe(text));

  it("shows the same date in every time zone, and leaves other text unchanged", () => {
    expect(formatDate("2026-01-01")).toBe("January 1, 2026");
    expect(formatDate("2026-13-01")).toBe("2026-13-01");
    expect(formatDate("spring 2026")).toBe("spring 2026");
  });

  it("writes counts as words and digits", () => {
    expect([formatCount(1, "file"), formatCount(0, "file"), formatCount(1234, "file")]).toEqual(["1 file", "0 files", "1,234 files"]);
    expect([formatDuration(0.44), formatDuration(12.4), formatDuration(1250)]).toEqual(["0.4 ms", "12 ms", "1.3 s"]);
  });

  it.each(["javascript:alert(1)", "data:text/html,x", " https://x.test", "//x.test", "ftp://x.test", ""])("makes no link of %j", (url) => {
    expect(toHttpUrl(url)).toBeNull();
  });

  it("recognises phone numbers, addresses and links", () => {
    expect(toContactUrl("1-800-827-1000")).toBe("tel:18008271000");
    expect(toContactUrl("+44 (0)20 7946 0958")).toBe("tel:+4402079460958");
    expect(toContactUrl("help@va.test")).toBe("mailto:help@va.test");
    expect(toContactUrl("https://va.test/x")).toBe("https://va.test/x");
    expect(toContactUrl("your local office, room 12")).toBeNull();
  });
});
