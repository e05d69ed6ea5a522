import type { Command } from "commander";
import type { JobEvent } from "../../engine/engine.ts";
import { type CliContext, EXIT } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";

interface WorkerFlags {
  once?: boolean;
  json?: boolean;
}

export function addWorkerCommand(program: Command, context: CliContext): void {
  program
    .command("worker")
    .description("read what was uploaded or left by `ingest --queue`, beside other workers")
    .option("--once", "end when nothing is queued")
    .option("--json", "one line of JSON for each job on stdout")
    .addHelpText(
      "after",
      `
Each job is done by one worker. The job of a worker that has not been heard of for a minute is done by another one.

Exit code: 0 all jobs done, 4 some failed.

Examples:
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound worker
  sourcebound worker --once --json`,
    )
    .action(async ({ once, json }: WorkerFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        if (once !== true) context.terminal.error("waiting for work: stop with Ctrl-C");
        for await (const event of engine.work({ once, signal: context.signal })) {
          if (event.type === "job-failed") context.exitCode = EXIT.partly;
          if (json === true) context.terminal.print(JSON.stringify(event));
          else if (event.type !== "job-start") context.terminal.print(harmlessLine(describe(event)));
        }
      });
    });
}

function describe({ type, domain, work, counts, reason }: JobEvent): string {
  const what = `${domain}: ${work.type === "folder" ? work.folder : `files uploaded with label "${work.label}"`}`;
  if (type === "job-failed") return `failed ${what}: ${reason}`;
  if (counts === null) return `read ${what}`;
  return `read ${what}: ${counts.added} added, ${counts.changed} changed, ${counts.deleted} deleted, ${counts.failed} failed`;
}
