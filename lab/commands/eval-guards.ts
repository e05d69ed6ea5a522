import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { loadDomain } from "../../src/engine/domain.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { showEvaluation } from "./show-evaluation.ts";

/** Measuring of the guards that look at text by itself. */
export function addEvalGuardsCommands(evaluate: Command, context: CliContext): void {
  evaluate
    .command("pii")
    .description("personal data found and false alarms by kind, on labelled sentences")
    .requiredOption("--data <folder>", "folder with synth_dataset*.jsonl, or with pii-presidio/")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, json }: { data: string; json?: string }) => {
      const { evaluatePii } = await import("../runs/pii.ts");
      await showEvaluation(evaluatePii({ data, command: `eval pii --data ${data}` }), json, context);
    });
  evaluate
    .command("injection")
    .description("orders in documents and questions caught, and benign text blocked")
    .requiredOption("--data <folder>", "folder with prompts*.jsonl, or with prompt-injection/")
    .option("--corpus <folder>", "folder with `pages/` whose sentences must not be blocked")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, corpus, json }: { data: string; corpus?: string; json?: string }) => {
      const { evaluateInjection } = await import("../runs/injection.ts");
      const command = `eval injection --data ${data}${corpus === undefined ? "" : ` --corpus ${corpus}`}`;
      await showEvaluation(evaluateInjection({ data, corpus, command }), json, context);
    });
  evaluate
    .command("mutations")
    .description("good sentences made wrong in one way each: what every layer of the checks kills, alone and at all, and its false alarms")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-drafts*.jsonl and va-answerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--data <folder>", "folder with policyqa/, for sentences of other texts")
    .option("--domain <name>", "domain pack whose address, hosts and contacts apply")
    .option("--profile <name>", "profile whose checks are measured", "sourcebound")
    .option("--json <file>", "write the whole report")
    .action(async ({ json, domain: name, ...flags }: MutationFlags, command: Command) => {
      const { evaluateMutatedAnswers } = await import("../runs/mutated-answers.ts");
      const { loadEmbeddedEncoder } = await import("../../src/models/embedded-encoder.ts");
      const { createEmbeddedSupportScorer } = await import("../../src/models/embedded-support.ts");
      const support = profileNamed(flags.profile).check.support === null ? null : createEmbeddedSupportScorer(loadEmbeddedEncoder());
      const config = configOf(context, command, {}, { domain: "veterans" });
      const domain = loadDomain(name ?? config.domain, config.domains_dir);
      const given = Object.entries({
        corpus: flags.corpus,
        golden: flags.golden,
        "base-url": flags.baseUrl,
        data: flags.data,
        profile: flags.profile,
      });
      const line = ["eval mutations", ...given.flatMap(([option, value]) => (value === undefined ? [] : [`--${option} ${value}`]))].join(
        " ",
      );
      await showEvaluation(evaluateMutatedAnswers({ ...flags, domain, support, command: line }), json, context);
    });
}

interface MutationFlags {
  corpus: string;
  golden: string;
  baseUrl?: string;
  data?: string;
  domain?: string;
  profile: string;
  json?: string;
}
