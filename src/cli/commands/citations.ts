import type { Command } from "commander";
import type { CitationStanding } from "../../remember/citation-states.ts";
import { originalInWords } from "../../text/original-place.ts";
import { citationStatesToWire } from "../../wire/exploring.ts";
import { type CliContext, EXIT } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";

export function addCitationsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("citations")
    .description("what became of a stored answer's quotes in today's documents: same, moved, changed or gone")
    .argument("<id>", "id of the answer, as `ask --json` gives it")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Exit code: 0 every quote stands, 5 at least one is changed or gone, 1 failed, 2 wrong usage.

Examples:
  sourcebound citations 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound citations 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq '.citations[] | select(.state != "same")'`,
    )
    .action(async (id: string, { json }: { json?: boolean }, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const { answer, domain, tenant, access } = await engine.memory.review.show(id);
        const states = answer === null ? [] : await engine.citationStates(answer, { domain, tenant, access });
        if (json) terminal.print(JSON.stringify(citationStatesToWire(id, states), null, 2));
        else if (states.length === 0) terminal.print("This answer cites nothing.");
        else for (const state of states) terminal.print(describe(state));
        if (states.some(({ state }) => state === "changed" || state === "gone")) context.exitCode = EXIT.found;
      });
    });
}

function describe({ n, state, now }: CitationStanding): string {
  if (now === null) return `[${n}] ${state}`;
  const place = `${now.original.path}, ${originalInWords(now.original)}`;
  return harmlessLine(`[${n}] ${state}: ${place}${state === "changed" ? `: "${now.quote}"` : ""}`);
}
