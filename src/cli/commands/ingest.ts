import type { Command } from "commander";
import type { EmbeddingCost, IngestEvent } from "../../events.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import type { Terminal } from "../terminal.ts";

interface IngestFlags {
  json?: boolean;
  domain?: string;
  tenant?: string;
  source?: string;
  access?: string;
  root?: string;
  baseUrl?: string;
  allowEmpty?: boolean;
}

export function addIngestCommand(program: Command, context: CliContext): void {
  program
    .command("ingest")
    .description("read a folder of documents: new and changed files are taken in, vanished ones go")
    .argument("<folder>", "markdown, text, HTML or JSON chunks; subfolders too")
    .option("--domain <name>", "body of knowledge that they belong to")
    .option("--tenant <name>", "only this party inside the domain may see them")
    .option("--access <label>", "access label of documents that state none")
    .option("--base-url <url>", "address under which `a/b.md` is served as `a/b/`")
    .option("--root <folder>", "paths of documents are relative to this folder instead")
    .option("--source <name>", "name of the origin; files that vanish are deleted inside one source (default: the folder)")
    .option("--allow-empty", "take the folder as it is even if it holds no document any more")
    .option("--json", "the summary as JSON on stdout")
    .addHelpText(
      "after",
      `
Exit code: 0 all files read, 4 some could not be read (the rest is in), 1 failed, 2 wrong usage.

Examples:
  sourcebound ingest ./documents
  sourcebound ingest ./handbook --domain retail --tenant novamart --base-url https://help.example.com`,
    )
    .action(async (folder: string, flags: IngestFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const { json, root, ...options } = flags;
        const events = engine.ingest(pathOf(context, folder), { ...options, root: pathOf(context, root), signal: context.signal });
        const failed = await showIngest(events, context.terminal, json === true);
        if (failed > 0) context.exitCode = EXIT.partly;
      });
    });
}

/** Names of skipped files shown; all of them are counted by kind. */
const SKIPPED_NAMES = 20;

function describeUnread(unread: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(unread).map(([kind, n]) => `${n} ${kind}`);
  return kinds.length === 0 ? "" : `; not read, because of their kind: ${kinds.join(", ")}`;
}

/** Shows the events of an ingest; returns how many files failed. */
export async function showIngest(events: AsyncIterable<IngestEvent>, terminal: Terminal, json: boolean): Promise<number> {
  const begun = Date.now();
  let failed = 0;
  let embedFailure: string | null = null;
  const failures: { path: string; code: string; reason: string }[] = [];
  for await (const event of events) {
    switch (event.type) {
      case "scan-end":
        for (const { path, reason } of event.skipped.slice(0, SKIPPED_NAMES)) terminal.error(harmlessLine(`skipped ${path}: ${reason}`));
        if (event.skipped.length > SKIPPED_NAMES) terminal.error(`skipped ${event.skipped.length - SKIPPED_NAMES} more files`);
        break;
      case "document": {
        const { done, total } = event.counts;
        const rate = done / Math.max(0.001, (Date.now() - begun) / 1000);
        terminal.progress(`${done}/${total} files, ${rate.toFixed(0)} per second: ${event.path}`);
        break;
      }
      case "file-failed":
        failures.push({ path: event.path, code: event.code, reason: event.reason });
        terminal.error(harmlessLine(`failed ${event.path}: ${event.reason}`));
        break;
      case "embed":
        terminal.progress(`vectors: ${event.done}/${event.total} windows`);
        break;
      case "embed-failed":
        embedFailure = event.reason;
        terminal.error(
          `vectors not made: ${event.reason} The documents are in and are found by their words; run the same command again to go on.`,
        );
        break;
      case "ingest-end": {
        failed = event.counts.failed + (embedFailure === null ? 0 : 1);
        const { total: _total, done: _done, ...counts } = event.counts;
        if (json)
          terminal.print(
            JSON.stringify({
              ...counts,
              chunks: event.chunks,
              ms: event.ms,
              revision: event.revision,
              failures,
              embedding: costToJson(event.embedding),
              embed_failure: embedFailure,
              not_read: event.unread,
            }),
          );
        else
          terminal.print(
            `${Object.entries(counts)
              .map(([name, n]) => `${n} ${name}`)
              .join(
                ", ",
              )}; ${event.chunks} chunks written in ${(event.ms / 1000).toFixed(2)} s${describeCost(event.embedding)}${describeUnread(event.unread)}`,
          );
        break;
      }
      default:
        event satisfies never;
    }
  }
  return failed;
}

function costToJson(cost: EmbeddingCost | null) {
  return cost === null ? null : { model: cost.model, tokens: cost.tokens, cost_usd: cost.costUsd };
}

function describeCost(cost: EmbeddingCost | null): string {
  if (cost === null) return "";
  const tokens = cost.tokens === null ? "tokens not counted by the endpoint" : `${cost.tokens} tokens`;
  const price = cost.costUsd === null ? "price not known" : `$${cost.costUsd.toFixed(6)} by list price`;
  return `; vectors from ${cost.model}: ${tokens}, ${price}`;
}
