import type { BackupResult } from "../../engine/backup.ts";
import { define, JSON_OUT } from "../command.ts";
import { type CliContext, configOf, pathOf } from "../context.ts";

export const addBackupCommand = define("backup", {
  description: "back up everything that is stored (except the search index) to one file, as a consistent snapshot",
  argument: ["<file>", "file to write; only its owner can read it"],
  options: [JSON_OUT],
  help: `
The file contains texts, questions, key hashes and the private key for proofs: protect it like the database. The index is not
included, because it can be rebuilt.

Examples:
  sourcebound backup sourcebound-2026-11-22.gz
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound backup nightly.gz --json`,
  async run({ flags: { json }, given, command, context }) {
    const { backup } = await import("../../engine/backup.ts");
    const copied = await backup(configOf(context, command), pathOf(context, given), new Date());
    print(context, copied, json, `written to ${given}`);
  },
});

export const addRestoreCommand = define("restore", {
  description: "restore a backup into an empty data folder or an empty PostgreSQL database",
  argument: ["<file>", "file that `backup` wrote, in this version or an older one"],
  options: [JSON_OUT],
  help: `
With DATABASE_URL, the backup is restored into PostgreSQL, even if it was made from a data folder. Without it, the backup is restored
into a data folder, even if it was made from PostgreSQL.

Examples:
  sourcebound restore nightly.gz --data-dir ./restored
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound restore laptop.gz`,
  async run({ flags: { json }, given, command, context }) {
    const { restore } = await import("../../engine/backup.ts");
    print(context, await restore(configOf(context, command), pathOf(context, given)), json, "restored");
  },
});

function print({ terminal }: CliContext, { rows, files }: BackupResult, json: boolean | undefined, outcome: string): void {
  terminal.print(json === true ? JSON.stringify({ rows, files }) : `${rows} database rows and ${files} files ${outcome}`);
}
