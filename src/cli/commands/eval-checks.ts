import type { Command } from "commander";
import { loadDomain } from "../../domain.ts";
import { sourcebound } from "../../profiles/sourcebound.ts";
import type { CliContext } from "../context.ts";
import { configOf } from "../open.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface ChecksFlags {
  corpus: string;
  golden: string;
  baseUrl?: string;
  data?: string;
  domain?: string;
  profile: string;
  json?: string;
}

export function addEvalChecksCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("checks")
    .description("faults of golden drafts that the checks catch, faithful drafts that they touch; with --data, true sentences made wrong")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-drafts*.jsonl and va-answerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--data <folder>", "folder of further sets: policyqa, medquad")
    .option("--domain <name>", "domain pack whose address and hosts apply")
    .option("--profile <name>", "profile whose checks are measured", sourcebound.name)
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval checks --golden data/va-golden --corpus data/va-pages")
    .action(async ({ json, domain: name, ...flags }: ChecksFlags, command: Command) => {
      const { evaluateChecks } = await import("../../evaluate/checks.ts");
      const given = Object.entries({ golden: flags.golden, corpus: flags.corpus, "base-url": flags.baseUrl, data: flags.data });
      const options = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
      const config = configOf(command);
      const domain = loadDomain(name ?? config.domain, config.domains_dir);
      const line = ["eval checks", ...options, `--profile ${flags.profile}`].join(" ");
      await showEvaluation(evaluateChecks({ ...flags, domain, support: null, command: line }), json, context);
    });
}
