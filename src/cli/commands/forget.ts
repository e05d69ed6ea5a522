import type { Command } from "commander";
import { RequestError } from "../../errors.ts";
import { forgetTargetOf } from "../../wire/memory.ts";
import { type CliContext, EXIT } from "../context.ts";
import { configOf, withEngine } from "../open.ts";
import { toTime } from "../to-count.ts";
import { userName } from "../user-name.ts";

interface ForgetFlags {
  session?: string;
  user?: string;
  question?: string;
  before?: string;
  all?: true;
  yes?: boolean;
  by?: string;
  json?: boolean;
}

export function addForgetCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("forget")
    .description(
      "delete what is remembered of questions: interactions, cached answers, sessions, verdicts, reports, vectors; documents stay",
    )
    .option("--session <id>", "of this session")
    .option("--user <id>", "of this user")
    .option("--question <text>", "every time this was asked")
    .option("--before <date>", "everything that was stored before", toTime)
    .option("--all", "everything, corrections included")
    .option("--yes", "do it; without it, only what would go is counted")
    .option("--by <name>", "who acts, for the audit log")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
The audit log keeps that it was done, by whom and how much, none of the words. The files are written anew, so that nothing
deleted is left in them; of PostgreSQL the tables, while its log, replicas and backups are the administrator's. Backups are yours to see to. A correction stays, without the question that it answers, unless --question or --all.

Examples:
  sourcebound forget --session 3f0c… --yes
  sourcebound forget --question "How is tinnitus rated?"
  sourcebound forget --before 2026-01-01 --yes --json`,
    )
    .action(async (flags: ForgetFlags, command: Command) => {
      const { session, user, question, before, all } = flags;
      if ([session, user, question, before, all].filter((one) => one !== undefined).length !== 1) {
        throw new RequestError("forget_nothing", "Name exactly one of --session, --user, --question, --before and --all.");
      }
      const target = forgetTargetOf({ session_id: session, user_id: user, question, before, all });
      await withEngine(context, configOf(context, command), async ({ memory }) => {
        const report = await memory.forget(target, { by: flags.by ?? userName(), dryRun: flags.yes !== true });
        const { scrubbed, left, ...counts } = report;
        const listed = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
        if (flags.json) terminal.print(JSON.stringify(report));
        else terminal.print(`${scrubbed === null ? "Would delete" : "Deleted"}: ${listed.join(", ")}.`);
        if (scrubbed === null) terminal.error("Nothing was deleted: run it again with --yes.");
        if (left !== null) {
          terminal.error(left);
          context.exitCode = EXIT.partly;
        }
      });
    });
}
