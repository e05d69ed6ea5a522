import type { Command } from "commander";
import { RequestError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { configOf } from "../open.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface CacheFlags {
  corpus: string;
  golden: string;
  data?: string;
  baseUrl?: string;
  domain?: string;
  profile?: string;
  questions: string;
  json?: string;
}

const DEFAULT_QUESTIONS = "1000";

export function addEvalCacheCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("cache")
    .description("which questions share a cached answer: golden pairs by rule; with --data, false hits against hits over thresholds")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-pairs*.jsonl")
    .option("--data <folder>", "folder of further sets: clinc150, banking77, covid-qa, medquad")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile whose retrieval is used")
    .option("--questions <n>", "questions asked of one further set at most", DEFAULT_QUESTIONS)
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval cache --golden data/va-golden --corpus data/va-pages --data data")
    .action(async ({ json, questions, ...flags }: CacheFlags, command: Command) => {
      if (!/^[1-9]\d{0,5}$/.test(questions))
        throw new RequestError("config_invalid", `--questions ${questions} is not a number of questions: give a whole number from 1.`);
      // Loaded only now: help and wrong usage answer without the engine.
      const { evaluateCache } = await import("../../evaluate/cache.ts");
      const given = Object.entries({
        golden: flags.golden,
        corpus: flags.corpus,
        data: flags.data,
        "base-url": flags.baseUrl,
        domain: flags.domain,
        profile: flags.profile,
        questions,
      });
      const line = ["eval cache", ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]))].join(" ");
      const options = { ...flags, questions: Number(questions), config: configOf(command), command: line, signal: context.signal };
      await showEvaluation(evaluateCache(options), json, context);
    });
}
