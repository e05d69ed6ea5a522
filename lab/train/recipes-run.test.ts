import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { folderOfTest } from "../../test/support/folders.ts";
import { isHeldOut } from "./cache/pair-rows.ts";
import { RECIPES, type Recipe, type Step } from "./recipes.ts";

const WEIGHTS = "src/models/weights";
const WRITTEN = "lab/sets/written";

const here = folderOfTest();
beforeEach(() => {
  for (const name of ["data", "extra", "work"]) mkdirSync(join(here.folder, name));
});

const optionsIn = (root: string) => ({
  data: join(root, "data"),
  extra: join(root, "extra"),
  work: join(root, "work"),
  date: "2026-01-01",
});

/** A written collection of one page. */
const HALL = [
  {
    type: "page",
    path: "pages/hours.md",
    text: "# The hall\n\nThe hall opens at nine in the morning. A ticket for the hall costs 5 dollars.\n\nDogs wait outside the hall.\n",
  },
  ...[
    ["a1", "When does the hall open?", "The hall opens at nine in the morning."],
    ["a2", "What does a ticket for the hall cost?", "A ticket for the hall costs 5 dollars."],
  ].map(([id, question, quote]) => ({ type: "answerable", id, question, gold_pages: ["pages/hours.md"], gold_quotes: [quote] })),
  { type: "unanswerable", id: "u1", question: "What does a ticket for dogs cost?", kind: "near_miss" },
  { type: "pair", id: "p1", a: "When does the hall open?", b: "At what time does the hall open?", same_answer: true, kind: "light" },
  { type: "pair", id: "p2", a: "When does the hall open?", b: "When does the hall close?", same_answer: false, kind: "near" },
];

/** Returns the steps of a recipe that need no Python, with outputs redirected to the test's folder. */
function nodeSteps(recipe: Recipe): Step[] {
  const steps = recipe.steps(optionsIn(here.folder)).filter(({ command }) => command[0] === "node" && !command.includes(WRITTEN));
  return steps.map((step) => ({
    ...step,
    command: step.command.map((word) => (word.startsWith(WEIGHTS) ? join(here.folder, "made.json") : word)),
  }));
}

interface Ended {
  readonly code: number;
  readonly told: string;
}

function start({ folder: from, command }: Step): Promise<Ended> {
  return new Promise((ended) => {
    execFile(process.execPath, command.slice(1), { cwd: join(PACKAGE_ROOT, from) }, (error, stdout, stderr) =>
      ended({ code: error === null ? 0 : Number(error.code), told: stdout + stderr }),
    );
  });
}

const recipe = (name: string) => RECIPES.find((one) => one.name === name) as Recipe;
const parsed = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** Reduces a weights file to its keys and list lengths. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((one) => Number.isFinite(one)) ? value.length : value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
}

