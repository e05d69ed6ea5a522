import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { RequestError } from "../../src/errors.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface CacheFlags {
  corpus: string;
  golden: string;
  data?: string;
  baseUrl?: string;
  domain?: string;
  profile?: string;
  questions: string;
  day?: string | true;
  seed: string;
  approved: string;
  scriptedModel?: true;
  json?: string;
}

const DEFAULT_QUESTIONS = "1000";
/** Questions of a replayed day. */
const DEFAULT_DAY = "5000";
const DEFAULT_SEED = "1";

export function addEvalCacheCommand(evaluate: Command, context: CliContext): void {
  addGraph(evaluate, context);
  evaluate
    .command("cache")
    .description(
      "which questions share a cached answer: golden pairs by rule and through the whole engine; with --data, false hits against hits over thresholds; with --day, a replayed day",
    )
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-pairs*.jsonl")
    .option("--data <folder>", "folder of further sets: clinc150, banking77, covid-qa, medquad")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile whose retrieval is used")
    .option("--questions <n>", "questions asked of one further set at most", DEFAULT_QUESTIONS)
    .option("--day [n]", `instead: a day of so many questions with documents edited meanwhile, ${DEFAULT_DAY} unless said`)
    .option("--seed <n>", "of the day", DEFAULT_SEED)
    .option("--approved <share>", "of the day: share of stored answers that a person approves, 0 to 1", "0")
    .option("--scripted-model", "of the day: a model of this process writes, so that there are tokens to save")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", EXAMPLES)
    .action(async ({ json, questions, day, seed, scriptedModel, approved, ...flags }: CacheFlags, command: Command) => {
      const given = Object.entries({
        golden: flags.golden,
        corpus: flags.corpus,
        data: flags.data,
        "base-url": flags.baseUrl,
        domain: flags.domain,
        profile: flags.profile,
      }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
      const common = { ...flags, config: configOf(context, command, {}, { domain: "veterans" }), signal: context.signal };
      if (day !== undefined) {
        const asked = day === true ? DEFAULT_DAY : day;
        if (!/^[1-9]\d{0,5}$/.test(asked))
          throw new RequestError("config_invalid", `--day ${asked} is not a number of questions: give a whole number from 1.`);
        if (!/^\d{1,9}$/.test(seed)) throw new RequestError("config_invalid", `--seed ${seed} is no seed: give a whole number from 0.`);
        if (!/^(?:0|1|0?\.\d{1,3})$/.test(approved))
          throw new RequestError("config_invalid", `--approved ${approved} is no share: give 0 to 1.`);
        const { evaluateDay } = await import("../runs/day.ts");
        const made = [...(Number(approved) > 0 ? [`--approved ${approved}`] : []), ...(scriptedModel ? ["--scripted-model"] : [])];
        const line = ["eval cache", ...given, `--day ${asked} --seed ${seed}`, ...made].join(" ");
        const numbers = { questions: Number(asked), seed: Number(seed), approved: Number(approved) };
        const options = { ...common, ...numbers, scriptedModel: scriptedModel ?? false, command: line };
        return showEvaluation(evaluateDay(options), json, context);
      }
      if (!/^[1-9]\d{0,5}$/.test(questions))
        throw new RequestError("config_invalid", `--questions ${questions} is not a number of questions: give a whole number from 1.`);
      // Loaded only now: help and wrong usage answer without the engine.
      const { evaluateCache } = await import("../runs/cache.ts");
      const line = ["eval cache", ...given, `--questions ${questions}`].join(" ");
      await showEvaluation(evaluateCache({ ...common, questions: Number(questions), command: line }), json, context);
    });
}

const EXAMPLES = `
Examples:
  sourcebound eval cache --golden data/va-golden --corpus data/va-pages --data data
  sourcebound eval cache --golden data/va-golden --corpus data/va-pages --data data --day`;

interface GraphFlags {
  corpus: string;
  golden: string;
  data?: string;
  domain?: string;
  questions: string;
  seed: string;
  json?: string;
}

function addGraph(evaluate: Command, context: CliContext): void {
  evaluate
    .command("graph")
    .description(
      "wrong answers that a cache by similarity alone would serve on a made day, and one that also asks for a topic and an entity in common",
    )
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-pairs*.jsonl")
    .option("--data <folder>", "folder of further sets: banking77, covid-qa")
    .option("--domain <name>", "domain pack whose topics and entities apply")
    .option("--questions <n>", "of the day", DEFAULT_QUESTIONS)
    .option("--seed <n>", "of the day", DEFAULT_SEED)
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval graph --golden data/va-golden --corpus data/va-pages --domain veterans")
    .action(async ({ json, questions, seed, ...flags }: GraphFlags, command: Command) => {
      if (!/^[1-9]\d{0,5}$/.test(questions))
        throw new RequestError("config_invalid", `--questions ${questions} is not a number of questions: give a whole number from 1.`);
      if (!/^\d{1,9}$/.test(seed)) throw new RequestError("config_invalid", `--seed ${seed} is no seed: give a whole number from 0.`);
      const { evaluateGraph } = await import("../runs/graph.ts");
      const given = Object.entries(flags).map(([name, value]) => `--${name} ${value}`);
      const line = ["eval graph", ...given, `--questions ${questions} --seed ${seed}`].join(" ");
      const config = configOf(context, command, {}, { domain: "veterans" });
      const numbers = { questions: Number(questions), seed: Number(seed) };
      await showEvaluation(evaluateGraph({ ...flags, ...numbers, config, command: line, signal: context.signal }), json, context);
    });
}
