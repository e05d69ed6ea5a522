import type { Command } from "commander";
import { define, JSON_OUT } from "../command.ts";
import { type CliContext, configOf, pathOf } from "../context.ts";

export function addBackupCommands(program: Command, context: CliContext): void {
  const print = ({ rows, files }: { rows: number; files: number }, json: boolean | undefined, where: string) =>
    context.terminal.print(json === true ? JSON.stringify({ rows, files }) : `${rows} rows and ${files} files ${where}`);
  define(program, context, "backup", {
    description: "write every record into one file, as it is at one moment",
    argument: ["<file>", "the file to write; readable by its owner alone"],
    options: [JSON_OUT],
    help: `
The file holds texts, questions, hashes of keys and the key of proofs: protect it like the database. The index is left out, for it is made again.

Examples:
  sourcebound backup sourcebound-2026-11-22.gz
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound backup nightly.gz --json`,
    async run({ flags: { json }, given, command }) {
      const { backup } = await import("../../engine/backup.ts");
      print(await backup(configOf(context, command), pathOf(context, given), new Date()), json, `are in ${given}`);
    },
  });
  define(program, context, "restore", {
    description: "put a backup into an empty database: a file, or PostgreSQL",
    argument: ["<file>", "what `backup` wrote, with this version or an older one"],
    options: [JSON_OUT],
    help: `
Restored into PostgreSQL, a backup of a data folder moves an installation there: DATABASE_URL says where. Without it, a backup
of PostgreSQL becomes a data folder.

Examples:
  sourcebound restore nightly.gz --data-dir ./restored
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound restore laptop.gz`,
    async run({ flags: { json }, given, command }) {
      const { restore } = await import("../../engine/backup.ts");
      print(await restore(configOf(context, command), pathOf(context, given)), json, "were restored");
    },
  });
}
