import { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import type { JobEvent } from "../../engine/engine.ts";
import type { Config } from "../../shared/config.ts";
import { define, toWhole } from "../command.ts";
import { type CliContext, configOf, EXIT, untilAborted, withEngine } from "../context.ts";
import { harmlessLine } from "../terminal.ts";
import { showIngest } from "./ingest.ts";

export const PORT = ["--port <number>", "port (default 8787)", { parse: toWhole }] as const;

export const addServeCommand = define("serve", {
  description: "start the HTTP server with API and web app",
  options: [PORT, ["--host <address>", "address to bind (default 127.0.0.1: this machine only)"]],
  help: `
Examples:
  sourcebound serve
  curl -s localhost:8787/v1/ask -H 'content-type: application/json' -d '{"question":"How long is the notice period?"}'`,
  async run({ flags: { port, host }, command, context }) {
    const config = configOf(context, command, { "server.port": port, "server.host": host });
    await withEngine(context, config, async (engine) => {
      const { serveEngine } = await import("../../server/start.ts");
      const server = await serveEngine(engine, context.terminal.error);
      context.terminal.print(`Listening on ${server.url}`);
      await untilAborted(context.signal);
      await server.close();
    });
  },
});

export const addDemoCommand = define("demo", {
  description: "ingest a demo domain with bundled documents and serve it",
  options: [PORT, ["--domain <name>", "demo domain", { default: "veterans" }]],
  run: ({ flags: { port, domain }, command, context }) =>
    serveDomain(domain, configOf(context, command, { domain, "server.port": port }), context),
});

/** Serves the web app for a domain and ingests its documents, until the command is interrupted. */
export function serveDomain(domain: string, config: Config, context: CliContext): Promise<void> {
  const { terminal, signal } = context;
  return withEngine(context, config, async (engine) => {
    const { serveEngine } = await import("../../server/start.ts");
    const server = await serveEngine(engine, terminal.error);
    try {
      await showIngest(engine.ingestDomain(domain, signal), terminal, false);
      await engine.corpus(domain).sync({ signal });
      const examples = await engine.suggestions({ domain });
      terminal.print(`\n${terminal.colors.bold("Sourcebound")} is running at ${terminal.colors.cyan(server.url)}`);
      if (examples.length > 0) terminal.print("\nQuestions to try:");
      for (const question of examples) terminal.print(harmlessLine(`  ${terminal.command} ask --domain ${domain} "${question}"`));
      terminal.print("\nPress Ctrl-C to stop.");
      await untilAborted(signal);
    } finally {
      await server.close();
    }
  });
}

export const addWorkerCommand = define("worker", {
  description: "ingest uploaded files and folders queued by `ingest --queue`; several workers can run at once",
  options: [
    ["--once", "process the queued jobs, then exit"],
    ["--json", "print one JSON line per job"],
  ],
  help: `
Each job is processed by one worker. If a worker is silent for a minute, another one takes over its job.

Exit code: 0 all jobs completed, 4 some failed.

Examples:
  DATABASE_URL=postgres://sourcebound@db/sourcebound sourcebound worker
  sourcebound worker --once --json`,
  async use(engine, { flags: { once, json }, context, terminal, signal }) {
    if (once !== true) terminal.error("waiting for jobs; press Ctrl-C to stop");
    for await (const event of engine.work({ once, signal })) {
      if (event.type === "job-failed") context.exitCode = EXIT.partly;
      if (json === true) terminal.print(JSON.stringify(event));
      else if (event.type !== "job-start") terminal.print(harmlessLine(describeJob(event)));
    }
  },
});

function describeJob({ type, domain, work, counts, reason }: JobEvent): string {
  const job = `${domain}: ${work.type === "folder" ? work.folder : `files uploaded with label "${work.label}"`}`;
  if (type === "job-failed") return `failed ${job}: ${reason}`;
  if (counts === null) return `read ${job}`;
  return `read ${job}: ${counts.added} added, ${counts.changed} changed, ${counts.deleted} deleted, ${counts.failed} failed`;
}

export const addMcpCommand = define("mcp", {
  description: "serve a Model Context Protocol client over standard input and output",
  options: [["--domain <name>", "domain that a call uses if it names none"]],
  help: `
Tools: ask, search, check_answer; every document is a resource. The program exits when its input ends and all requests are answered. Also available over
HTTP: POST /mcp of \`serve\`.

Examples:
  sourcebound mcp
  { "mcpServers": { "sourcebound": { "command": "sourcebound", "args": ["mcp"] } } }      for a client's settings`,
  async run({ flags: { domain }, command, context, terminal, signal }) {
    const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
    const { createMcpServer } = await import("../../server/mcp.ts");
    const { WITHOUT_KEY } = await import("../../server/access/caller.ts");
    const log = {
      error: (message: string, facts: Readonly<Record<string, unknown>>) => terminal.error(`${message} ${JSON.stringify(facts)}`),
    };
    const output = new Writable({
      write: (chunk, _, done) => {
        terminal.print(String(chunk).trimEnd());
        done();
      },
    });
    await withEngine(context, configOf(context, command, domain === undefined ? {} : { domain }), async (engine) => {
      const running = new Set<Promise<unknown>>();
      const input = Readable.from(untilAnswered(context.process.stdin, running));
      const transport = new StdioServerTransport(input, output);
      const served = serveStdio(() => createMcpServer({ engine, caller: WITHOUT_KEY, log, running }), {
        transport,
        onerror: (error) => log.error("mcp", { message: error.message }),
      });
      // A message that is too long closes the transport, but not the input, so wait for either.
      const closed = Promise.withResolvers<void>();
      const { onclose } = transport;
      transport.onclose = () => {
        onclose?.();
        closed.resolve();
      };
      await Promise.race([finished(input), closed.promise, untilAborted(signal)]);
      context.process.stdin.destroy();
      await served.close();
      // Cancelled calls use the engine until they end, so wait for them before the engine is closed.
      await Promise.allSettled(running);
    });
  },
});

/**
 * Yields the input, but ends only when every call is answered. If the input ended earlier, the transport would cancel the
 * running calls.
 */
async function* untilAnswered(input: AsyncIterable<Buffer>, running: ReadonlySet<Promise<unknown>>): AsyncGenerator<Buffer, void> {
  yield* input;
  // End the last line, in case it has no line break.
  yield Buffer.from("\n");
  do {
    await setImmediate();
    await Promise.allSettled(running);
  } while (running.size > 0);
}
