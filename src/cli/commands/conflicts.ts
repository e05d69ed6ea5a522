import type { Command } from "commander";
import type { Conflict } from "../../types.ts";
import { conflictToWire } from "../../wire/answer-to-wire.ts";
import { joinConflicts } from "../../wire/display.ts";
import type { CliContext } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import { conflictLines } from "../render.ts";

interface ConflictsFlags {
  domain?: string;
  tenant?: string;
  json?: boolean;
}

export function addConflictsCommand(program: Command, context: CliContext): void {
  program
    .command("conflicts")
    .description("read all documents of a domain and list statements that contradict each other, most certain first")
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "with the documents of this party inside the domain")
    .option("--json", "the report as JSON")
    .addHelpText(
      "after",
      `
A report to be read by people: what is listed looks like a contradiction, and some of it is none.

Examples:
  sourcebound conflicts --domain veterans
  sourcebound conflicts --json > conflicts.json`,
    )
    .action(async (flags: ConflictsFlags, command: Command) => {
      const { terminal, signal } = context;
      await withEngine(context, configOf(context, command), async (engine) => {
        for await (const event of engine.conflicts({ domain: flags.domain, tenant: flags.tenant, signal })) {
          if (event.type === "progress") {
            terminal.progress(`${event.done}/${event.total} documents, ${event.found} found`);
            continue;
          }
          const { documents, statements, compared, conflicts } = event;
          if (flags.json) terminal.print(JSON.stringify({ documents, statements, compared, conflicts: conflicts.map(toJson) }, null, 2));
          else {
            for (const [i, conflict] of conflicts.entries()) {
              terminal.print(`${i + 1}. ${conflict.kind}, certainty ${conflict.certainty.toFixed(2)}`);
              for (const one of joinConflicts([conflictToWire(conflict)]))
                terminal.print(`${conflictLines(one, terminal.colors).join("\n")}\n`);
            }
            terminal.print(
              `${conflicts.length} found among ${statements} statements of ${documents} documents (${compared} pairs compared).`,
            );
          }
        }
      });
    });
}

function toJson({ about, kind, certainty, sides, resolvedBy }: Conflict) {
  return {
    about,
    kind,
    certainty,
    sides: sides.map(({ documentId, documentVersion, asOf, sid, title, ...side }) => ({
      sid,
      title: harmlessLine(title),
      ...side,
      document_id: documentId,
      document_version: documentVersion,
      as_of: asOf,
    })),
    resolved_by: resolvedBy,
  };
}
