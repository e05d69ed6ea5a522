import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { configOf, withEngine } from "../open.ts";

export function addMcpCommand(program: Command, context: CliContext): void {
  program
    .command("mcp")
    .description("serve a program that speaks the Model Context Protocol, over standard input and output")
    .option("--domain <name>", "domain that is meant where a call names none")
    .addHelpText(
      "after",
      `
Tools: ask, search, check_answer; every document is a resource. It ends with its input, once what came in is answered. The same over HTTP: POST /mcp of \`serve\`.

Examples:
  sourcebound mcp
  sourcebound mcp --domain retail
  { "mcpServers": { "sourcebound": { "command": "sourcebound", "args": ["mcp"] } } }      for a client's settings`,
    )
    .action(async ({ domain }: { domain?: string }, command: Command) => {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const { createMcpServer } = await import("../../server/mcp.ts");
      const { createLineTransport } = await import("../../server/mcp-stdio.ts");
      const { WITHOUT_KEY } = await import("../../server/access/caller.ts");
      const { terminal, signal, process } = context;
      const log = {
        info: () => {},
        error: (message: string, facts: Readonly<Record<string, unknown>>) => terminal.error(`${message} ${JSON.stringify(facts)}`),
      };
      await withEngine(context, configOf(context, command, domain === undefined ? {} : { domain }), async (engine) => {
        const transport = createLineTransport(process.stdin, terminal.print);
        const running = new Set<Promise<unknown>>();
        const served = serveStdio(() => createMcpServer({ engine, caller: WITHOUT_KEY, log, running }), {
          transport,
          onerror: (error) => log.error("mcp", { message: error.message }),
        });
        await Promise.race([transport.done, abortOf(signal)]);
        await served.close();
        // What was told to stop needs the engine until it has.
        await Promise.allSettled(running);
      });
    });
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
