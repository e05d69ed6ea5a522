import { Readable } from "node:stream";
import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/run.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import { cell, markdownTable } from "./schema-table.ts";

const NOWHERE = {
  stdout: { write: () => undefined },
  stderr: { write: () => undefined },
  stdin: Readable.from([]),
  env: {},
  cwd: () => ".",
};

/** Commands by the heading under which the page lists them. A new command fails the generator until it has a place. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Ask and check": ["ask", "check", "citations", "replay", "prove"],
  Documents: ["ingest", "documents", "conflicts", "worker"],
  Serve: ["serve", "demo", "mcp", "keys"],
  "What is stored": ["cache", "reports", "review", "stats", "sessions", "forget", "backup", "restore"],
  "Set up and measure": ["new-domain", "doctor", "calibrate", "eval", "experiments", "profiles", "models"],
};

/** Options that the page explains once. */
const COMMON: Readonly<Record<string, string>> = {
  "--json": "print JSON",
  "--domain <name>": "domain to use",
  "--by <name>": "your name, for the audit log",
};

/** Every command with its options, by groups. */
export function commandTables(): string {
  const context: CliContext = {
    terminal: createTerminal(NOWHERE),
    process: NOWHERE,
    signal: new AbortController().signal,
    exitCode: 0,
  };
  const { commands } = createProgram(context);
  const grouped = Object.values(GROUPS).flat();
  const missing = commands.map((command) => command.name()).filter((name) => !grouped.includes(name));
  if (missing.length > 0) throw new Error(`These commands have no group in lab/docs/cli-table.ts: ${missing.join(", ")}.`);
  return Object.entries(GROUPS)
    .map(([title, names]) => {
      const rows = names.flatMap((name) => commands.filter((command) => command.name() === name).flatMap((command) => rowsOf(command, "")));
      return `### ${title}\n\n${markdownTable(["command or option", "meaning"], rows)}`;
    })
    .join("\n\n");
}

function rowsOf(command: Command, parents: string): string[][] {
  const name = `${parents}${command.name()}`;
  const given = command.registeredArguments.map((one) => (one.required ? ` <${dotted(one)}>` : ` [${dotted(one)}]`)).join("");
  const own = [
    [`**\`${name}${given}\`**`, cell(command.description())],
    ...command.options
      .filter(({ flags, description }) => COMMON[flags] !== description)
      .map((option) => {
        const choices = option.argChoices === undefined ? "" : ` (${option.argChoices.join(", ")})`;
        // The default of `--by` is the user of the machine.
        const standard = option.defaultValue === undefined || option.long === "--by" ? "" : `; default \`${String(option.defaultValue)}\``;
        return [`\`${option.flags}\``, cell(`${option.description}${choices}${standard}`)];
      }),
  ];
  return [...own, ...command.commands.filter((one) => one.name() !== "help").flatMap((one) => rowsOf(one, `${name} `))];
}

function dotted(argument: { name(): string; readonly variadic: boolean }): string {
  return argument.variadic ? `${argument.name()}...` : argument.name();
}