describe("recipes, started", { tags: ["all/training"], timeout: 3_600_000 }, () => {
  const startFew = async (name: string) => {
    mkdirSync(join(here.folder, "data", "clinc150"));
    const everyday = ["what is the weather in", "book a table for two in", "how do i get to", "play some music from"];
    const rows = everyday.flatMap((text) =>
      ["rome", "oslo", "lima", "kyoto", "cairo", "quito", "perth"].map((place) => ({ text: `${text} ${place}` })),
    );
    writeFileSync(join(here.folder, "data", "clinc150", "clinc150.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const [fit] = nodeSteps(recipe(name));
    const { folder: from, command } = fit as Step;
    const { code, told } = await start({ folder: from, command: [...command, "--few", "60"] });
    expect([code, told]).toEqual([0, expect.stringContaining(`everyday 0 of ${rows.length}`)]);
    expect(shapeOf(parsed(join(here.folder, "made.json")))).toEqual(shapeOf(parsed(join(PACKAGE_ROOT, WEIGHTS, `${name}.json`))));
    return told;
  };
  it.each([
    ["crisis", /possible \(read from .*?: found (\d+) of (\d+); near misses (\d+) of (\d+)/],
    ["injection", /from 0.8: found (\d+) of (\d+); hard negatives (\d+) of (\d+)/],
  ] as const)(
    "%s: made rows become weights of the shape that ships, which find more positives than they mistake others",
    async (name, row) => {
      const line = row.exec(await startFew(name)) ?? [];
      const [found, positives, mistaken, others] = line.slice(1).map(Number) as [number, number, number, number];
      expect(found / positives).toBeGreaterThan(name === "crisis" ? 0.5 : mistaken / others);
      expect(mistaken / others).toBeLessThan(0.25);
    },
  );

  it("programs that read the written collections make rows of one", async () => {
    const written = join(here.folder, "written");
    const name = Array.from({ length: 50 }, (_, i) => `hall${i}`).find(isHeldOut) as string;
    mkdirSync(written);
    writeFileSync(join(written, `${name}.jsonl`), HALL.map((row) => `${JSON.stringify(row)}\n`.replace('":', '": ')).join(""));
    const steps = RECIPES.flatMap((one) => one.steps(optionsIn(here.folder))).filter(({ command }) => command.includes(WRITTEN));
    const asked = new Set<string>();
    for (const { folder: from, command } of steps) {
      const [, program = ""] = command;
      if (asked.has(program)) continue;
      asked.add(program);
      const own = command.map((word) => (word === WRITTEN ? written : word));
      const { code, told } = await start({ folder: from, command: own });
      expect([program, code, told]).toEqual([program, 0, expect.stringContaining(name)]);
      // On such a short page there may be no candidates or pairs.
      const size = statSync(own[own.indexOf("--out") + 1] as string).size;
      if (program.endsWith("dump.js")) expect(size).toBeGreaterThan(0);
    }
    expect([...asked].map((program) => basename(program, ".js")).sort()).toEqual(["dump", "pairs"]);
  });

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  it.skipIf(!hasPython).each(RECIPES)("$name: every Python program of it is read", (one) => {
    const check = "import ast, sys; [ast.parse(open(name).read(), name) for name in sys.argv[1:]]";
    const programs = one
      .steps(optionsIn(here.folder))
      .flatMap(({ folder: from, command }) => command.filter((word) => word.endsWith(".py")).map((word) => join(from, word)));
    const read = spawnSync("python3", ["-c", check, ...programs], { cwd: PACKAGE_ROOT, encoding: "utf8" });
    expect(read).toMatchObject({ status: 0, stderr: "" });
  });

  // A program parses its options and loads its imports before it looks for its data.
  it.each(RECIPES.filter((one) => !["crisis", "injection"].includes(one.name) && nodeSteps(one).length > 0))(
    "$name: every program of it that needs no Python starts, and asks for its data",
    async (one) => {
      for (const step of nodeSteps(one)) {
        const { code, told } = await start(step);
        expect([step.command.join(" "), code, told]).toEqual([step.command.join(" "), 1, expect.stringContaining(here.folder)]);
      }
    },
  );
});

describe("options of the recipes' programs", () => {
  it.each(RECIPES)("$name: each program knows every option that it is given", (one) => {
    for (const { folder: from, command } of one.steps({ data: "/data", extra: "/extra", work: "/work", date: "2026-01-01" })) {
      const [, main, subcommand] = command;
      const program = command.find((word) => /^lab.*\.mjs$|^dist.*\.js$|^[^/]*\.(?:py|mjs)$/.test(word));
      const script = main === "dist/lab/main.js" ? `lab/commands/${subcommand}.ts` : program;
      if (script === undefined || command.includes("install")) continue;
      const source = readFileSync(join(PACKAGE_ROOT, from, script.replace(/^dist\//, "").replace(/\.js$/, ".ts")), "utf8");
      for (const option of command.filter((word) => /^--[a-z]/.test(word))) {
        const name = option.slice(2);
        const known = [`add_argument("--${name}"`, ` ${name}: {`, ` "${name}": {`, `"--${name} <`].some((written) =>
          source.includes(written),
        );
        expect([script, option, known]).toEqual([script, option, true]);
      }
    }
  });
});
