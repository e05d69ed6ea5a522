import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Command } from "commander";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLab } from "../lab/create-lab.ts";
import type { CliContext } from "../src/cli/context.ts";
import { createProgram, runProgram } from "../src/cli/run.ts";
import { createTerminal } from "../src/cli/terminal.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { type FakeEndpoint, startFakeEndpoint } from "../src/testing/fake-endpoint.ts";
import { commandOf, inlineCommands, PAGES, sectionsOf, shellLines, withoutComment } from "./support/docs.ts";
import { runLine } from "./support/run-example.ts";

describe("docs-pages", () => {
  const PAGE = "docs/tutorials.md";

  let cwd = "";
  let endpoint: FakeEndpoint;
  beforeEach(async () => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), "docs-pages-")));
    endpoint = await startFakeEndpoint({ chat: () => ({ type: "stream", pieces: ["Books may be kept for 21 days [1]."] }) });
  });
  afterEach(async () => {
    await endpoint.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  type Sections = ReturnType<typeof sectionsOf>;

  async function runTutorial(_: string, blocks: Sections[number][1]): Promise<void> {
    for (const { info, text } of blocks) {
      const file = /title=(\S+)/.exec(info)?.[1];
      if (file !== undefined) {
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        writeFileSync(join(cwd, file), text.replace("http://127.0.0.1:11434/v1", endpoint.url));
      } else if (info === "sh") for (const line of text.split("\n").filter((one) => one.trim() !== "")) await runLine(line, cwd);
      else expect(info).toBe("a block that this test knows");
    }
  }

  /** Judges a whole golden set: `./run test` leaves it to `--all`. */
  const LONG = "A model";
  const tutorials = Map.groupBy(sectionsOf(PAGE), ([title]) => (title === LONG ? "long" : "short"));
  const long: Sections = tutorials.get("long") ?? [];
  it("the tutorial that is left to --all is there", () => expect(long).toHaveLength(1));
  it.each(tutorials.get("short") ?? [])("the tutorial %s runs as it stands", runTutorial, 300_000);
  it.each(long)("the tutorial %s runs as it stands", { tags: ["all/docs"] }, runTutorial);

  it.each(["docs/concepts.md", "docs/tutorials.md", "docs/security.md", "docs/measurements.md", "docs/golden.md", "README.md"])(
    "every link of %s leads to a file",
    (page) => {
      const links = [...readFileSync(join(PACKAGE_ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = ""]) => to);
      expect(links.length).toBeGreaterThan(0);
      expect(links.filter((to) => !existsSync(join(PACKAGE_ROOT, dirname(page), to)))).toEqual([]);
    },
  );
});

/** The same tree of commands that does nothing but take a command line apart. */
function muted(command: Command): Command {
  for (const one of command.commands) muted(one);
  // A command that only holds others keeps its own way: it prints its help.
  return command.commands.length === 0 ? command.action(() => undefined) : command;
}

const SILENT = {
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
  stdin: Readable.from([]),
  env: {},
  cwd: () => PACKAGE_ROOT,
};
const NO_CONTEXT: CliContext = {
  terminal: createTerminal(SILENT),
  process: SILENT,
  signal: new AbortController().signal,
  exitCode: 0,
};

async function accepts(args: readonly string[], create: (context: CliContext) => Command): Promise<string> {
  let said = "";
  const write = (text: string) => {
    said += text;
  };
  const code = await runProgram(args, { ...SILENT, stdout: { write }, stderr: { write } }, (context) => muted(create(context)));
  return code === 0 ? "" : said;
}

/** Commands of `sh scripts/test.sh` and of the script itself. */
const OF_THE_SCRIPT = new Set(["test", "help"]);

/** The commands of ours on a line of a shell. */
function commandsOn(line: string): string[] {
  return withoutComment(line)
    .split(/\s(?:\||&&)\s|\$\(|\)/)
    .map((part) => part.replace(/\s>\s*\S+/, "").trim())
    .filter((part) => /^(?:[A-Z_]+=\S+ )*(?:\.\/run|sourcebound) /.test(part));
}

const script = readFileSync(join(PACKAGE_ROOT, "run"), "utf8");
function knownToRun(command: string): boolean {
  return new RegExp(`[ |]${command}(?: [|]|[)])`).test(script);
}

/** What the command line says against a command; nothing when it takes it. */
async function objection(line: string): Promise<string> {
  const [program = "", command = "", ...rest] = commandOf(line).words;
  if (program === "./run") {
    if (OF_THE_SCRIPT.has(command)) return "";
    if (!knownToRun(command)) return `./run knows no "${command}"`;
    if (command === "lab") return accepts(rest, createLab);
    if (command === "ablate" || command === "eval" || command === "bench") return accepts([command, ...rest], createLab);
  }
  return accepts([command, ...rest], createProgram);
}

const lines = PAGES.flatMap((page) => shellLines(page).flatMap((line) => commandsOn(line).map((command) => [page, command] as const)));
// An ending in "…", or a name alone, stands for a family of commands.
const inline = PAGES.flatMap((page) => [...new Set(inlineCommands(page))].map((command) => [page, command] as const)).filter(
  ([, command]) => !/…|\b[a-z-]+\|[a-z-]+/.test(command),
);

it("the pages hold examples", () => {
  expect(PAGES.length).toBeGreaterThan(20);
  expect([lines.length >= 60, inline.length >= 40]).toEqual([true, true]);
});

it.each(lines)("%s: the command line takes %j", async (_, command) => {
  expect(await objection(command)).toBe("");
});

it.each(inline)("%s: the command line knows %j", async (_, command) => {
  // In a sentence a command may be named without what belongs to it.
  expect(await objection(command)).toMatch(/^$|^error: (?:missing required argument|required option)/);
});

it("whatever the product does, ./run does in a clone", () => {
  const { commands } = createProgram(NO_CONTEXT);
  expect(commands.length).toBeGreaterThan(25);
  expect(commands.map((command) => command.name()).filter((name) => !knownToRun(name))).toEqual([]);
});
