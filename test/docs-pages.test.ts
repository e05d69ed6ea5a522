import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createLab } from "../lab/create-lab.ts";
import type { CliContext } from "../src/cli/context.ts";
import { createProgram, runProgram } from "../src/cli/run.ts";
import { createTerminal } from "../src/cli/terminal.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { commandOf, inlineCommands, PAGES, sectionsOf, shellLines, TUTORIALS, withoutComment } from "./support/docs.ts";
import { folderOfTest, writeIn } from "./support/folders.ts";
import { runLine } from "./support/run-example.ts";

describe("the pages of the docs", () => {
  const here = folderOfTest();

  it.each(TUTORIALS)("every block of %s runs as written", async (page) => {
    for (const { info, text } of sectionsOf(page).flatMap(([, blocks]) => blocks)) {
      const file = /title=(\S+)/.exec(info)?.[1];
      if (file !== undefined) writeIn(here.folder, file, text);
      else if (info === "sh") for (const line of text.split("\n").filter((one) => one.trim() !== "")) await runLine(line, here.folder);
      else expect(info).toBe("text");
    }
  });

  it.each(PAGES)("every link of %s leads to an existing file and heading", (page) => {
    const links = [...readFileSync(join(PACKAGE_ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?/g)];
    const broken = links.filter(([, to = "", anchor]) => {
      const path = to === "" ? join(PACKAGE_ROOT, page) : join(PACKAGE_ROOT, dirname(page), to);
      return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).has(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** Returns GitHub's anchors of a page's headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...readFileSync(path, "utf8").matchAll(/^#{1,6} (.+)$/gm)].map(([, text = ""]) => text);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Disables all actions of a command tree, so that it only parses command lines. */
function muted(command: Command): Command {
  for (const one of command.commands) muted(one);
  // A command group keeps its action, which prints help.
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

/** Subcommands of `./run` and of `scripts/test.sh`. */
const OF_THE_SCRIPT = new Set(["test", "help"]);

/** Extracts our commands from a shell line. */
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

/** Returns the command line's error for a command; empty if valid. */
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
// An ending in "…", or a bare name, represents a family of commands.
const inline = PAGES.flatMap((page) => [...new Set(inlineCommands(page))].map((command) => [page, command] as const)).filter(
  ([, command]) => !/…|\b[a-z-]+\|[a-z-]+/.test(command),
);

it("the pages contain examples", () => {
  expect(PAGES.length).toBeGreaterThan(20);
  expect([lines.length >= 60, inline.length >= 40]).toEqual([true, true]);
});

it.each(lines)("%s: the command line accepts %j", async (_, command) => {
  expect(await objection(command)).toBe("");
});

it.each(inline)("%s: the command line knows %j", async (_, command) => {
  // Prose may name a command without its required arguments.
  expect(await objection(command)).toMatch(/^$|^error: (?:missing required argument|required option)/);
});

it("./run in a clone accepts every command of the product", () => {
  const { commands } = createProgram(NO_CONTEXT);
  expect(commands.length).toBeGreaterThan(25);
  expect(commands.map((command) => command.name()).filter((name) => !knownToRun(name))).toEqual([]);
});
