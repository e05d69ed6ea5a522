import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/cli/run.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { folderOfFile } from "../../test/support/folders.ts";
import { createLab } from "../create-lab.ts";
import { RECIPES } from "./recipes.ts";

const empty = folderOfFile();
const OPTIONS = { data: "/data", extra: "/extra", work: "/work", date: "2026-01-01" };

describe("recipes of the shipped weights", () => {
  it("make every file of weights that ships", () => {
    const shipped = readdirSync(join(PACKAGE_ROOT, "src/models/weights")).filter((name) => name.endsWith(".json") || name.endsWith(".bin"));
    const made = RECIPES.flatMap(({ makes }) => makes);
    for (const name of shipped) expect(made).toContain(`src/models/weights/${name}`);
  });

  it.each(RECIPES)("$name: every program and every file that it makes is there", (recipe) => {
    for (const path of recipe.makes) expect(existsSync(join(PACKAGE_ROOT, path)), path).toBe(true);
    for (const { folder, command } of recipe.steps(OPTIONS)) {
      const script = command.find((word) => /\.(py|mjs|js)$/.test(word));
      if (script === undefined) continue;
      const source = script.replace(/^dist\//, "").replace(/\.js$/, ".ts");
      expect(existsSync(join(PACKAGE_ROOT, folder, source)), `${folder}/${source}`).toBe(true);
    }
  });

  it.each(RECIPES)("$name: says which data are not there, and starts nothing", async ({ name, needs }) => {
    const flags = ["--data", empty, "--extra", empty, "--work", join(empty, "work")];
    const wanted = [...needs.data, ...(needs.extra ?? [])];
    // A recipe without needs would start, so it is only printed.
    const told: string[] = [];
    const terminal = { write: (text: string) => told.push(text) };
    const surroundings = { stdout: terminal, stderr: terminal, stdin: Readable.from([]), env: {}, cwd: () => empty };
    const code = await runProgram(["train", name, ...flags, ...(wanted.length === 0 ? ["--dry-run"] : [])], surroundings, createLab);
    expect(existsSync(join(empty, "work"))).toBe(false);
    expect(code).toBe(wanted.length === 0 ? 0 : 1);
    for (const set of wanted) expect(told.join("")).toContain(join(empty, set));
  });

  it("come in an order in which what learns from another comes after it", () => {
    const at = (name: string) => RECIPES.findIndex((recipe) => recipe.name === name);
    for (const after of ["calibration", "reader", "injection"]) expect(at("encoder")).toBeLessThan(at(after));
    expect(at("adapters")).toBeLessThan(at("cache"));
    for (const after of ["adapters", "ranking", "crisis"]) expect(at("reader")).toBeLessThan(at(after));
  });
});

/** Programs that may name golden sets, because they exclude them from training. */
const GUARDS = ["reader/check_leaks.py", "reader/read-folders.ts", "encoder/datasets.py"];

/**
 * Matches a golden set of the data folder: `va-golden`, `golden/NAME`, or the word alone in a path. Imports of modules such as
 * `grade/golden.ts` do not match, because no slash or quotation mark follows the word.
 */
const GOLDEN = /va-golden|\bgolden\/|["'`/]golden["'`]/;
/** Matches access to all sets of the data folder, including golden ones; sets unpacked elsewhere are allowed. */
const ALL_SETS = /(?:find|choose)GoldenSets\([^;]*\bdata\b/;

describe("golden sets, on which nothing is learned or chosen", () => {
  const train = join(PACKAGE_ROOT, "lab/train");
  const programs = readdirSync(train, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:py|mjs|ts)$/.test(path) && !path.endsWith(".test.ts") && !/(?:^|\/)(?:\.venv|work|extra)\//.test(path))
    .filter((path) => !GUARDS.includes(path));

  it.each(programs)("%s names none", (path) => {
    const source = readFileSync(join(train, path), "utf8");
    expect(source).not.toMatch(GOLDEN);
    expect(source).not.toMatch(ALL_SETS);
  });

  it.each(RECIPES)("$name needs none and hands none to a program", ({ needs, steps }) => {
    const words = [...needs.data, ...steps(OPTIONS).flatMap(({ command }) => command)].map((word) => `${word}/`);
    for (const word of words) expect(word).not.toMatch(GOLDEN);
  });

  it("a threshold is chosen on the validation part, which is unpacked before", () => {
    const choosing = RECIPES.filter((recipe) => recipe.steps(OPTIONS).some(({ command }) => command.includes("--validation")));
    expect(choosing.map(({ name }) => name)).toEqual(["ranking"]);
    for (const recipe of choosing) {
      const commands = recipe.steps(OPTIONS).map(({ command }) => command.join(" "));
      expect(commands[1]).toMatch(/collections unpack \/work\/validation --part validation --pages \/data\/collections$/);
      expect(commands.filter((one) => one.includes("--validation "))).toEqual([expect.stringContaining("--validation /work/validation ")]);
    }
  });
});

describe("README of each recipe", () => {
  const train = join(PACKAGE_ROOT, "lab/train");
  const folders = readdirSync(train, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const readme = (folder: string) => readFileSync(join(train, folder, "README.md"), "utf8");

  it("names the one command for every recipe", () => {
    const all = folders.map(readme).join("\n");
    for (const { name } of RECIPES) expect(all).toContain(`./run lab train ${name} --data DATA`);
  });
});
