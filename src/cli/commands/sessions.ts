import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { configOf, withEngine } from "../open.ts";

export function addSessionsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  const sessions = program.command("sessions").description("conversations that later questions may refer to");
  sessions
    .command("purge")
    .description("delete expired sessions, expired answers of the cache and what is older than `retention` allows; `serve` does it hourly")
    .option("--json", "as JSON")
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      await withEngine(context, configOf(context, command), async ({ memory }) => {
        const purged = await memory.purge();
        const { sessions, cache, interactions, reports, audit } = purged;
        const text = `Deleted ${sessions} sessions, ${cache} cached answers, ${interactions} interactions, ${reports} reports, ${audit} rows of the audit log.`;
        terminal.print(json ? JSON.stringify(purged) : text);
      });
    });
}
