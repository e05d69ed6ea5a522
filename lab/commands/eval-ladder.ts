import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { RequestError } from "../../src/errors.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface LadderFlags {
  corpus: string;
  golden: string;
  baseUrl?: string;
  domain?: string;
  rate: string;
  rounds: string;
  seed: string;
  json?: string;
}

/** Share of drafts with a fault of each category: more than the source's own rates, so that few questions say enough. */
const DEFAULT_RATE = "0.25";
const DEFAULT_ROUNDS = "3";
const DEFAULT_SEED = "1";

export function addEvalLadderCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("ladder")
    .description("what is shown of what a model makes up at a known rate: no layers, four, seven, ours")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-answerable*.jsonl and va-unanswerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--domain <name>", "domain pack whose vocabulary and hosts apply")
    .option("--rate <share>", "share of drafts with a fault of each category, or `source` for the source design's rates", DEFAULT_RATE)
    .option("--rounds <n>", "times that every question is asked, each with other faults", DEFAULT_ROUNDS)
    .option("--seed <n>", "of the faults", DEFAULT_SEED)
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval ladder --golden data/va-golden --corpus data/va-pages")
    .action(async ({ json, rate, rounds, seed, ...folders }: LadderFlags, command: Command) => {
      const share = rate === "source" ? null : numberFrom(rate, "--rate", (one) => one >= 0 && one <= 1);
      const times = numberFrom(rounds, "--rounds", (one) => Number.isInteger(one) && one >= 1 && one <= 1000);
      const from = numberFrom(seed, "--seed", Number.isSafeInteger);
      // Loaded only now: help and wrong usage answer without the engine.
      const { evaluateLadder } = await import("../runs/ladder.ts");
      const { SOURCE_RATES } = await import("../runs/ladder-summary.ts");
      const given = Object.entries({ golden: folders.golden, corpus: folders.corpus, "base-url": folders.baseUrl, domain: folders.domain });
      const options = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
      const events = evaluateLadder({
        ...folders,
        rates: share === null ? SOURCE_RATES : { hallucination: share, number: share, url: share, citation: share },
        rounds: times,
        seed: from,
        config: configOf(context, command, {}, { domain: "veterans" }),
        command: ["eval ladder", ...options, `--rate ${rate} --rounds ${rounds} --seed ${seed}`].join(" "),
        signal: context.signal,
      });
      await showEvaluation(events, json, context);
    });
}

function numberFrom(text: string, option: string, fits: (value: number) => boolean): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (fits(value)) return value;
  throw new RequestError("config_invalid", `${option} ${text} does not fit: see \`eval ladder --help\`.`);
}
