import { describe, expect, it } from "vitest";
import { pathClash } from "./path-clash.ts";

describe("pathClash", () => {
  it("names a file where a folder is needed, and a file below the path", () => {
    expect(pathClash("a/b.md", ["z.md", "a"])).toBe("a");
    expect(pathClash("a/b/c.md", ["a"])).toBe("a");
    expect(pathClash("box.md", ["box.md/y.md"])).toBe("box.md/y.md");
  });

  it("finds none in the file itself, in its neighbours and in names that only begin alike", () => {
    expect(pathClash("a/b.md", ["a/b.md", "a/c.md", "a b", "a/b", "a/b.mdx"])).toBeNull();
    expect(pathClash("a", [])).toBeNull();
  });
});
