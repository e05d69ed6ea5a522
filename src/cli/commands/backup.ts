import type { Command } from "commander";
import { type CliContext, pathOf } from "../context.ts";
import { configOf } from "../open.ts";

export function addBackupCommands(program: Command, context: CliContext): void {
  program
    .command("backup")
    .description("write every record into one file, as it is at one moment")
    .argument("<file>", "the file to write; readable by its owner alone")
    .option("--json", "the counts as JSON on stdout")
    .addHelpText(
      "after",
      `
The file holds texts, questions, hashes of keys and the key of proofs: protect it like the database. The index is left out, for it is made again.

Examples:
  sourcebound backup sourcebound-2026-11-22.gz
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound backup nightly.gz --json`,
    )
    .action(async (file: string, { json }: { json?: boolean }, command: Command) => {
      const { backup } = await import("../../engine/backup.ts");
      const { rows, files } = await backup(configOf(context, command), pathOf(context, file), new Date());
      context.terminal.print(json === true ? JSON.stringify({ rows, files }) : `${rows} rows and ${files} files are in ${file}`);
    });

  program
    .command("restore")
    .description("put a backup into an empty database: a file, or PostgreSQL")
    .argument("<file>", "what `backup` wrote, with this version or an older one")
    .option("--json", "the counts as JSON on stdout")
    .addHelpText(
      "after",
      `
Restored into PostgreSQL, a backup of a data folder moves an installation there: DATABASE_URL says where. Without it, a backup
of PostgreSQL becomes a data folder.

Examples:
  sourcebound restore nightly.gz --data-dir ./restored
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound restore laptop.gz`,
    )
    .action(async (file: string, { json }: { json?: boolean }, command: Command) => {
      const { restore } = await import("../../engine/backup.ts");
      const { rows, files } = await restore(configOf(context, command), pathOf(context, file));
      context.terminal.print(json === true ? JSON.stringify({ rows, files }) : `${rows} rows and ${files} files were restored`);
    });
}
