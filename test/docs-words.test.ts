import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";

/** Terms that the glossary of DESIGN.md replaces, and phrases that are hard to read. */
const FORBIDDEN = new RegExp(
  [
    "glances?|anew|mended|strangers|twins?|tongues?|unheard",
    "(?:bears?|bore|borne|bearing)(?: (?:it|them|this|that|a \\w+))? out|told (?:by|apart)|as many as come|l(?:ays?|ies) beside",
    "headroom|look-?alikes?|rungs?|rewordings?|mends?|for want of|speaks? against|takes? the place of|stands? (?:above|below|beside)",
    "layBeside|bearsOut|rowsBeside|headroomOf|tongueOf|askedAlone|AnswerSheet|SaidLine|useSaid",
  ]
    .map((terms) => `\\b(?:${terms})\\b`)
    .join("|"),
  "giu",
);

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

const read = (path: string) => readFileSync(join(PACKAGE_ROOT, path), "utf8");

/** Returns the forbidden terms of a text, apart from identifiers in backticks. */
function forbiddenIn(text: string): string[] {
  return text.replaceAll(/`[^`\n]*`/g, "").match(FORBIDDEN) ?? [];
}

/** Returns DESIGN.md without its glossary, which lists the replaced terms. */
function prose(path: string): string {
  return path === "DESIGN.md" ? read(path).replaceAll(/^\|.*\|$/gm, "") : read(path);
}

/** Returns the comments of a TypeScript file: whole-line `//` comments and blocks. */
function comments(path: string): string {
  return (read(path).match(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? []).join("\n");
}

const PROSE = [
  ...readdirSync(PACKAGE_ROOT).filter((name) => name.endsWith(".md") && name !== "NOTICE.md"),
  ...filesBelow("docs", /\.md$/),
  ...filesBelow("examples", /\.(?:md|mjs)$/),
];

describe("words", () => {
  const found = (paths: readonly string[], textOf: (path: string) => string) =>
    paths.map((path) => [path, forbiddenIn(textOf(path))] as const).filter(([, terms]) => terms.length > 0);

  it("finds a forbidden term, but not in backticks", () => {
    expect(forbiddenIn("It is told by the score at a Glance, `tongue`, and the quotes bear it out.")).toEqual([
      "told by",
      "Glance",
      "bear it out",
    ]);
  });

  it("documents and examples use the terms of the glossary", () => {
    expect(PROSE.length).toBeGreaterThan(30);
    expect(found(PROSE, prose)).toEqual([]);
  });

  it("the labels of the web app use them", () => {
    expect(found(filesBelow("web", /\.tsx$/), read)).toEqual([]);
  });

  it("comments of the source use them", () => {
    expect(found(filesBelow("src", /\.ts$/), comments)).toEqual([]);
  });
});
