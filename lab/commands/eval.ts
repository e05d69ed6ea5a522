import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { addEvalCacheCommand } from "./eval-cache.ts";
import { addEvalChecksCommand } from "./eval-checks.ts";
import { addEvalConflictsCommand } from "./eval-conflicts.ts";
import { addEvalExtractCommand } from "./eval-extract.ts";
import { addEvalGuardsCommands } from "./eval-guards.ts";
import { addEvalRefusalCommand } from "./eval-refusal.ts";
import { addEvalRetrievalCommand } from "./eval-retrieval.ts";
import { addEvalSetsCommands } from "./eval-sets.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface VaFlags {
  corpus: string;
  golden: string;
  baseUrl?: string;
  profile?: string;
  domain?: string;
  json?: string;
}

const EXAMPLE = "\nExample:\n  sourcebound eval va --corpus data/va-pages --golden data/va-golden --json va.json";

/** Measurements on sets of the laboratory, beside those on golden sets that anyone may have. */
export function addMeasurements(evaluate: Command, context: CliContext): void {
  evaluate.addHelpText("after", EXAMPLE);
  addEvalSetsCommands(evaluate, context);
  addEvalRetrievalCommand(evaluate, context);
  addEvalChecksCommand(evaluate, context);
  addEvalGuardsCommands(evaluate, context);
  addEvalExtractCommand(evaluate, context);
  addEvalConflictsCommand(evaluate, context);
  addEvalRefusalCommand(evaluate, context);
  addEvalCacheCommand(evaluate, context);
  evaluate
    .command("va")
    .description("pages found, key values, refusals on a golden set over a folder of pages")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-answerable*.jsonl and va-unanswerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile to measure")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", EXAMPLE)
    .action(async (flags: VaFlags, command: Command) => {
      const { json, ...options } = flags;
      const line = `eval va --corpus ${flags.corpus} --golden ${flags.golden}${flags.profile === undefined ? "" : ` --profile ${flags.profile}`}`;
      const { evaluateVa } = await import("../runs/va.ts");
      await showEvaluation(
        evaluateVa({ ...options, config: configOf(context, command, {}, { domain: "veterans" }), command: line, signal: context.signal }),
        json,
        context,
      );
    });
  evaluate
    .command("typos")
    .description("pages found for golden questions as written and with seeded typos, with and without spelling repair")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-answerable*.jsonl")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile to measure")
    .option("--json <file>", "write the whole report")
    .action(async (flags: VaFlags, command: Command) => {
      const { json, ...options } = flags;
      const { evaluateTypos } = await import("../runs/typos.ts");
      const line = `eval typos --corpus ${flags.corpus} --golden ${flags.golden}`;
      await showEvaluation(
        evaluateTypos({
          ...options,
          config: configOf(context, command, {}, { domain: "veterans" }),
          command: line,
          signal: context.signal,
        }),
        json,
        context,
      );
    });
  evaluate
    .command("follow-ups")
    .description("retrieval for follow-up questions: as asked, with all history, rewritten by us, rewritten by people")
    .requiredOption("--data <folder>", "folder with canard*.jsonl")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, json }: { data: string; json?: string }) => {
      const { evaluateFollowUps } = await import("../runs/follow-ups.ts");
      await showEvaluation(evaluateFollowUps({ data, command: `eval follow-ups --data ${data}` }), json, context);
    });
  evaluate
    .command("several")
    .description("messages that ask several things: each answered with the words that answer it, or said not to be")
    .requiredOption("--data <folder>", "folder that holds several/*.jsonl and the collections that they are about, strangers/")
    .option("--json <file>", "write the whole report")
    .action(async (flags: { data: string; json?: string }, command: Command) => {
      const { data, json } = flags;
      const { evaluateSeveral } = await import("../runs/several.ts");
      const config = configOf(context, command, {}, {});
      await showEvaluation(
        evaluateSeveral({ data, config, command: `eval several --data ${data}`, signal: context.signal }),
        json,
        context,
      );
    });
  evaluate
    .command("contradictions")
    .description("pages that contradict each other, or look like it: what is said of them beside an answer")
    .requiredOption("--data <folder>", "folder that holds contradictions/held-out.jsonl")
    .option("--json <file>", "write the whole report")
    .action(async (flags: { data: string; json?: string }, command: Command) => {
      const { data, json } = flags;
      const { evaluateContradictions } = await import("../runs/contradictions.ts");
      const config = configOf(context, command, {}, {});
      await showEvaluation(
        evaluateContradictions({ data, config, command: `eval contradictions --data ${data}`, signal: context.signal }),
        json,
        context,
      );
    });
  evaluate
    .command("dialogs")
    .description("the second question of a conversation: answered with the words that answer it, refused where nothing does")
    .requiredOption("--data <folder>", "folder that holds follow-ups/*.jsonl and the collections that they are about, strangers/")
    .option("--json <file>", "write the whole report")
    .action(async (flags: { data: string; json?: string }, command: Command) => {
      const { data, json } = flags;
      const { evaluateDialogs } = await import("../runs/dialogs.ts");
      const config = configOf(context, command, {}, {});
      await showEvaluation(
        evaluateDialogs({ data, config, command: `eval dialogs --data ${data}`, signal: context.signal }),
        json,
        context,
      );
    });
}
