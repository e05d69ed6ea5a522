import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { RequestError } from "../../src/errors.ts";
import { didYouMean } from "../../src/text/nearest.ts";
import { EXTRACT_SETS, type ExtractSetName } from "../sets/extract-sets.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface ExtractFlags {
  data: string;
  sets: string;
  limit: string;
  tuning?: boolean;
  json?: string;
}

export function addEvalExtractCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("extract")
    .description("answers built from quotes, on questions whose answers are marked in the documents: how many hold it, in how many words")
    .requiredOption("--data <folder>", "folder of sets, one folder each")
    .option("--sets <names>", "comma-separated", EXTRACT_SETS.join(","))
    .option("--limit <n>", "questions of one set at most", "1000")
    .option("--tuning", "ask about what the choice of quotes was tuned on, instead of what was kept apart")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval extract --data data --sets policyqa,tatqa")
    .action(async ({ data, sets, limit, tuning = false, json }: ExtractFlags) => {
      const names = setsOf(sets);
      if (!/^[1-9]\d{0,8}$/.test(limit))
        throw new RequestError("config_invalid", `--limit ${limit} is not a number of questions: give a whole number from 1.`);
      // Loaded only now: help and wrong usage answer without the index.
      const { createExtractEvaluation } = await import("../runs/extract.ts");
      const events = createExtractEvaluation({
        data,
        sets: names,
        part: tuning ? "tuning" : "held-out",
        limit: Number(limit),
        command: `eval extract --data ${data} --sets ${sets} --limit ${limit}${tuning ? " --tuning" : ""}`,
        signal: context.signal,
      });
      await showEvaluation(events, json, context);
    });
}

function setsOf(list: string): ExtractSetName[] {
  return list.split(",").map((name) => {
    const known = EXTRACT_SETS.find((one) => one === name);
    if (known !== undefined) return known;
    throw new RequestError(
      "unknown_set",
      `There is no set "${name}": use one of ${EXTRACT_SETS.join(", ")}.${didYouMean(name, EXTRACT_SETS)}`,
    );
  });
}
