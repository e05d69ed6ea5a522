import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { configOf, withEngine } from "../open.ts";

interface ServeFlags {
  port?: string;
  host?: string;
}

export function addServeCommand(program: Command, context: CliContext): void {
  program
    .command("serve")
    .description("answer over HTTP, with one page to ask from")
    .option("--port <number>", "port (default 8787)")
    .option("--host <address>", "address to bind (default 127.0.0.1: this machine only)")
    .addHelpText(
      "after",
      `
Examples:
  sourcebound serve
  sourcebound serve --port 9000
  curl -s localhost:8787/v1/ask -H 'content-type: application/json' -d '{"question":"How is sleep apnea with a CPAP machine rated?"}'`,
    )
    .action(async ({ port, host }: ServeFlags, command: Command) => {
      const config = configOf(context, command, { "server.port": port === undefined ? undefined : Number(port), "server.host": host });
      await withEngine(context, config, async (engine) => {
        const { serveEngine } = await import("../../server/start.ts");
        const server = await serveEngine(engine, context.terminal.error);
        context.terminal.print(`Listening on ${server.url}`);
        await untilAborted(context.signal);
        await server.close();
      });
    });
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
