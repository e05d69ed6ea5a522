import type { Command } from "commander";
import { profileNamed, profiles } from "../../profiles/index.ts";
import type { CliContext } from "../context.ts";

export function addProfilesCommand(program: Command, { terminal }: CliContext): void {
  program
    .command("profiles")
    .description("list the profiles: what each needs, what of its source runs, what is not built")
    .argument("[name]", "one profile with every rule of its source")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  sourcebound profiles\n  sourcebound profiles seven-layer")
    .action((name: string | undefined, { json }: { json?: boolean }) => {
      const shown = name === undefined ? profiles : [profileNamed(name)];
      if (json) return terminal.print(JSON.stringify(shown, null, 2));
      const { bold, dim, yellow } = terminal.colors;
      for (const profile of shown) {
        terminal.print(`${bold(profile.name)}  ${profile.title}`);
        if (profile.needs.length > 0) terminal.print(`  needs ${profile.needs.map((need) => NEEDS[need]).join("; ")}`);
        const missing = profile.rules.filter(({ state }) => state === "not built");
        terminal.print(missing.length === 0 ? "  runs, and nothing of it is missing" : "  runs, without what is not built:");
        for (const { rule } of missing) terminal.print(`  ${yellow("not built")} ${rule}`);
        if (name !== undefined)
          for (const { rule, state, why } of profile.rules)
            terminal.print(`  ${state.padEnd(10)} ${rule}${why === "" ? "" : dim(` – ${why}`)}`);
      }
    });
}

const NEEDS = {
  encoder:
    "a dense encoder (the embedded one, SOURCEBOUND_EMBEDDINGS_HUB, or SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL)",
  model: "a model (SOURCEBOUND_MODEL_BASE_URL and SOURCEBOUND_MODEL_SMALL)",
} as const;
