import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { configOf, withEngine } from "../open.ts";
import { showIngest } from "./ingest.ts";
import { untilAborted } from "./serve.ts";

interface DemoFlags {
  port?: string;
  domain: string;
}

export function addDemoCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  program
    .command("demo")
    .description("ingest a demo domain and serve it: the real path, on documents of our own")
    .option("--port <number>", "port (default 8787)")
    .option("--domain <name>", "demo domain", "veterans")
    .addHelpText("after", "\nExamples:\n  sourcebound demo\n  sourcebound demo --port 9000")
    .action(async ({ port, domain }: DemoFlags, command: Command) => {
      const config = configOf(context, command, { domain, "server.port": port === undefined ? undefined : Number(port) });
      await withEngine(context, config, async (engine) => {
        const { serveEngine } = await import("../../server/start.ts");
        const server = await serveEngine(engine, terminal.error);
        try {
          await showIngest(engine.ingestDomain(domain, signal), terminal, false);
          await engine.corpus(domain).sync({ signal });
          terminal.print(
            `\n${terminal.colors.bold("Sourcebound")} answers on ${terminal.colors.cyan(server.url)}\n\nThree questions to try:`,
          );
          for (const question of engine.domain(domain).examples.slice(0, 3))
            terminal.print(`  ${terminal.command} ask --domain ${domain} "${question}"`);
          terminal.print("\nCtrl-C stops.");
          await untilAborted(signal);
        } finally {
          await server.close();
        }
      });
    });
}
