import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { circlesOf, stepsFrom } from "./import-graph.ts";
import { readSource, readSources } from "./source-files.ts";
import { filesVisited } from "./visited-files.ts";

const file = (path: string, ...imports: string[]) => ({ path, imports });

describe("readSource", () => {
  it("tells lines, functions with their names, and imports, of types and later ones too", () => {
    const text = `import type { A } from "./a.ts";
import { b } from "../b.ts";
import "node:fs";
export { c } from "./c.ts";

export function outer(): A {
  const inner = () => {
    return b();
  };
  return inner();
}
export const later = () => import("./later.ts");
`;
    const { lines, functions, imports } = readSource("src/room/file.ts", text);
    expect(lines).toBe(12);
    expect(functions).toEqual([
      { name: "outer", lines: 6 },
      { name: "inner", lines: 3 },
      { name: "later", lines: 1 },
    ]);
    expect(imports).toEqual(["src/room/a.ts", "src/b.ts", "src/room/c.ts", "src/room/later.ts"]);
  });

  it("says which file is no TypeScript", () => {
    expect(() => readSource("a.ts", "const = 1")).toThrow(/a\.ts cannot be read/);
  });
});

describe("readSources", () => {
  it("tells tests, and what only they use, from the rest", () => {
    const root = mkdtempSync(join(tmpdir(), "sourcebound-house-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const path of ["src/a.ts", "src/a.test.ts", "src/testing/fake.ts", "src/latest/b.ts", "test/a.test.ts", "test/support/c.ts"]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "export const a = 1;\n");
    }
    const paths = (folder: string, tests?: boolean) => readSources(root, folder, tests).map(({ path }) => path);
    expect(paths("src")).toEqual(["src/a.ts", "src/latest/b.ts"]);
    expect(paths("src", true)).toEqual(["src/a.test.ts", "src/testing/fake.ts"]);
    expect(paths("test", true)).toEqual(["test/a.test.ts", "test/support/c.ts"]);
    expect(paths("test")).toEqual([]);
  });
});

describe("circlesOf", () => {
  it("finds each circle once, with all that is in it", () => {
    const files = [file("a", "b"), file("b", "c", "outside"), file("c", "a"), file("d", "d2"), file("d2", "d"), file("e", "a")];
    expect(circlesOf(files)).toEqual([
      ["a", "b", "c"],
      ["d", "d2"],
    ]);
    expect(circlesOf([file("a", "b"), file("b")])).toEqual([]);
  });
});

describe("stepsFrom", () => {
  it("follows imports into files that are visited, by the shortest way, and leaves out what none leads to", () => {
    const files = [file("a", "b", "c"), file("b", "d"), file("c", "e"), file("d", "e"), file("e"), file("far")];
    const steps = stepsFrom("a", files, new Set(["b", "c", "d", "e", "far"]));
    expect([...steps]).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 1],
      ["d", 2],
      ["e", 2],
    ]);
    expect([...stepsFrom("a", files, new Set(["b"]))]).toEqual([
      ["a", 0],
      ["b", 1],
    ]);
  });
});

describe("filesVisited", () => {
  it("holds a file of which a function ran, and none that was only loaded", async () => {
    const { circlesOf: run } = await import("./import-graph.ts");
    const visited = [...(await filesVisited(async () => void run([file("a", "a")])))].map((path) => path.split("/").at(-1));
    expect(visited).toContain("import-graph.ts");
    expect(visited).not.toContain("source-files.ts");
  });
});
