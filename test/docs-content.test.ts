import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { STATUS_OF_CODE } from "../src/server/error-response.ts";
import { refusalSchema } from "../src/shared/types/answer.ts";
import { PAGES } from "./support/docs.ts";

const read = (path: string) => readFileSync(join(PACKAGE_ROOT, path), "utf8");
const linesIn = (path: string) => read(path).trimEnd().split("\n").length;
const DOCS = PAGES.filter((page) => page.startsWith("docs/"));

describe("sizes", () => {
  it("the docs have an index and at most 22 pages of at most 250 lines", () => {
    expect(DOCS).toContain("docs/README.md");
    expect(DOCS.length).toBeLessThanOrEqual(23);
    expect(DOCS.filter((page) => linesIn(page) > 250)).toEqual([]);
  });

  it("the README has at most two screens, DESIGN and CONTRIBUTING at most 150 lines", () => {
    for (const [page, most] of Object.entries({ "README.md": 100, "DESIGN.md": 150, "CONTRIBUTING.md": 150 }))
      expect(linesIn(page), page).toBeLessThanOrEqual(most);
  });

  it("a name that a page ascribes to a source file is in that file", () => {
    const places = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`(\w+)` (?:of|in) \[`[^`]+`\]\(([^)#]+\.tsx?)\)/g)].map(
        ([, name = "", file = ""]) => [name, join(dirname(page), file)] as const,
      ),
    );
    expect(places.length).toBeGreaterThan(4);
    expect(places.filter(([name, file]) => !read(file).includes(name))).toEqual([]);
  });

  it("CONTRIBUTING imports what the source exports", () => {
    const imports = [...read("CONTRIBUTING.md").matchAll(/Write `([^`]+)`(.*?)(?=\n\d\. |\n## )/gs)].flatMap(
      ([, file = "", example = ""]) =>
        [...example.matchAll(/import (?:type )?\{ ([^}]+) \} from "(\.[^"]+)"/g)].flatMap(([, names = "", from = ""]) =>
          names.split(", ").map((name) => [name.replace("type ", ""), join(dirname(file), from)] as const),
        ),
    );
    expect(imports.length).toBeGreaterThan(4);
    expect(imports.filter(([name, file]) => !new RegExp(`export .*\\b${name}\\b`).test(read(file)))).toEqual([]);
  });

  it("the index links to every page", () => {
    const index = read("docs/README.md");
    expect(DOCS.filter((page) => page !== "docs/README.md" && !index.includes(`](${page.slice(5)})`))).toEqual([]);
  });

  it("a changelog entry has at most 25 words, and 0.1.0 at most 60 entries", () => {
    const [, ...versions] = read("CHANGELOG.md").split(/^## /m);
    const entries = versions.map((version) => [version.split("\n")[0], version.match(/^- .+$/gm) ?? []] as const);
    expect(entries.map(([version]) => version)).toEqual(["Unreleased", "0.1.0"]);
    expect(entries[1]?.[1].length).toBeLessThanOrEqual(60);
    expect(entries.flatMap(([, all]) => all).filter((entry) => entry.slice(2).split(/\s+/).length > 25)).toEqual([]);
  });
});

describe("figures", () => {
  /** Counts, shares, metrics and dates of measurements. 95 % is excluded: it is the level of the intervals. */
  const FIGURE = /\d of \d|\d+(?:\.\d+)? ?%|\b(?:AUROC|nDCG)(?:@\d+)? (?:of )?\d*\.\d|\b2026-\d\d-\d\d\b/g;
  const figuresIn = (page: string) => {
    const prose = read(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
      .replaceAll(/`[^`\n]*`/g, "");
    return (prose.match(FIGURE) ?? []).filter((figure) => figure !== "95 %");
  };

  it.each([...PAGES, "DESIGN.md", "SECURITY.md", "examples/README.md"].filter((page) => page !== "docs/accuracy.md"))(
    "%s contains no figures: these are on the accuracy page",
    (page) => expect(figuresIn(page)).toEqual([]),
  );

  it("each section of the accuracy page names a command or a data set", () => {
    expect(figuresIn("docs/accuracy.md").length).toBeGreaterThan(50);
    const [, ...sections] = read("docs/accuracy.md").split(/^## /m);
    expect(sections.filter((section) => !/`(?:\.\/run|npx|SOURCEBOUND)/.test(section))).toEqual([]);
  });
});

