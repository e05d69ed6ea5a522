import type { Command } from "commander";
import { type CliContext, configOf, pathOf } from "../../src/cli/context.ts";
import { chooseSets } from "../../src/grading/choose-sets.ts";
import { playOutput, recordOutput } from "../../src/grading/golden-journal.ts";
import { renderTable, writeReport } from "../../src/grading/report.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { didYouMean } from "../../src/text/spelling.ts";
import { WRITERS } from "../runs/ablate/ablated-item.ts";
import type { AblatedWriter } from "../runs/ablate/summarize.ts";
import { givenOptions } from "./measurement.ts";

interface AblateFlags {
  corpus?: string;
  golden?: string;
  domain?: string;
  tenant?: string;
  limit?: string;
  writers: string;
  rungs: string;
  rate: string;
  rounds: string;
  seed: string;
  record?: string;
  recorded?: string;
  out?: string;
}

/** Default share of drafts with a fault of each category. Higher than the source's rates, so that fewer questions suffice. */
const DEFAULT_RATE = "0.25";
const DEFAULT_ROUNDS = "1";
const DEFAULT_SEED = "1";
const DEFAULT_RUNGS = "all";

export function addAblateCommand(program: Command, context: CliContext): void {
  program
    .command("ablate")
    .description("what readers are shown without layers, with four, seven and ours, and with each single layer off")
    .option("--corpus <folder>", "folder of documents, under `pages/` where there is one")
    .option("--golden <path>", "questions, as `eval golden` takes them")
    .option(
      "--domain <name>",
      "domain pack whose vocabulary and hosts apply; without --corpus its documents, without --golden its questions",
    )
    .option("--tenant <name>", "only questions asked by this tenant")
    .option("--limit <n>", "only so many questions, at equal steps through the set: for a model that is slow or charges")
    .option("--writers <names>", `comma-separated: ${WRITERS.join(", ")}; \`model\` is the configured one`, WRITERS.join(","))
    .option("--rungs <names>", "`all`, `ladder` (no layers, four, seven, ours), or names, comma-separated", DEFAULT_RUNGS)
    .option(
      "--rate <share>",
      "share of the scripted model's drafts with a fault of each category, or `source` for the source design's rates",
      DEFAULT_RATE,
    )
    .option("--rounds <n>", "times that every question is asked, each with other faults", DEFAULT_ROUNDS)
    .option("--seed <n>", "of the faults", DEFAULT_SEED)
    .option("--record <file>", "record the configured model's reply to each prompt in this file")
    .option("--recorded <file>", "use the replies that --record wrote to this file instead of calling the model")
    .option("--json, --out <file>", "write the whole report as JSON")
    .addHelpText("after", EXAMPLES)
    .action((flags: AblateFlags, command: Command) => runAblation(flags, command, context));
}

const EXAMPLES = `
Examples:
  ./run ablate --domain veterans --out ablation.json
  ./run ablate --domain veterans --rungs ladder --writers scripted --rate source --rounds 10
  ./run ablate --domain retail --rungs ladder --writers model --limit 10
  ./run ablate --domain retail --rungs ladder --writers model --recorded replies.json
  ./run ablate --corpus data/va-pages --golden data/va-golden --domain veterans --rungs seven,seven-5`;

async function runAblation(flags: AblateFlags, command: Command, context: CliContext): Promise<void> {
  const { terminal, signal } = context;
  const config = configOf(context, command);
  const share = flags.rate === "source" ? null : numberFrom(flags.rate, "--rate", (one) => one >= 0 && one <= 1);
  const rounds = numberFrom(flags.rounds, "--rounds", (one) => Number.isInteger(one) && one >= 1 && one <= 1000);
  const seed = numberFrom(flags.seed, "--seed", Number.isSafeInteger);
  const writers = namesFrom(flags.writers, "--writers", WRITERS);
  const { corpus, golden, domain, tenant } = flags;
  const limit = flags.limit === undefined ? undefined : numberFrom(flags.limit, "--limit", (one) => Number.isInteger(one) && one >= 1);
  const places = { corpus: pathOf(context, corpus), golden: pathOf(context, golden) };
  const [chosen] = chooseSets({ ...places, domain, tenant, limit }, config.domains_dir);
  if (chosen === undefined) throw new RequestError("golden_missing", "There is no set: give --domain, or --corpus with --golden.");
  // Dynamic imports, so that help and usage errors do not load the engine.
  const [{ ablate }, { summarizeAblation, SOURCE_RATES }, { RUNGS }, { createShippedJudge }, { modelsOf }] = await Promise.all([
    import("../runs/ablate/ablate.ts"),
    import("../runs/ablate/summarize.ts"),
    import("../runs/ablate/rungs.ts"),
    import("../../src/grading/claim-judge.ts"),
    import("../../src/engine/open.ts"),
  ]);
  const rungs = rungsNamed(flags.rungs, RUNGS);
  const rates = share === null ? SOURCE_RATES : { hallucination: share, number: share, url: share, citation: share };
  const shared = { chosen, rungs, rates, rounds, seed, config, judge: createShippedJudge(), signal };
  const ablated: AblatedWriter[] = [];
  const recorder = flags.record === undefined ? null : recordOutput(pathOf(context, flags.record), modelsOf(config));
  const models = recorder?.models ?? (flags.recorded === undefined ? null : playOutput(pathOf(context, flags.recorded)));
  for (const writer of writers) {
    if (writer === "model" && config.model === undefined && models === null) {
      terminal.error(
        "No model is configured: the layers are not measured with a real one. Configure `model`, or set SOURCEBOUND_MODEL_BASE_URL and SOURCEBOUND_MODEL_SMALL.",
      );
      continue;
    }
    const total = rungs.length * rounds * (chosen.set.answerable.length + chosen.set.unanswerable.length);
    const parts = writer === "model" && models !== null ? { models } : {};
    try {
      for await (const event of ablate({ ...shared, writer, parts })) {
        if (event.type === "progress") terminal.progress(`${event.done}/${total} ${writer}, ${event.what}`);
        else ablated.push({ writer, rungs, items: event.items, questions: event.questions, rounds });
      }
    } finally {
      // Keep the replies so far, also if the run is cancelled.
      recorder?.save();
    }
  }
  const { report, table } = summarizeAblation(ablated, { command: `ablate${givenOptions(command, ["out"])}`, seed, rates });
  terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
  terminal.print(renderTable(table));
  if (flags.out !== undefined) writeReport(pathOf(context, flags.out), report);
}

const LADDER = ["none", "four", "seven", "ours"];

function rungsNamed<T extends { readonly name: string }>(text: string, all: readonly T[]): readonly T[] {
  if (text === "all") return all;
  const names =
    text === "ladder"
      ? LADDER
      : namesFrom(
          text,
          "--rungs",
          all.map(({ name }) => name),
        );
  return names.flatMap((wanted) => all.find(({ name }) => name === wanted) ?? []);
}

function namesFrom<T extends string>(text: string, option: string, known: readonly T[]): T[] {
  return text.split(",").map((given) => {
    const found = known.find((one) => one === given.trim());
    if (found !== undefined) return found;
    throw new RequestError("config_invalid", `${option} knows no "${given}": use some of ${known.join(", ")}.${didYouMean(given, known)}`);
  });
}

function numberFrom(text: string, option: string, fits: (value: number) => boolean): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (fits(value)) return value;
  throw new RequestError("config_invalid", `${option} ${text} does not fit: see \`sourcebound ablate --help\`.`);
}
