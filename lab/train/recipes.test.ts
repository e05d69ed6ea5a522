import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/cli/run.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { createLab } from "../create-lab.ts";
import { RECIPES } from "./recipes.ts";

const OPTIONS = { data: "/data", extra: "/extra", work: "/work", date: "2026-01-01" };

describe("recipes of the shipped weights", () => {
  it("make every file of weights that ships", () => {
    const shipped = readdirSync(join(PACKAGE_ROOT, "src/models/weights")).filter((name) => name.endsWith(".json") || name.endsWith(".bin"));
    const made = RECIPES.flatMap(({ makes }) => makes);
    for (const name of shipped) expect(made).toContain(`src/models/weights/${name}`);
  });

  it.each(RECIPES.map((recipe) => [recipe.name, recipe] as const))(
    "%s: every program and every file that it makes is there",
    (_, recipe) => {
      for (const path of recipe.makes) expect(existsSync(join(PACKAGE_ROOT, path)), path).toBe(true);
      for (const { folder, command } of recipe.steps(OPTIONS)) {
        const script = command.find((word) => /\.(py|mjs|js)$/.test(word));
        if (script === undefined) continue;
        const source = script.replace(/^dist\//, "").replace(/\.js$/, ".ts");
        expect(existsSync(join(PACKAGE_ROOT, folder, source)), `${folder}/${source}`).toBe(true);
      }
    },
  );

  it.each(RECIPES.map((recipe) => [recipe.name, recipe] as const))(
    "%s: says which data are not there, and starts nothing",
    async (name, { needs }) => {
      const folder = mkdtempSync(join(tmpdir(), "sourcebound-train-"));
      try {
        const flags = ["--data", folder, "--extra", folder, "--work", join(folder, "work")];
        const wanted = [...needs.data, ...(needs.extra ?? [])];
        // What needs nothing would begin: it is only shown.
        const told: string[] = [];
        const terminal = { write: (text: string) => told.push(text) };
        const surroundings = { stdout: terminal, stderr: terminal, stdin: Readable.from([]), env: {}, cwd: () => folder };
        const code = await runProgram(["train", name, ...flags, ...(wanted.length === 0 ? ["--dry-run"] : [])], surroundings, createLab);
        expect(existsSync(join(folder, "work"))).toBe(false);
        expect(code).toBe(wanted.length === 0 ? 0 : 1);
        for (const set of wanted) expect(told.join("")).toContain(join(folder, set));
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it("come in an order in which what judges passages is made after what ranks them", () => {
    const at = (name: string) => RECIPES.findIndex((recipe) => recipe.name === name);
    expect(at("encoder")).toBeLessThan(at("reranker"));
    expect(at("reranker")).toBeLessThan(at("relevance"));
    expect(at("encoder")).toBeLessThan(at("calibration"));
    expect(at("relevance")).toBeLessThan(at("sufficiency"));
    // The reader learns from pieces that all of these bring up; what names the reader that it was learned with comes after it.
    for (const before of ["encoder", "reranker", "relevance", "sufficiency"]) expect(at(before)).toBeLessThan(at("reader"));
    for (const after of ["chooser", "crisis", "rewordings"]) expect(at("reader")).toBeLessThan(at(after));
  });
});

describe("README of each recipe", () => {
  const train = join(PACKAGE_ROOT, "lab/train");
  const folders = readdirSync(train, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const readme = (folder: string) => readFileSync(join(train, folder, "README.md"), "utf8");

  it.each(folders)("%s: what, data with licences, command, minutes, figures, in this order", (folder) => {
    const chapters = [...readme(folder).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(chapters.slice(0, 5)).toEqual(["What", "Data", "Command", "Minutes", "Figures"]);
    expect(readme(folder)).toMatch(/## Data\n[\s\S]*(?:MIT|Apache|CC|public domain)[\s\S]*## Command/);
  });

  it("names the one command for every recipe", () => {
    const all = folders.map(readme).join("\n");
    for (const { name } of RECIPES) expect(all).toContain(`./run lab train ${name} --data DATA`);
  });
});