/** Reads the TypeScript files below folders of `src`, without tests. */
function sourcesOf(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, "src", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/\.test\.|testing\//.test(name))
      .map((name) => read(join("src", folder, name))),
  );
}

/** Returns the distinct matches of a pattern with one group. */
function foundIn(sources: readonly string[], pattern: RegExp): string[] {
  return [...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, code = ""]) => code)))].sort();
}

/** Returns codes in the first column of the table below a heading. */
function codesBelow(page: string, heading: string): Set<string> {
  const section =
    read(page)
      .split(new RegExp(`^#+ ${heading}$`, "m"))[1]
      ?.split(/^## /m)[0] ?? "";
  const cells = section.match(/^\| `[^|]+\|/gm) ?? [];
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([a-z_-]+)`/g)].map(([, code = ""]) => code)));
}

describe("lists of the reference", () => {
  it("the answer page explains every refusal reason", () => {
    expect([...codesBelow("docs/answer.md", "Refusal reasons")].sort()).toEqual([...refusalSchema.shape.reason.options].sort());
  });

  it("the answer page explains every warning, and no other", () => {
    const listed = codesBelow("docs/answer.md", "Warnings");
    const stages = foundIn(sourcesOf("evidence", "pipeline", "writing", "guard", "engine"), /\bcode: "([a-z_]+)"/g);
    const notWarnings = ["custom", "crisis_corrupt"];
    expect(stages.filter((code) => !listed.has(code) && !notWarnings.includes(code) && !code.startsWith("config_"))).toEqual([]);
    const all = sourcesOf(".").join("\n");
    expect([...listed].filter((code) => !all.includes(`"${code}"`))).toEqual([]);
  });

  it("the answer page explains every check, and no other", () => {
    const sources = sourcesOf("checks", "pipeline");
    const found = foundIn(
      sources,
      /(?:finding\(\s*|name: )"([a-z-]+)",\s*(?:verdict: )?(?:"(?:pass|repaired|warn|fail)"|\w+ ===? |\w+ \? |\w+ < |verdict|exact|used|score|mode|low)/g,
    );
    const listed = codesBelow("docs/answer.md", "Checks");
    expect(found.filter((name) => !listed.has(name))).toEqual([]);
    const all = sources.join("\n");
    expect([...listed].filter((name) => !all.includes(`"${name}"`))).toEqual([]);
    expect(found.length).toBeGreaterThan(18);
  });

  it("the troubleshooting page has cause and fix for every error code", () => {
    const thrown = foundIn(sourcesOf("."), /new \w*Error\(\s*"([a-z_]+)"/g);
    const text = read("docs/troubleshoot.md");
    const missing = [...new Set([...thrown, ...Object.keys(STATUS_OF_CODE)])].filter((code) => !text.includes(`\`${code}\``));
    expect(missing).toEqual([]);
    expect(thrown.length).toBeGreaterThan(150);
  });

  it("the formats page explains every notice about a file", () => {
    const found = foundIn(sourcesOf("ingest"), /\{ code: "([a-z_]+)", message|\bcode: "([a-z_]+)",\s*message/g).filter(
      (code) => code !== "",
    );
    const listed = codesBelow("docs/formats.md", "Left out, and reported");
    expect(found.filter((code) => !listed.has(code) && !["parse_failed", "folder_unreadable"].includes(code))).toEqual([]);
  });
});
